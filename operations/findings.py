"""Checks of the site's parts, one function each. No finding contains a secret."""

import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from email.utils import parseaddr
from urllib.parse import urlsplit

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core.mail import mailers
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http.request import split_domain_port, validate_host
from django.utils import timezone
from redis import RedisError

from accounts.sealing import UnreadableSecret, unseal
from operations import pulse, tasks, visits
from outbox import vitals
from quizzes.delivery.services.stocking import stock_levels
from quizzes.marking.vitals import count_needing_attention, waiting_submissions
from quizzes.written.loading import unreadable_versions

# Marking takes seconds, so a submission that waits for a minute means that something is broken.
MAX_WAIT = timedelta(minutes=1)
# How full the stock has to be; a burst of starts empties it, and workers fill it up again.
LOW_STOCK = 0.25
MAIL_SERVER_SECONDS = 3
MIN_DISK_BYTES = 1024**3
# Codes of second factors change every half minute, and deadlines are kept to the second.
MAX_CLOCK_OFFSET = 5
SECONDS_FOR_A_WORKER = 15
# So many problems are named in one finding.
MAX_NAMED = 5
SECONDS_FOR_BEAT = 2 * pulse.SECONDS


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Args:
        summary: the state of the part, in a sentence for the site's operator.
        advice: what to do about it; empty where all is well.
        numbers: measured values.
    """

    summary: str
    advice: str = ""
    numbers: dict[str, float] = field(default_factory=dict)

    @property
    def is_ok(self) -> bool:
        return not self.advice


def database() -> Finding:
    try:
        read_only = _is_read_only()
    except DatabaseError:
        advice = "Start the database, and check the host, name and password in DATABASE_URL."
        return Finding("The database isn't responding.", advice, {"up": False})
    if read_only:
        message = "The database is read-only, so no answers are saved."
        advice = (
            "Make it writable: DATABASE_URL may name a standby, or default_transaction_read_only"
            " may be on. For SQLite, check the rights of the file and its folder."
        )
        return Finding(message, advice, {"up": True})
    return Finding("The database is responding.", "", {"up": True})


def _is_read_only() -> bool:
    """Return whether the database refuses writes. One that is locked for a moment does not.

    Raises:
        DatabaseError: it does not answer at all.
    """
    postgresql = connection.vendor != "sqlite"
    with connection.cursor() as cursor:
        cursor.execute("SHOW transaction_read_only" if postgresql else "SELECT 1")
        [answer] = cursor.fetchone()
    if postgresql:
        return answer == "on"
    # SQLite reports it only to a write. This one changes no row, waits for no lock, and bypasses
    # the wrappers, which would count a lock as an error.
    execute = connection.connection.execute
    [patience] = execute("PRAGMA busy_timeout").fetchone()
    execute("PRAGMA busy_timeout = 0")
    try:
        execute("UPDATE django_migrations SET app = app WHERE 0")
    except sqlite3.OperationalError as error:
        return "readonly" in str(error)
    finally:
        execute(f"PRAGMA busy_timeout = {patience}")
    return False


def migrations() -> Finding:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        message = f"Migrations still to be applied: {len(missing)}."
        return Finding(message, "Run: manage.py migrate")
    return Finding("The database is up to date.")


def broker() -> Finding:
    try:
        with pulse.broker() as client:
            client.ping()
    except (RedisError, OSError, ValueError):
        advice = "Start Redis, and check the host and password in REDIS_URL. No answers get lost."
        return Finding("The broker isn't responding.", advice)
    return Finding("The broker is responding.")


def worker() -> Finding:
    """Check that workers take beat's messages from the broker."""
    found, count = pulse.last_pulse(pulse.BEAT), pulse.waiting_messages()
    numbers = {"seconds": round(found.seconds, 1)} if found else {}
    if count and _is_late(found):
        message = f"Workers aren't keeping up. Messages waiting: {count}."
        advice = "Start workers, or more of them, and check that they can reach the broker."
        return Finding(message, advice, numbers)
    return Finding("No message has waited long for a worker.", "", numbers)


def beat() -> Finding:
    """Check that beat's messages come back. This means little unless workers take messages."""
    if _is_late(pulse.last_pulse(pulse.BEAT)):
        advice = "Start beat. One is enough. Without it, lost messages aren't recovered."
        return Finding("No message from beat has come back recently.", advice)
    return Finding("Beat is sending its messages.")


def await_beat() -> Finding:
    """Wait for a message from beat, since workers that have just started have had none yet."""
    until = time.monotonic() + SECONDS_FOR_BEAT
    while not (found := beat()).is_ok and time.monotonic() < until:
        time.sleep(0.1)
    return found


def _is_late(found: pulse.Pulse | None) -> bool:
    return found is None or found.seconds > pulse.STALE


