"""The main path, end to end: sign up, read, take the quiz, submit, review mistakes."""

import re
import time

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attention_core.maths.softmax import softmax

from .conftest import open_summary, question_at, sign_up, wait_until_saved
from .solving import fill_in, givens, typed_answer


@pytest.mark.service
def test_a_newcomer_reads_takes_the_quiz_and_learns_of_a_mistake(
    page: Page, record_property
) -> None:
    sign_up(page)

    page.goto("/")
    page.get_by_role("link", name="Attention foundations").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Attention foundations")
    page.get_by_role("link", name="Take the quiz", exact=True).click()
    expect(page.get_by_text("15 questions · 23 min · 3 attempts left")).to_be_visible()
    page.get_by_role("button", name="Start the quiz").click()
    expect(page.locator("fieldset[data-item]")).to_have_count(15)

    fill_in(page)
    last = page.locator("fieldset[data-family=softmax_row]").last.get_attribute("data-item")
    spoiled = question_at(page, f"[data-item='{last}']")
    scores = givens(spoiled)["scores"]
    forgot_to_divide = np.exp(scores)
    assert not np.allclose(forgot_to_divide, softmax(scores))
    for cell, value in zip(spoiled.get_by_role("textbox").all(), forgot_to_divide, strict=True):
        cell.fill(f"{value:.3f}")

    unreadable = question_at(page, "[data-family=causal_attention]").get_by_role("textbox").last
    unreadable.fill("1.2.3")
    expect(unreadable).to_have_attribute("aria-invalid", "true")
    note = page.locator(f"#{unreadable.get_attribute('aria-describedby')}")
    expect(note).to_contain_text("This has two separators")
    wait_until_saved(page)

    open_summary(page)
    expect(page.get_by_text("14 of 15 questions are answered")).to_be_visible()
    expect(page.get_by_text("can’t be read", exact=True)).to_be_visible()
    began = time.monotonic()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", name="Mistakes worth knowing")).to_be_visible(timeout=20_000)
    took = time.monotonic() - began
    record_property("from the click to the diagnosis, in seconds", took)
    assert took < 10  # the goal is a second, but the tests' machine may be busy

    question = page.locator("section", has=page.locator("[data-mistake=unnormalised]"))
    expect(question).to_contain_text("divide each by their sum")
    expect(question).to_contain_text("Worked solution")
    for weight in softmax(scores):
        expect(question).to_contain_text(f"{weight:.3f}")
    causal = page.locator("section").filter(has_text="unreadable").last
    expect(causal).to_contain_text("This has two separators")
    expect(page.locator("section[data-kind=numeric][data-verdict=right]")).to_have_count(6)

    page.goto("/attempts/")
    expect(page.get_by_role("row").nth(1)).to_contain_text("marked")


def test_it_works_without_a_script(browser, site) -> None:
    context = browser.new_context(base_url=site.url, java_script_enabled=False)
    page = context.new_page()
    sign_up(page)
    page.goto("/quizzes/attention-foundations/")
    page.get_by_role("button", name="Start the quiz").click()

    # Without scripts the givens cannot be read off the page, so any numbers are typed.
    cosine = page.locator("fieldset[data-family=cosine]").get_by_role("textbox")
    cosine.fill("1,5,5")
    page.locator("fieldset[data-kind=choice]").get_by_role("radio").first.check()
    cosine.press("Enter")
    expect(page).to_have_url(page.url)
    question = page.locator("fieldset[data-family=cosine]")
    question.get_by_role("button", name="Save").click()
    expect(page).to_have_url(re.compile(f"#{question.get_attribute('id')}$"))
    expect(page.get_by_text("This has two separators")).to_be_visible()
    expect(page.locator("[data-palette][data-state=unreadable]")).to_have_count(1)
    page.locator("fieldset[data-family=cosine]").get_by_role("textbox").fill("0.5")

    open_summary(page)
    expect(page.get_by_text("2 of 15 questions are answered")).to_be_visible()
    page.get_by_role("button", name="Submit").click()
    # The waiting page reloads itself.
    expect(page.get_by_role("heading", level=1)).to_contain_text("points", timeout=20_000)
    context.close()


def test_the_keyboard_alone_completes_a_quiz(attempt_page: Page) -> None:
    page = attempt_page
    answers: dict[str, str] = {}
    for item in page.locator("fieldset[data-kind=numeric]").all():
        answers |= typed_answer(item)
    page.locator("#item-1 h2").focus()
    for _ in range(200):
        # Jumping to an anchor takes the browser a moment.
        page.wait_for_function("() => document.activeElement !== document.body")
        page.evaluate("() => new Promise(requestAnimationFrame)")
        name, kind, hidden = page.evaluate(
            """() => {
              const here = document.activeElement;
              const bar = document.querySelector(".bar");
              const { top, bottom } = here.getBoundingClientRect();
              const dock = document.querySelector(".dock:not(:focus-within)");
              const lowest = (dock ?? bar).getBoundingClientRect().bottom;
              const covered = !bar.contains(here) && top < lowest - 1;
              const name = here.name || Object.keys(here.dataset)[0] || here.outerHTML;
              const below = bottom > innerHeight;
              return [name, here.type ?? "", covered || below || !here.checkVisibility()];
            }"""
        )
        assert not hidden, f"{name} has the focus where it isn’t seen"
        if kind == "text":
            page.keyboard.type(answers[name])
            # Enter moves on as Tab does, and from the last cell to the next question.
            page.keyboard.press("Enter")
            continue
        if kind == "radio":
            page.keyboard.press("Space")
        if name == "review":
            break
        page.keyboard.press("Enter" if name == "next" else "Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/submit/?from=*")
    expect(page.get_by_text("15 of 15 questions are answered")).to_be_visible()
    submit = page.get_by_role("button", name="Submit")
    for _ in range(60):
        page.keyboard.press("Tab")
        if submit.evaluate("button => button === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("points", timeout=20_000)
    expect(page.locator("section[data-kind=numeric][data-verdict=right]")).to_have_count(8)
