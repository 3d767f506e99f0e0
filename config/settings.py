"""Settings, all of them, for both forms: only environment variables differ.

| variable | what it says | default |
|---|---|---|
| SOFTMARK_DEBUG | 1: a developer's machine | 0 |
| SOFTMARK_SECRET_KEY | signs sessions and tokens, seals second factors | required, unless DEBUG |
| SOFTMARK_OLD_SECRET_KEYS | former ones that are still accepted, separated by commas | none |
| SOFTMARK_STAFF_MFA | 1: who is staff or teaches needs a second factor | 1, unless DEBUG or DEMO |
| SOFTMARK_ALLOWED_HOSTS | names the site answers to, separated by commas | required, unless DEBUG |
| SOFTMARK_CSRF_ORIGINS | other origins that may post forms, with their scheme | none |
| SOFTMARK_URL | where people reach the site, for links in letters | https:// and the first of the \
names |
| SOFTMARK_HTTPS | 1: reached over HTTPS only | 1, unless DEBUG |
| SOFTMARK_HSTS_SECONDS | how long browsers insist on HTTPS, subdomains too | a year |
| SOFTMARK_PROXIES | reverse proxies in front whose headers are trusted | 1 with HTTPS, else 0 |
| DATABASE_URL | sqlite:////absolute/path or postgresql://one,two/name?pooler=transaction | \
required, unless DEBUG |
| REDIS_URL | the broker: redis://…, redis+socket:///path or sentinel://one,two/0 | \
required, unless DEBUG |
| SOFTMARK_DATABASE_SECONDS | seconds that a statement may take, except in manage.py | 5 |
| SOFTMARK_DATA | folder for collected files, uploads, and SQLite in DEBUG | .data |
| SOFTMARK_EMAIL_URL | smtp://… or smtps://… | mail is printed to the console |
| SOFTMARK_EMAIL_FROM | the sender of mail | Softmark <softmark@localhost> |
| SOFTMARK_DEMO | 1: the login page shows the demo accounts | 0 |
| SOFTMARK_SWEEP_SECONDS | seconds without a message after which a worker sweeps | 5 |
| SOFTMARK_KEEP_DRAFTS_DAYS | days after which a draft that was submitted is emptied; 0: never | 0 |
| SOFTMARK_KEEP_ATTEMPTS_DAYS | days after which an attempt is deleted, marks and all | 0 |
| SOFTMARK_KEEP_IDLE_DAYS | days after the last login until a name is deleted; at least 30 | 0 |
| SOFTMARK_METRICS_TOKEN | whoever sends it as a bearer token may read /metrics | none |
| SOFTMARK_METRICS_FROM | networks that may without a proxy between: 10.0.0.0/8 | none |
| SOFTMARK_HEARTBEAT | file that a worker or beat touches while it works | none |
"""

import logging
from pathlib import Path

from django.utils.csp import CSP

from config import environment
from design.admin_theme import UNFOLD  # noqa: F401 - the admin's face
from operations.logs import configure

BASE_DIR = Path(__file__).resolve().parent.parent
DATA = Path(environment.text("SOFTMARK_DATA", str(BASE_DIR / ".data"))).resolve()

DEBUG = environment.flag("SOFTMARK_DEBUG", default=False)
SOFTMARK_DEMO = environment.flag("SOFTMARK_DEMO", default=False)


def unless_debug(default: str) -> str | None:
    """Return a default on a developer's machine, else None, so that the start fails."""
    return default if DEBUG else None


if DEBUG:
    DATA.mkdir(parents=True, exist_ok=True)

# Host names, and HTTPS

SECRET_KEY = environment.text("SOFTMARK_SECRET_KEY", unless_debug("for development only"))
SECRET_KEY_FALLBACKS = environment.words("SOFTMARK_OLD_SECRET_KEYS", "")
ALLOWED_HOSTS = environment.words(
    "SOFTMARK_ALLOWED_HOSTS", unless_debug("localhost,127.0.0.1,[::1]")
)
CSRF_TRUSTED_ORIGINS = environment.words("SOFTMARK_CSRF_ORIGINS", "")
HTTPS = environment.flag("SOFTMARK_HTTPS", default=not DEBUG)
# gunicorn speaks plain HTTP, so HTTPS means that something in front of it ends the TLS.
PROXIES = environment.integer("SOFTMARK_PROXIES", default=int(HTTPS))
# A worker that writes an email has no request from which to take it.
SITE_URL = environment.text(
    "SOFTMARK_URL",
    f"{'https' if HTTPS else 'http'}://{(ALLOWED_HOSTS or ['localhost'])[0].lstrip('.')}",
).rstrip("/")

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

