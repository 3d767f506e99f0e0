"""The catalogue, and the page of a lesson."""

from difflib import get_close_matches

from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from lessons.models import Lesson, Section
from lessons.pages import lesson_page


def catalogue(request: HttpRequest) -> HttpResponse:
    """All lessons, as a table of contents."""
    lessons = _visible_to(request).prefetch_related("quizzes__slots")
    return render(request, "lessons/catalogue.html", {"lessons": lessons})


def lesson(request: HttpRequest, slug: str) -> HttpResponse:
    """One lesson; a page that helps to find one where there is none of this name."""
    lessons = list(_visible_to(request).defer(*Lesson.PARTS))
    place = next((i for i, each in enumerate(lessons) if each.slug == slug), None)
    if place is None:
        return _not_found(request, slug, lessons)
    shown = Lesson.objects.prefetch_related(
        "words", "quizzes__slots", Prefetch("sections", Section.objects.order_by("order", "pk"))
    ).get(pk=lessons[place].pk)
    context = {
        "page": lesson_page(shown),
        "previous": lessons[place - 1] if place else None,
        "next": lessons[place + 1] if place + 1 < len(lessons) else None,
    }
    return render(request, "lessons/lesson.html", context)


def _visible_to(request: HttpRequest) -> QuerySet[Lesson]:
    """What is published; its authors see drafts too."""
    if request.user.has_perm("lessons.change_lesson"):
        return Lesson.objects.all()
    return Lesson.objects.filter(published=True)


def _not_found(request: HttpRequest, slug: str, lessons: list[Lesson]) -> HttpResponse:
    by_slug = {each.slug: each for each in lessons}
    meant = [by_slug[near] for near in get_close_matches(slug, by_slug, n=1)]
    context = {"slug": slug, "meant": meant, "lessons": lessons}
    return render(request, "lessons/not_found.html", context, status=404)
