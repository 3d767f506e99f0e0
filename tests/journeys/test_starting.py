"""A start for which numbers are lacking."""

from playwright.sync_api import Page, expect

from tests.conftest import Site

# No worker draws for it, and fifteen of the slowest kind take longer than one request may draw.
SLOW_QUIZ = """
from quizzes.models import Quiz
quiz = Quiz.objects.create(slug="slow", title="A slow quiz", published=False)
for position in range(1, 16):
    quiz.slots.create(position=position, family="multi_head")
Quiz.objects.filter(pk=quiz.pk).update(published=True)
"""


def test_a_page_says_that_numbers_are_drawn_and_the_attempt_begins_by_itself(
    site: Site, student: Page
):
    site.manage("shell", "--no-imports", "-c", SLOW_QUIZ)
    seen = []
    student.on("load", lambda page: seen.append(page.locator("h1").text_content()))
    student.goto("/quizzes/slow/")
    student.get_by_role("button", name="Start the quiz").click()
    student.wait_for_url("**/attempts/*/")
    expect(student.locator("[data-item]")).to_have_count(15)
    assert "Your numbers are being drawn" in seen
    site.manage(
        "shell",
        "--no-imports",
        "-c",
        "from quizzes.models import Quiz; Quiz.objects.filter(slug='slow').update(published=False)",
    )
