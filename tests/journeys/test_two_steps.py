"""Two-step login: an app's codes, and passkeys of a real browser with a virtual key."""

import time
from collections.abc import Iterator

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.sites import Site

from .conftest import PASSWORD, complaints_about, follow_link, sign_up

TWO_STEPS = "/accounts/two-steps/"


@pytest.fixture
def phone_page(browser: Browser, site: Site) -> Iterator[Page]:
    """A page on a phone that opens the site by a host name: IP addresses cannot have passkeys."""
    context = browser.new_context(
        base_url=site.url.replace("127.0.0.1", "localhost"), viewport={"width": 320, "height": 640}
    )
    yield context.new_page()
    context.close()


@pytest.fixture
def complaints(phone_page: Page) -> list[str]:
    """The browser's console messages and errors, above all about a violated policy."""
    complaints: list[str] = []
    phone_page.on("console", lambda message: complaints.append(message.text))
    phone_page.on("pageerror", lambda error: complaints.append(str(error)))
    return complaints


def authenticator(page: Page) -> tuple[CDPSession, str]:
    """Give the browser a phone's virtual authenticator, which always confirms."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "automaticPresenceSimulation": True,
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
    }
    made = session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return session, made["authenticatorId"]


def check_look(page: Page) -> None:
    """Check on the narrowest phone that axe finds nothing and nothing overflows."""
    assert not complaints_about(page), page.url
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url


def give_password(page: Page) -> None:
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()


def log_out(page: Page) -> None:
    page.locator(".site-user").click()
    page.get_by_role("banner").get_by_role("button", name="Log out").click()
    page.wait_for_url("/")


def log_in(page: Page, email: str) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Email address").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()


def app_code(secret: str) -> str:
    """Return the app's code. Just before it changes, wait for the next one."""
    if time.time() % 30 > 22:
        time.sleep(30 - time.time() % 30)
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def add_passkey(page: Page, name: str) -> None:
    page.goto(f"{TWO_STEPS}webauthn/add/")
    if "reauthenticate" in page.url:
        give_password(page)
    page.get_by_label("Passkey name").fill(name)
    check_look(page)
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()