def probe_worker() -> Finding:
    """Send a message and wait until a worker has handled it."""
    advice = "Start a worker, and check that it can reach the same broker."
    began = time.monotonic()
    try:
        tasks.answer_doctor.delay()
        while (waited := time.monotonic() - began) < SECONDS_FOR_A_WORKER:
            found = pulse.last_pulse(pulse.DOCTOR)
            # An answer to an earlier message does not count: that worker may have died since.
            if found and found.seconds < waited:
                return _responded(waited - found.seconds)
            time.sleep(0.1)
    except Exception:
        return Finding("Messages can't be sent to workers.", advice)
    return Finding(f"No worker responded within {SECONDS_FOR_A_WORKER} s.", advice)


def _responded(seconds: float) -> Finding:
    if seconds > pulse.SECONDS:  # messages from beat have expired by then
        advice = "Start more workers, or see in the log what they are busy with."
        return Finding(f"A worker took {seconds:.0f} s to respond.", advice)
    return Finding("A worker is responding.")


def clock() -> Finding:
    """Compare this machine's clock with the database's, the broker's and a worker's.

    The worker is the one that had beat's last message.
    """
    ahead = dict(_seconds_ahead())
    numbers = {"seconds": round(max(map(abs, ahead.values()), default=0.0), 1)}
    off = [
        f"{whose} is {abs(seconds):.0f} s {'ahead' if seconds > 0 else 'behind'}"
        for whose, seconds in ahead.items()
        if abs(seconds) > MAX_CLOCK_OFFSET
    ]
    if off:
        message = f"Clocks differ. Compared with this machine's, {' and '.join(off)}."
        advice = "Have every machine set its clock by NTP. To compare them, run on each: date -u"
        return Finding(message, advice, numbers)
    return Finding("All clocks agree with this machine's.", "", numbers)


def _seconds_ahead() -> Iterator[tuple[str, float]]:
    """Yield how many seconds each of the others' clocks is ahead of this machine's."""
    if connection.vendor == "postgresql":
        yield "the database's", _ahead(_database_time)
    with suppress(RedisError, OSError, ValueError):
        yield "the broker's", _ahead(_broker_time)
        if found := pulse.last_pulse(pulse.BEAT):
            yield "a worker's", found.written + found.seconds - time.time()


def _ahead(their_time: Callable[[], float]) -> float:
    asked = time.time()
    theirs = their_time()
    return theirs - (asked + time.time()) / 2


def _database_time() -> float:
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())::float")
        return cursor.fetchone()[0]


def _broker_time() -> float:
    with pulse.broker() as client:
        seconds, microseconds = client.time()
    return seconds + microseconds / 1e6


def queue() -> Finding:
    count, oldest = waiting_submissions()
    seconds = (timezone.now() - oldest).total_seconds() if oldest else 0.0
    numbers = {"waiting": count, "oldest_seconds": round(seconds, 1)}
    if seconds > MAX_WAIT.total_seconds():
        message = f"Submissions waiting to be marked: {count}, the oldest for {seconds:.0f} s."
        return Finding(message, "Start workers, or more of them.", numbers)
    return Finding(f"Submissions waiting to be marked: {count}, none for long.", "", numbers)


def attention() -> Finding:
    count = count_needing_attention()
    numbers = {"count": count}
    if count:
        advice = "Read the errors in the admin, under Submissions, and mark them again there."
        return Finding(f"Submissions that couldn't be marked: {count}.", advice, numbers)
    return Finding("No submissions need attention.", "", numbers)


def problems() -> Finding:
    """Check that all published problems can be read: a release may read formulas otherwise."""
    unread = [f"{key} (version {version})" for key, version in unreadable_versions()]
    if unread:
        more = f" and {len(unread) - MAX_NAMED} more" if len(unread) > MAX_NAMED else ""
        message = f"Problems that this release can't read: {', '.join(unread[:MAX_NAMED])}{more}."
        advice = (
            "Go back to the release that read them: answers to them wait. Or have their authors"
            " publish new versions, under Problems in the admin, and put these into their quizzes."
        )
        return Finding(message, advice)
    return Finding("All published problems can be read.")


def letters() -> Finding:
    failed, overdue = vitals.count_failed(), vitals.count_overdue()
    numbers = {"failed": failed, "overdue": overdue}
    if failed:
        message = f"Messages that couldn't be sent: {failed}."
        advice = "Read the errors in the admin, under Messages, and retry or drop them there."
        return Finding(message, advice, numbers)
    if overdue:
        message = f"Messages that should have been sent by now: {overdue}."
        advice = "Check that the server at SOFTMARK_EMAIL_URL responds, and that workers run."
        return Finding(message, advice, numbers)
    return Finding("No messages are overdue.", "", numbers)


