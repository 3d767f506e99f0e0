"""The abstract model of shares, and the queryset of rows with owners."""

from typing import Any, ClassVar, Self

from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import models
from django.db.models import Exists, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce, NullIf
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _


class Access(models.TextChoices):
    READ = "read", _("can read")
    EDIT = "edit", _("can edit")
    OWN = "own", _("owner")


EDIT_ACCESS = (Access.EDIT, Access.OWN)
# Condition on shares: an owner who is still an instructor.
IS_OWNER = Q(access=Access.OWN.value, user__is_active=True, user__is_staff=True)


class Share(models.Model):
    """The access of one instructor, or of every instructor if `user` is empty, to a row."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("with"),
        on_delete=models.CASCADE,
        related_name="+",
        null=True,
        blank=True,
    )
    access = models.CharField(_("access"), max_length=4, choices=Access)
    since = models.DateTimeField(_("since"), default=timezone.now)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("by"),
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
    )

    # The field that refers to the shared row.
    names_by: ClassVar[str]

    class Meta:
        abstract = True
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.user or gettext('every instructor')}: {self.get_access_display()}"

    @property
    def row_name(self) -> str:
        """The name of the shared row."""
        raise NotImplementedError

    def has_other_owner(self) -> bool:
        """Return whether the row has another owner than the person of this share."""
        named = {self.names_by: getattr(self, self.names_by)}
        others = type(self).objects.filter(IS_OWNER, **named)
        return others.exclude(pk=self.pk).exists()


def administrators() -> models.QuerySet[Any, int]:
    """Return the primary keys of the administrators, who look after the site's rows."""
    people = get_user_model()._default_manager.filter(is_superuser=True, is_active=True)
    return people.values_list("pk", flat=True)


def share_constraints(field: str) -> list[models.BaseConstraint]:
    """Return the constraints of a model of shares whose `field` refers to the shared row.

    A row has at most one share for each person and one for everybody, which is no owner's.
    """
    return [
        models.UniqueConstraint(fields=[field, "user"], name="%(class)s_once"),
        models.UniqueConstraint(fields=[field], condition=Q(user=None), name="%(class)s_all_once"),
        models.CheckConstraint(
            condition=~Q(user=None, access=Access.OWN.value), name="%(class)s_has_persons_as_owners"
        ),
    ]


class OwnedQuerySet(models.QuerySet[Any]):
    """Shared rows, filtered by what a user may do with them.

    The caller checks that the user is an instructor at all: rows shared with every instructor are
    visible to anybody here.

    Attributes:
        share_model: the model of the shares, as "app.Model".
        named_by: the field of a row that its shares refer to.
    """

    share_model: ClassVar[str]
    named_by: ClassVar[str] = "pk"

    def visible_to(self, user: Any) -> Self:
        """Return the rows this user may read."""
        if user.is_superuser:
            return self.all()
        with_them = self.shares().filter(Q(user=user.pk) | Q(user=None))
        return self.filter(Exists(with_them) | ~Exists(self.shares()))

    def editable_by(self, user: Any) -> Self:
        """Return the rows this user may change."""
        if user.is_superuser:
            return self.all()
        with_them = self.shares().filter(Q(user=user.pk) | Q(user=None))
        return self.filter(Exists(with_them.filter(access__in=EDIT_ACCESS)))

    def owned_by(self, user: Any) -> Self:
        """Return the rows this user may share and delete: their own; for administrators, all."""
        if user.is_superuser:
            return self.all()
        return self.filter(Exists(self.shares().filter(user=user.pk, access=Access.OWN)))

    def visible_to_all(self) -> Self:
        """Return the rows every instructor of the site may read."""
        return self.filter(Exists(self.shares().filter(user=None)) | ~Exists(self.shares()))

    def of_the_site(self) -> Self:
        """Return the rows no instructor owns."""
        return self.filter(~Exists(self.shares().filter(IS_OWNER)))

    def with_rights(self, user: Any) -> Self:
        """Annotate the rows with `is_editable` and `is_owned` for this user."""
        theirs = self.shares().filter(user=user.pk, access=Access.OWN)
        with_them = self.shares().filter(Q(user=user.pk) | Q(user=None), access__in=EDIT_ACCESS)
        return self.annotate(is_editable=Exists(with_them), is_owned=Exists(theirs))

    def with_owner_name(self) -> Self:
        """Annotate the rows with the `owner_name` of their first owner, None for the site's."""
        named = NullIf("user__name", Value(""))
        name = Coalesce(named, "user__email", output_field=models.CharField())
        owners = self.shares().filter(IS_OWNER).order_by("pk")
        return self.annotate(owner_name=Subquery(owners.values_list(name)[:1]))

    def may(self, user: Any, key: int | None) -> dict[str, bool]:
        """Return whether the row with this key is visible to, editable by and owned by the user."""
        each = {
            name: Exists(getattr(self, name)(user).filter(pk=OuterRef("pk")))
            for name in ("visible_to", "editable_by", "owned_by")
        }
        row = self.filter(pk=key).values(**each).first()
        return row or dict.fromkeys(each, False)

    @classmethod
    def shares(cls) -> models.QuerySet[Any]:
        """Return the shares of the outer query's row, for a subquery."""
        model = cls.get_share_model()
        return model.objects.filter(**{model.names_by: OuterRef(cls.named_by)})

    @classmethod
    def get_share_model(cls) -> Any:
        """Return the model of the shares."""
        return apps.get_model(cls.share_model)


def new_share(row: models.Model, **values: Any) -> Share:
    """Return a new, unsaved share of a row."""
    model, named = _model_and_reference(row)
    return model(**named, **values)


def shares_of(row: models.Model) -> models.QuerySet[Any]:
    """Return the shares of one row."""
    model, named = _model_and_reference(row)
    return model.objects.filter(**named)


def _model_and_reference(row: models.Model) -> tuple[Any, dict[str, Any]]:
    rows = type(row)._default_manager.all()
    assert isinstance(rows, OwnedQuerySet)
    model = rows.get_share_model()
    return model, {model.names_by: getattr(row, rows.named_by)}
