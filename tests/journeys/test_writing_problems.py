"""An instructor in a browser writes a problem, publishes it, asks it in a quiz and corrects it."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attention_core.maths.softmax import softmax
from tests.attention_core.formula_language.largest import FULLEST
from tests.sites import Site

from .conftest import complaints_about, log_in, open_summary, question_at, wait_until_saved
from .solving import givens
from .test_classes import somebody  # noqa: F401 - fixture
from .test_regrades import apply_it

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
    text = page.get_by_label("Text", exact=True)
    file = {"name": "sums.txt", "mimeType": "text/plain", "buffer": b"title: Sums\n"}
    page.get_by_label("or a .txt file").set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    expect(text).to_have_value("title: Sums\n")
    example = page.get_by_role("button", name="Mean and z-scores")
    expect(example).to_be_hidden()
    text.fill("")
    example.click()
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

    # Other words for a mistake become a line of the text, though it had a fault meanwhile.
    mistake = page.locator(".pw-mistakes > li").filter(has_text="by_range")
    mistake.get_by_text("Reword").click()
    mistake.get_by_role("textbox").fill("The range is no standard deviation.")
    text.fill(sound.replace("mean(x)", "avg(x)", 1))
    text.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("There’s no function avg")
    text.fill(sound)
    mistake.get_by_role("button", name="Apply to the text").click()
    expect(page.get_by_role("status").filter(has_text="The text has been changed.")).to_be_visible()
    expect(mistake.locator("summary")).to_be_focused()
    expect(text).to_have_value(re.compile("reword by_range: The range is no standard deviation[.]"))

    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("The draft is saved, and is being proven.")).to_be_visible()
    assert complaints_about(page, "#content") == []
    page.get_by_role("button", name="Prove and publish").click()
    expect(page.get_by_role("button", name="Write the next version")).to_be_visible()
    expect(page.get_by_text("Published", exact=True)).to_be_visible()
    assert complaints_about(page, "#content") == []


# Posts the text as ten tabs would, all at once, and returns what the site answers.
IN_TEN_TABS = """async () => {
  const builder = document.querySelector("[data-builder]");
  const form = builder.querySelector("textarea").form;
  const ask = () =>
    fetch(builder.dataset.variantUrl, { method: "POST", body: new FormData(form) });
  const answers = await Promise.all(Array.from({ length: 10 }, ask));
  return Promise.all(answers.map(async (each) => [each.status, await each.text()]));
}"""


def test_the_largest_text_in_ten_tabs_is_answered_in_each(page: Page, site: Site):
    log_in(page, site, site.run(NEW_INSTRUCTOR).strip())
    page.goto("/admin/quizzes/writtenproblem/add/")
    page.get_by_label("Text", exact=True).fill(FULLEST["large arrays"])
    answers = page.evaluate(IN_TEN_TABS)
    assert [status for status, _ in answers] == [200] * 10
    assert all("Mistakes that are recognised" in html for _, html in answers)


UNSCALED, SCALED = "scores = Q @ K.T", "scores = Q @ K.T / sqrt(d_k)"


def publish(page: Page) -> None:
    page.get_by_role("button", name="Prove and publish").click()
    expect(page.get_by_role("button", name="Write the next version")).to_be_visible(timeout=60_000)


def ask_in_a_copy_of_the_first_quiz(page: Page, problem: str) -> str:
    """Publish a copy of the quiz that asks the problem last, at two words. Return its address."""
    page.goto("/admin/quizzes/quiz/")
    page.get_by_role("link", name="Attention foundations, by hand").first.click()
    page.get_by_role("link", name="Duplicate").click()
    page.get_by_role("button", name="Duplicate quiz").click()
    page.get_by_label("Title*", exact=True).fill("A quiz of our own")
    page.get_by_role("button", name="what slot 15 asks").click()
    page.get_by_role("combobox", name="Search families").fill(problem)
    page.get_by_role("option", name=problem).click()
    page.get_by_role("button", name="Select", exact=True).click()
    page.locator("[name='slots-14-size-tokens']").select_option("2")
    page.get_by_role("combobox", name="Lesson").select_option("")  # whose page others read
    page.get_by_label("Minutes*", exact=True).fill("30")
    page.get_by_role("checkbox", name="Published").check()
    page.get_by_role("button", name="Save and continue editing").click()
    slug = page.get_by_label("Slug*", exact=True).input_value()
    return f"/quizzes/{slug}/"


@pytest.mark.slow
def test_a_problem_is_corrected_for_students_who_were_asked_it(
    page: Page,
    site: Site,
    somebody: Callable[[], Page],  # noqa: F811
    staff_sessions: dict[str, str],
    sessions,
):
    log_in(page, site, staff_sessions["instructor"])
    page.goto("/admin/quizzes/writtenproblem/add/")
    page.get_by_role("button", name="Attention in three steps").click()
    text = page.get_by_label("Text", exact=True)
    expect(text).to_have_value(re.compile("scores = Q"))
    title = "Attention, unscaled by a slip"
    slipped = text.input_value().replace(SCALED, UNSCALED)
    text.fill(slipped.replace("Attention in three steps", title))
    publish(page)
    problem = page.url
    quiz = ask_in_a_copy_of_the_first_quiz(page, title)

    # The student scales, which the problem doesn't: its scores are wrong, what follows is right.
    student = somebody()
    log_in(student, site, next(sessions))
    student.goto(quiz)
    student.get_by_role("button", name="Start the quiz").click()
    item = question_at(student, "[data-item='15']")
    g = givens(item)
    scores = g["Q"] @ g["K"].T / np.sqrt(2)
    answers = {"scores": scores, "weights": softmax(scores), "output": softmax(scores) @ g["V"]}
    for step, array in answers.items():
        for (row, column), value in np.ndenumerate(array):
            item.locator(f"[name=item-15-{step}-{row}-{column}]").fill(f"{value:.3f}")
    wait_until_saved(student)
    open_summary(student)
    student.get_by_role("button", name="Submit").click()
    expect(student.get_by_role("heading", level=1)).to_contain_text("points", timeout=30_000)
    marked = student.locator("section#item-15")
    expect(marked.get_by_text("Right, given your own earlier step.")).to_have_count(2)
    before = student.get_by_role("heading", level=1).inner_text()

    page.goto(problem)
    page.get_by_role("button", name="Write the next version").click()
    text.fill(text.input_value().replace(UNSCALED, SCALED))
    publish(page)
    page.goto("/rulings/new/?search=slip")
    page.get_by_role("main").get_by_role("link", name=title, exact=True).click()
    page.get_by_role("link", name="Mark again").click()
    page.get_by_label("Version of the problem").select_option("2")
    page.get_by_label("Reason").fill("The problem forgot to scale.")
    page.get_by_role("button", name="Continue …").click()
    expect(page.get_by_text("No mark has changed yet.")).to_be_visible()
    apply_it(page)
    student.reload()
    expect(marked).to_have_attribute("data-verdict", "right")
    expect(marked.locator(".remarks")).to_contain_text("The problem forgot to scale.")
    expect(student.get_by_role("heading", level=1)).not_to_have_text(before)