# Apps and middleware

INSTALLED_APPS = [
    "design",
    "audit",
    "outbox",
    "accounts",
    "sharing",
    "lessons",
    "quizzes",
    "classes",
    "demo",
    "api",
    "operations",
    # Not unfold's default configuration: it would put its own admin site in place of ours.
    "unfold.apps.BasicAppConfig",
    "unfold.contrib.filters",
    "simple_history",
    "config.apps.Admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.sitemaps",
    "django_structlog",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
]
MIDDLEWARE = [
    # First: a health check names no host that we know and speaks no TLS.
    "operations.health.HealthMiddleware",
    "operations.requests.RequestMetrics",
    "operations.requests.RequestLog",
    "config.headers.HeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "foundation.methods.MethodsMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.own_time.OwnTimeMiddleware",
    "config.body_limit.BodyLimitMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.second_factor.SecondFactorMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    },
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "APP_DIRS": True,
        "OPTIONS": {"environment": "design.fragments.environment"},
    },
]

# Databases, caches and files

DATABASES = {
    "default": environment.database(
        "DATABASE_URL",
        unless_debug(f"sqlite:///{DATA}/softmark.sqlite3"),
        # Below a worker's time limits, so that a slow database is not taken for a task that hangs.
        seconds=environment.integer("SOFTMARK_DATABASE_SECONDS", default=5),
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = environment.redis("REDIS_URL", unless_debug("redis://127.0.0.1:6379/0"))
# The number of verified variants kept ready for each question of an exam: one for each student who
# starts at the same time.
VARIANTS_IN_STOCK = environment.integer("SOFTMARK_STOCK", default=64, least=1)

# Limits on login attempts are counted in the cache, so all processes and machines must see
# the same one. It is a table and not Redis: the broker must never evict, and a cache must.
# `migrate` creates the table (config/apps.py).
CACHES = {
    "default": {
        "BACKEND": "config.cache.DatabaseCache",
        "LOCATION": "softmark_cache",
        # With Django's 300, a few hundred addresses would push each other's counts out.
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
    # For values that each process can compute for itself.
    "local": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
}

STATIC_URL = "static/"
STATIC_ROOT = DATA / "static"
# Uploaded images. A view serves them; no web server reads this folder.
MEDIA_ROOT = DATA / "media"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": (
            "django.contrib.staticfiles.storage.StaticFilesStorage"
            if DEBUG
            else "config.static_files.StaticFiles"
        )
    },
}
# Pages name the hashed files alone; compressing the others too would take twice as long.
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

# A lesson's Markdown fits many times over; a megabyte of answers is refused before it is read.
DATA_UPLOAD_MAX_MEMORY_SIZE = 512 * 1024

# How many days people's work is kept; 0 for ever. A task deletes older work each night.
KEEP_DRAFTS_DAYS = environment.integer("SOFTMARK_KEEP_DRAFTS_DAYS", default=0)
KEEP_ATTEMPTS_DAYS = environment.integer("SOFTMARK_KEEP_ATTEMPTS_DAYS", default=0)
KEEP_IDLE_DAYS = environment.integer("SOFTMARK_KEEP_IDLE_DAYS", default=0)

# Language and time

