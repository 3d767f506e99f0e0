"""What every table of shares has, and the querysets of what is owned."""

from typing import Any, ClassVar, Self

from django.apps import apps
from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _


class Access(models.TextChoices):
    READ = "read", _("can read")
    EDIT = "edit", _("can edit")
    OWN = "own", _("owner")


EDITING = (Access.EDIT, Access.OWN)
# Of shares: those of owners who are instructors still.
OWNED = Q(access=Access.OWN.value, user__is_active=True, user__is_staff=True)


class Share(models.Model):
    """One instructor, or every one where `user` is empty, who may read, edit or owns something."""

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

    # The field by which it names what is shared.
    names_by: ClassVar[str]

    class Meta:
        abstract = True
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.user or gettext('every instructor')}: {self.get_access_display()}"

    @property
    def row_name(self) -> str:
        """What is shared, as its lists call it."""
        raise NotImplementedError

    def has_other_owner(self) -> bool:
        """Return whether what is shared has another owner than the person of this share."""
        named = {self.names_by: getattr(self, self.names_by)}
        others = type(self).objects.filter(OWNED, **named)
        return others.exclude(pk=self.pk).exists()


def constraints_of_shares(field: str) -> list[models.BaseConstraint]:
    """Return what holds in a table of shares that names by `field` what is shared.

    It is shared with nobody twice, and nobody owns it together with everybody.
    """
    return [
        models.UniqueConstraint(fields=[field, "user"], name="%(class)s_once"),
        models.UniqueConstraint(fields=[field], condition=Q(user=None), name="%(class)s_all_once"),
        models.CheckConstraint(
            condition=~Q(user=None, access=Access.OWN.value), name="%(class)s_has_persons_as_owners"
        ),
    ]


class OwnedQuerySet(models.QuerySet[Any]):
    """Rows that are shared, by what somebody may do with them.

    Whoever calls has asked whether that person is an instructor at all: what is shared with every
    instructor is visible to anybody here.

    Attributes:
        share_model: the model of their shares, as "app.Model".
        named_by: the field by which a share names a row.
    """

    share_model: ClassVar[str]
    named_by: ClassVar[str] = "pk"

    def visible_to(self, user: Any) -> Self:
        """Return what this person may read."""
        if user.is_superuser:
            return self.all()
        with_them = self.shares().filter(Q(user=user.pk) | Q(user=None))
        return self.filter(Exists(with_them) | ~Exists(self.shares()))

    def editable_by(self, user: Any) -> Self:
        """Return what this person may change."""
        if user.is_superuser:
            return self.all()
        with_them = self.shares().filter(Q(user=user.pk) | Q(user=None))
        return self.filter(Exists(with_them.filter(access__in=EDITING)))

    def owned_by(self, user: Any) -> Self:
        """Return what this person may share and delete: their own; for administrators, all."""
        if user.is_superuser:
            return self.all()
        return self.filter(Exists(self.shares().filter(user=user.pk, access=Access.OWN)))

    def visible_to_all(self) -> Self:
        """Return what every instructor of the site may read."""
        return self.filter(Exists(self.shares().filter(user=None)) | ~Exists(self.shares()))

    def of_the_site(self) -> Self:
        """Return what no instructor owns."""
        return self.filter(~Exists(self.shares().filter(OWNED)))

    def with_rights(self, user: Any) -> Self:
        """Return these rows, each with `is_editable` and `is_owned` by this person."""
        theirs = self.shares().filter(user=user.pk, access=Access.OWN)
        with_them = self.shares().filter(Q(user=user.pk) | Q(user=None), access__in=EDITING)
        return self.annotate(is_editable=Exists(with_them), is_owned=Exists(theirs))

    def may(self, user: Any, key: int | None) -> dict[str, bool]:
        """Return by the names of the methods above what this person may do with one row."""
        each = {
            name: Exists(getattr(self, name)(user).filter(pk=OuterRef("pk")))
            for name in ("visible_to", "editable_by", "owned_by")
        }
        row = self.filter(pk=key).values(**each).first()
        return row or dict.fromkeys(each, False)

    @classmethod
    def shares(cls) -> models.QuerySet[Any]:
        """Return the shares of the row that an outer query is about."""
        model = cls.model_of_shares()
        return model.objects.filter(**{model.names_by: OuterRef(cls.named_by)})

    @classmethod
    def model_of_shares(cls) -> Any:
        """Return the model of the shares of such rows."""
        return apps.get_model(cls.share_model)


def share_of(row: models.Model, **values: Any) -> Share:
    """Return a new share of a row, not saved yet."""
    model, named = _named(row)
    return model(**named, **values)


def shares_of(row: models.Model) -> models.QuerySet[Any]:
    """Return the shares of one row."""
    model, named = _named(row)
    return model.objects.filter(**named)


def _named(row: models.Model) -> tuple[Any, dict[str, Any]]:
    rows = type(row)._default_manager.all()
    assert isinstance(rows, OwnedQuerySet)
    model = rows.model_of_shares()
    return model, {model.names_by: getattr(row, rows.named_by)}