def stock() -> Finding:
    ready, wanted = stock_levels()
    numbers = {"ready": ready, "wanted": wanted}
    message = f"{ready} of {wanted} variants are ready for quizzes."
    low = "Let workers and beat run for a while. They'll draw the rest."
    return Finding(message, low if ready < wanted * LOW_STOCK else "", numbers)


def secrets() -> Finding:
    if settings.DEBUG:
        advice = "Set SOFTMARK_DEBUG=0, unless this is a developer's machine."
        return Finding("Debugging is on, so error pages show the settings.", advice)
    if len(settings.SECRET_KEY) < 50 or settings.SECRET_KEY.startswith("for development"):
        advice = 'Set SOFTMARK_SECRET_KEY to the output of "openssl rand -hex 32".'
        return Finding("The secret key is short.", advice)
    if settings.SOFTMARK_DEMO:
        advice = "Set SOFTMARK_DEMO=0, unless nobody else can reach this machine."
        return Finding("The login page shows the demo's passwords.", advice)
    return Finding("Debugging is off, and the secret key is long.")


def static_files() -> Finding:
    if settings.DEBUG or (settings.STATIC_ROOT / "staticfiles.json").exists():
        return Finding("Styles and scripts are in place.")
    advice = "Run: manage.py collectstatic --noinput, then restart the web servers."
    message = f"Styles and scripts are missing in {settings.STATIC_ROOT}, so no page can be shown."
    return Finding(message, advice)


def hosts() -> Finding:
    name, _ = split_domain_port(urlsplit(settings.SITE_URL).netloc)
    if not (settings.DEBUG or (name and validate_host(name, settings.ALLOWED_HOSTS))):
        message = f"Emails link to {settings.SITE_URL}, but the site refuses that name."
        return Finding(message, "Add the name to SOFTMARK_ALLOWED_HOSTS, or correct SOFTMARK_URL.")
    if refused := visits.refused_host():
        message = f"Visitors ask for {refused}, which the site refuses. Almost nobody gets in."
        return Finding(message, "If that is your site, add the name to SOFTMARK_ALLOWED_HOSTS.")
    return Finding(f"The site answers to {name}.")


def sealed() -> Finding:
    """Check that the first and the last sealed secret can be opened with the current keys.

    The key may have been changed since the first one, or changed back.
    """
    factors = Authenticator.objects.filter(type=Authenticator.Type.TOTP).order_by("pk")
    for factor in filter(None, (factors.first(), factors.last())):
        try:
            unseal(factor.data["secret"])
        except UnreadableSecret:
            message = "SOFTMARK_SECRET_KEY has changed, so second factors can't be opened."
            advice = (
                "Put the former key into SOFTMARK_OLD_SECRET_KEYS, restart, and run:"
                " manage.py second_factors seal"
            )
            return Finding(message, advice)
    return Finding("The secret key opens all second factors that were checked.")


def disk() -> Finding:
    folder = settings.DATA if settings.DATA.exists() else settings.BASE_DIR
    free = shutil.disk_usage(folder).free
    message = f"{free / 1024**3:.1f} GB free for {folder}."
    advice = (
        "Free some space. Answers can't be saved on a full disk." if free < MIN_DISK_BYTES else ""
    )
    return Finding(message, advice, {"free_bytes": free})


def mail() -> Finding:
    if "OPTIONS" not in settings.MAILERS["default"]:
        advice = "Set SOFTMARK_EMAIL_URL, so that people can confirm addresses and reset passwords."
        return Finding("Emails aren't sent, but printed to the console.", advice)
    if settings.DEFAULT_FROM_EMAIL.rstrip(">").endswith("@localhost"):
        advice = "Set SOFTMARK_EMAIL_FROM to one of your own addresses."
        return Finding("Emails come from localhost, which mail servers refuse.", advice)
    return Finding(f"Emails are sent from {settings.DEFAULT_FROM_EMAIL}.")


def mail_server() -> Finding:
    """Check that the mail server accepts our sender. No mail is sent."""
    if "OPTIONS" not in settings.MAILERS["default"]:
        return Finding("No mail server is set.")
    if trouble := _mail_trouble():
        advice = "Check SOFTMARK_EMAIL_URL and _FROM, and try: manage.py sendtestemail"
        return Finding(f"The mail server doesn't accept our emails: {trouble}.", advice)
    return Finding("The mail server accepts our emails.")


def _mail_trouble() -> str:
    """Return why the mail server does not accept our sender, or an empty string."""
    mailer = mailers.create_connection("default")
    mailer.timeout = MAIL_SERVER_SECONDS
    try:
        mailer.open()
        mailer.connection.ehlo_or_helo_if_needed()
        code, _ = mailer.connection.mail(parseaddr(settings.DEFAULT_FROM_EMAIL)[1])
        return "" if code == 250 else f"it answers {code} to our sender"
    except OSError as error:
        return type(error).__name__
    finally:
        mailer.close()