@pytest.mark.slow
def test_an_app_its_codes_and_the_recovery_codes(phone_page: Page, complaints: list[str]) -> None:
    email = sign_up(phone_page)
    phone_page.get_by_role("button", name="Sam").click()
    follow_link(phone_page.get_by_role("link", name="Account"))
    follow_link(phone_page.get_by_role("link", name="Two-step login"))
    check_look(phone_page)
    follow_link(phone_page.get_by_role("link", name="Set up an app"))
    give_password(phone_page)
    check_look(phone_page)
    secret = phone_page.locator(".secret-key").inner_text()
    phone_page.get_by_label("Code").fill("1")
    phone_page.get_by_role("button", name="Turn it on").click()
    expect(phone_page.get_by_role("alert")).to_contain_text("That code isn’t right.")
    assert phone_page.locator(".secret-key").inner_text() == secret
    check_look(phone_page)
    phone_page.get_by_label("Code").fill(app_code(secret))
    phone_page.get_by_role("button", name="Turn it on").click()
    expect(phone_page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    check_look(phone_page)
    recovery = phone_page.locator(".recovery-codes code").all_inner_texts()
    for page in ("", "recovery-codes/generate/", "totp/deactivate/"):
        phone_page.goto(TWO_STEPS + page)
        check_look(phone_page)
    log_out(phone_page)

    log_in(phone_page, email)
    expect(phone_page.get_by_role("heading", name="Second step")).to_be_visible()
    expect(phone_page.get_by_role("button", name="Use a passkey")).to_have_count(0)
    check_look(phone_page)
    phone_page.get_by_label("Code").fill(recovery[0])
    phone_page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
    phone_page.wait_for_url("/learning/")
    phone_page.goto(f"{TWO_STEPS}totp/deactivate/")
    expect(phone_page.get_by_role("heading", name="Confirm it’s you")).to_be_visible()
    check_look(phone_page)
    phone_page.get_by_label("Code").fill(app_code(secret))
    phone_page.get_by_role("button", name="Continue").click()
    phone_page.get_by_role("button", name="Turn it off").click()
    expect(phone_page.get_by_text("The authenticator app has been turned off.")).to_be_visible()
    assert not complaints


def test_a_passkey_is_added_logs_in_alone_and_is_removed(
    phone_page: Page, complaints: list[str]
) -> None:
    authenticator(phone_page)
    sign_up(phone_page)
    add_passkey(phone_page, "Sam's phone")
    log_out(phone_page)

    phone_page.goto("/accounts/login/?next=/practice/")
    check_look(phone_page)
    phone_page.get_by_role("button", name="Log in with a passkey").click()
    phone_page.wait_for_url("/practice/")

    phone_page.goto(f"{TWO_STEPS}webauthn/")
    expect(phone_page.get_by_text("works without a password")).to_be_visible()
    check_look(phone_page)
    follow_link(phone_page.get_by_role("link", name="Rename Sam"))
    check_look(phone_page)
    phone_page.get_by_role("button", name="Use a passkey").click()
    phone_page.wait_for_url("**/edit/")
    check_look(phone_page)
    phone_page.get_by_label("Passkey name").fill("Old phone")
    phone_page.get_by_role("button", name="Save").click()
    follow_link(phone_page.get_by_role("link", name="Remove Old phone …"))
    check_look(phone_page)
    phone_page.get_by_role("button", name="Remove passkey").click()
    expect(phone_page.get_by_text("You have none.")).to_be_visible()
    assert not complaints


def test_a_passkey_is_the_second_step_after_a_password_and_lets_its_owner_in(
    phone_page: Page, complaints: list[str]
) -> None:
    session, key = authenticator(phone_page)
    email = sign_up(phone_page)
    add_passkey(phone_page, "Key")
    log_out(phone_page)
    log_in(phone_page, email)
    expect(phone_page.get_by_role("heading", name="Second step")).to_be_visible()
    check_look(phone_page)
    phone_page.get_by_role("button", name="Use a passkey").click()
    phone_page.wait_for_url("/learning/")
    expect(phone_page.get_by_role("banner").get_by_role("button", name="Sam")).to_be_visible()
    log_out(phone_page)

    log_in(phone_page, email)
    session.send("WebAuthn.setUserVerified", {"authenticatorId": key, "isUserVerified": False})
    session.send("WebAuthn.clearCredentials", {"authenticatorId": key})
    phone_page.get_by_role("button", name="Use a passkey").click()
    expect(phone_page.get_by_role("alert")).to_contain_text("Try again")
    check_look(phone_page)
    assert not complaints


def test_an_address_that_can_have_no_passkeys_says_so(page: Page) -> None:
    sign_up(page)
    page.goto(f"{TWO_STEPS}webauthn/add/")
    give_password(page)

    page.get_by_role("button", name="Add a passkey").click()

    expect(page.get_by_role("alert")).to_contain_text("over HTTPS, or as localhost")


@pytest.mark.slow
def test_without_scripts_codes_work_and_the_page_says_what_passkeys_need(
    browser: Browser, site: Site
) -> None:
    with browser.new_context(base_url=site.url, java_script_enabled=False) as context:
        page = context.new_page()
        email = sign_up(page)
        page.goto(f"{TWO_STEPS}webauthn/add/")
        give_password(page)
        expect(page.get_by_text("Passkeys need JavaScript")).to_be_visible()
        expect(page.get_by_role("button", name="Add a passkey")).to_be_hidden()
        page.goto(f"{TWO_STEPS}totp/activate/")
        secret = page.locator(".secret-key").inner_text()
        page.get_by_label("Code").fill(app_code(secret))
        page.get_by_role("button", name="Turn it on").click()
        log_out(page)
        log_in(page, email)
        page.get_by_label("Code").fill(app_code(secret))
        page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
        page.wait_for_url("/learning/")