LANGUAGE_CODE = "en"
# Each further one has its catalogue in locale/ (`make messages`).
LANGUAGES = [("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
FORMAT_MODULE_PATH = "config.formats"
USE_I18N = True
USE_TZ = True

# Accounts: an email address is the login

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = [
    "accounts.hashers.Argon2",
    # Older ones are read, and hashed anew at the next login.
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
] + [{"NAME": "api.account.RevokeTokensValidator"}]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "quizzes:home"
LOGOUT_REDIRECT_URL = "lessons:catalogue"

MAILERS = {"default": environment.mailer("SOFTMARK_EMAIL_URL")}
DEFAULT_FROM_EMAIL = environment.text("SOFTMARK_EMAIL_FROM", "Softmark <softmark@localhost>")

ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "add_email": "accounts.forms.AddEmailForm",
    "change_password": "accounts.forms.ChangePasswordForm",
    "login": "accounts.forms.LoginForm",
    "reauthenticate": "accounts.forms.ReauthenticateForm",
    "reset_password": "accounts.forms.ResetPasswordForm",
    "reset_password_from_key": "accounts.forms.ResetPasswordKeyForm",
    "signup": "accounts.forms.SignupForm",
}
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
# A stolen session must not take the account: its password is asked for again before an address or
# a password changes, and the former address is notified.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
# A mailbox gives access to the account anyway; this also helps users whom others lock out.
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True
# A lecture hall behind one address may begin within a minute, and play; guessing is limited for
# each account (accounts/adapter.py says how), and nobody may keep the workers from marking.
ACCOUNT_RATE_LIMITS = {
    "signup": "200/m/ip,600/h/ip",
    "login": "400/m/ip",
    "login_failed": "100/m/ip,5/300s/key",
    "login_failed_for_account": "100/h/key",
    "confirm_address": "10/300s/key",
    "ask_for_sentence": "60/m/ip",
    "ask_machine": "300/m/ip",
    "try_question": "300/m/ip",
    "join_class": "20/300s/user",
    "open_join_link": "400/m/ip",
    "report_question": "60/600s/user",
    "start_attempt": "60/600s/user",
    "message_all": "20/600s/user",
    "make_certificate": "20/h/user",
    "fetch_calendar": "20/m/key",
    "miss_calendar": "60/m/ip",
    "make_token": "20/h/user",
    "use_api": "600/m/key",
    "miss_api": "60/m/ip",
}
# Only a site that can send mail may insist on an answer to it.
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if "OPTIONS" in MAILERS["default"] else "none"

# A second factor for everybody who wants one. Failed codes count like failed passwords, by account.
MFA_ADAPTER = "accounts.adapter.MFAAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
# Signing up with somebody else's address must not lock its owner out for good. Without mail nobody
# can confirm an address.
MFA_ALLOW_UNVERIFIED_EMAIL = ACCOUNT_EMAIL_VERIFICATION == "none"
# Asking for a challenge counts too, hence twice as many as there are logins by password.
MFA_RATE_LIMITS = {"webauthn_login": "800/m/ip"}
MFA_FORMS = {
    "activate_totp": "accounts.forms.ActivateTOTPForm",
    "authenticate": "accounts.forms.AuthenticateForm",
    "reauthenticate": "accounts.forms.ReauthenticateByCodeForm",
    "add_webauthn": "accounts.forms.AddPasskeyForm",
    "edit_webauthn": "accounts.forms.EditPasskeyForm",
    "authenticate_webauthn": "accounts.forms.AuthenticateByPasskeyForm",
    "reauthenticate_webauthn": "accounts.forms.ReauthenticateByPasskeyForm",
    "login_webauthn": "accounts.forms.LoginByPasskeyForm",
}
# People who see others' marks need one (config/second_factor.py); the demo's passwords are public.
STAFF_MFA = environment.flag("SOFTMARK_STAFF_MFA", default=not (DEBUG or SOFTMARK_DEMO))

# Limits a client address: without the right count every student of a campus behind our own
# proxy would share one limit, or a forged header would escape it.
ALLAUTH_TRUSTED_PROXY_COUNT = PROXIES

# Headers and cookies

SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

SESSION_ENGINE = "accounts.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = (
    environment.integer("SOFTMARK_HSTS_SECONDS", default=365 * 24 * 3600) if HTTPS else 0
)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
if PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# Logging

LOGGING = configure(plain=DEBUG)
# A request's id goes into the log and along with the wake-up of a worker; clients cannot choose it.
DJANGO_STRUCTLOG_CELERY_ENABLED = True
DJANGO_STRUCTLOG_CELERY_DEFAULT_LOG_LEVEL = DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL = logging.DEBUG
DJANGO_STRUCTLOG_STATUS_4XX_LOG_LEVEL = logging.INFO
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False

# Who may read /metrics: nobody, unless one of these is set.
METRICS_TOKEN = environment.text("SOFTMARK_METRICS_TOKEN", "")
METRICS_FROM = environment.networks("SOFTMARK_METRICS_FROM", "")
