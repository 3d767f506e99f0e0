"""Questions reserved for exams: practice shows the others, an exam asks them all."""

from playwright.sync_api import Page, expect

from tests.sites import Site

EXAM = """
from quizzes.models import Choice, ConceptQuestion, Quiz, Topic
Topic.objects.create(key="kept", title="What is kept")
for name in ("open", "reserved"):
    question = ConceptQuestion.objects.create(
        key=f"kept-{name}", topic="kept", prompt=f"The {name} question?", published=True,
        explanation=f"Why the {name} one is so.", reserved=name == "reserved",
    )
    for order, key in enumerate("abcd"):
        Choice.objects.create(
            question=question, key=key, text=f"Answer {key}", correct=key == "a",
            feedback="Because.", order=order,
        )
exam = Quiz.objects.create(slug="kept", title="An exam on what is kept", published=True)
for position in (1, 2):
    exam.slots.create(position=position, topic="kept")
"""


def test_practice_asks_what_is_open_and_an_exam_what_is_reserved_too(
    site: Site, student_page: Page
):
    site.run(EXAM)
    main = student_page.get_by_role("main")

    student_page.goto("/practice/topic/kept/")
    student_page.get_by_role("button", name="Start").click()
    for _ in range(2):
        expect(main).to_contain_text("The open question?")
        expect(main).not_to_contain_text("The reserved question?")
        student_page.get_by_role("button", name="another on this skill").click()

    student_page.goto("/quizzes/kept/")
    student_page.get_by_role("button", name="Start the quiz").click()
    student_page.wait_for_url("**/attempts/*/")
    for question in ("The open question?", "The reserved question?"):
        expect(student_page.locator("form")).to_contain_text([question])

    # While an exam asks it, practice does not show the open one either.
    student_page.goto("/practice/topic/kept/")
    student_page.get_by_role("button", name="Continue").click()
    expect(main).to_contain_text("This question is also in a quiz you’re taking")
    expect(student_page.get_by_role("button", name="Check")).to_be_disabled()
