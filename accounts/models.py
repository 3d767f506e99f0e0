"""The user model, which logs in with an email address."""

from django.apps import apps
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models, transaction
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foundation.folded_names import Named, NamedQuerySet
from foundation.names import tidy_name
from foundation.prepared import rows_where
from foundation.time_zones import validate_zone

# The domain of an erased person's address; nobody can own a domain under `.invalid`.
FORGOTTEN_DOMAIN = "deleted.softmark.invalid"


class LowercaseEmailField(models.EmailField):
    """An email field that stores and looks up addresses in lower case.

    People type their address as Ada@Example.org on one day and ada@example.org
    on the next; both must find the same account.
    """

    def to_python(self, value):
        value = super().to_python(value)
        return value.strip().lower() if isinstance(value, str) else value

    def get_prep_value(self, value):
        return self.to_python(super().get_prep_value(value))

    def pre_save(self, model_instance, add):
        value = self.to_python(super().pre_save(model_instance, add))
        setattr(model_instance, self.attname, value)
        return value


class UserManager(BaseUserManager.from_queryset(NamedQuerySet)):
    """Manager that creates users and superusers from an email address."""

    use_in_migrations = True

    def get(self, *args, **lookups):
        """Return one user. A lookup by pk, made by nearly every request, uses a prepared query."""
        if not args and lookups.keys() == {"pk"} and type(lookups["pk"]) is int and not self._db:
            for user in rows_where(self.model, **lookups):
                return user
        return super().get(*args, **lookups)

    def create_user(self, email, password=None, **fields):
        """Create a user. Without a password, nobody can log in as them."""
        if not email:
            raise ValueError("A user needs an email address.")
        user = self.model(email=email, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email, password=None, **fields):
        """Create an administrator, whose address counts as confirmed.

        The operator who runs the command must be able to log in when mail is broken.
        """
        fields = {"is_staff": True, "is_superuser": True} | fields
        if not (fields["is_staff"] and fields["is_superuser"]):
            raise ValueError("A superuser has is_staff=True and is_superuser=True.")
        with transaction.atomic(using=self._db):
            user = self.create_user(email, password, **fields)
            addresses = apps.get_model("account", "EmailAddress").objects.using(self._db)
            addresses.create(user=user, email=user.email, verified=True, primary=True)
        return user


class User(Named, AbstractBaseUser, PermissionsMixin):
    """A user, who logs in with an email address; there is no username."""

    email = LowercaseEmailField(
        _("email address"),
        unique=True,
        error_messages={"unique": _("An account with this email address already exists.")},
    )
    name = models.CharField(_("name"), max_length=150, blank=True)
    time_zone = models.CharField(
        _("time zone"),
        max_length=64,
        blank=True,
        # During an update, processes of the previous release insert users without it.
        db_default="",
        validators=[validate_zone],
        help_text=_("Leave empty to use the site’s time zone."),
    )
    is_staff = models.BooleanField(
        _("can use the admin"),
        default=False,
        help_text=_(
            "For instructors and administrators. Their roles decide what they can do there."
        ),
    )
    is_active = models.BooleanField(
        _("active"),
        default=True,
        help_text=_(
            "Untick this instead of deleting the account: the person’s work and marks are kept."
        ),
    )
    notifications_seen = models.DateTimeField(null=True, editable=False)
    date_joined = models.DateTimeField(_("joined"), default=timezone.now, editable=False)

    objects = UserManager()

    EMAIL_FIELD = "email"
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS = []

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")
        ordering = ["email"]
        constraints = [
            # With the unique index this makes addresses unique whatever their case,
            # also for rows that some other program writes.
            models.CheckConstraint(
                name="accounts_user_email_in_lower_case", condition=models.Q(email=Lower("email"))
            )
        ]

    def __str__(self):
        return self.get_full_name()

    def clean(self):
        super().clean()
        self.name = tidy_name(self.name)

    @property
    def confirmed_addresses(self):
        return {each.email for each in self.emailaddress_set.filter(verified=True)}

    def may_reset_by(self, address):
        """Return whether a new password may be chosen by a link sent to this address.

        Until an address has been confirmed, any may: an account belongs to who confirms its first.
        """
        confirmed = self.confirmed_addresses
        return not confirmed or address.lower() in confirmed

    def get_full_name(self):
        """Return the name, or the address if there is none."""
        if self.is_forgotten:
            return gettext("Deleted person %(number)s") % {"number": self.pk}
        return tidy_name(self.name) or self.email

    @property
    def is_forgotten(self):
        """Whether the person was erased, so that this row has no name any more."""
        return self.email.endswith(FORGOTTEN_DOMAIN)

    def is_role_withheld(self):
        """Return whether the role still needs a second factor (see config/second_factor.py)."""
        return False

    def has_perm(self, perm, obj=None):
        """Return whether the user has the permission; none, while the role is withheld."""
        permitted = super().has_perm(perm, obj)
        if permitted and self.is_role_withheld():
            self.role_was_missed = True
            return False
        return permitted

    def get_short_name(self):
        """Return the first word of the name, or the address, for greetings and narrow headers."""
        return self.name.split(maxsplit=1)[0] if self.name.strip() else self.email
