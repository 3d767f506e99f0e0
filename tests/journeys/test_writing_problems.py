"""An instructor in a browser writes a problem, from an example to the published version."""

import re

from playwright.sync_api import Page, expect

from tests.sites import Site

from .conftest import complaints_about, log_in

NEW_INSTRUCTOR = """
from uuid import uuid4
from accounts.roles import make_instructor
from django.contrib.auth import get_user_model
from django.test import Client
client = Client()
email = f"instructor-{uuid4().hex[:12]}@example.org"
user = get_user_model().objects.create_user(email, name="Ines")
make_instructor(user)
client.force_login(user)
print(client.cookies["sessionid"].value)
"""


def test_a_new_instructor_writes_and_publishes_a_problem(page: Page, site: Site):
    log_in(page, site, site.run(NEW_INSTRUCTOR).strip())
    page.goto("/admin/quizzes/writtenproblem/add/")
    assert complaints_about(page, "#content") == []
    page.get_by_role("button", name="Mean and z-scores").click()
    text = page.get_by_label("Text", exact=True)
    variant = page.frame_locator("iframe[title='The variant and its solution']")
    expect(variant.get_by_text("Standardise these 5 measurements.")).to_be_visible()

    # A broken line is named with its number, and mended; no page is loaded meanwhile.
    sound = text.input_value()
    text.fill(sound.replace("mean(x)", "avg(x)", 1))
    text.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Line 8. There’s no function avg")
    expect(page.locator(".pw-faulty")).to_have_text("8")
    text.fill(sound)
    page.get_by_role("button", name="Show a variant").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("button", name="Show another variant").click()
    expect(page.get_by_role("heading", name="Variant 2, as a student sees it")).to_be_visible()

    # Other words for a mistake become a line of the text.
    mistake = page.locator(".pw-mistakes > li").filter(has_text="by_range")
    mistake.get_by_text("Reword").click()
    mistake.get_by_role("textbox").fill("The range is no standard deviation.")
    page.get_by_role("button", name="Apply to the text").click()
    expect(text).to_have_value(re.compile("reword by_range: The range is no standard deviation[.]"))

    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("The draft is saved, and is being proven.")).to_be_visible()
    assert complaints_about(page, "#content") == []
    page.get_by_role("button", name="Prove and publish").click()
    expect(page.get_by_role("button", name="Write the next version")).to_be_visible()
    expect(page.get_by_text("Published", exact=True)).to_be_visible()
    assert complaints_about(page, "#content") == []
