"""Views: the catalogue, a lesson's page with reading progress, downloads, images and the search."""

from difflib import get_close_matches
from itertools import chain

from django.contrib.auth.views import redirect_to_login
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.csp import CSP
from django.views.decorators.cache import cache_control
from django.views.decorators.csp import csp_override

from design.fragments import render_page
from foundation.compression import compressed_page
from foundation.downloads import content_disposition
from foundation.filters import page_from_request
from foundation.methods import allow_methods, conditional_page
from lessons import extensions
from lessons.errors import ContentError
from lessons.models import Section
from lessons.pages import downloads, notebooks, search
from lessons.pages.page import lesson_page
from lessons.pages.queries import (
    first_lesson,
    image_for,
    lesson_with_content,
    lessons_listed_for,
    lessons_visible_to,
    may_write_lessons,
    next_step,
    progress_of,
    unknown_families,
    without_rights,
)
from lessons.pages.services import mark_as_read
from lessons.pages.thumbnails import thumbnail_of
from lessons.rendering import render_markdown

HITS_PER_PAGE = 10
# A visitor's first sentence: to continue with “are” the machine has to look past the box, at the
# keys.
FRONT_PAGE_SENTENCE = """```looking_back
sentence: the keys near the old box are
word: box
at: keys
```"""


@allow_methods("GET")
def lessons(request: HttpRequest) -> HttpResponse:
    """Redirect an address that people type to the list in the catalogue."""
    return redirect(f"{reverse('lessons:catalogue')}#lessons", permanent=True)


@allow_methods("GET")
@compressed_page
@conditional_page
@cache_control(private=True, no_cache=True)
def catalogue(request: HttpRequest) -> HttpResponse:
    """List all lessons.

    Visitors see an introduction above them, users their next step, and in each lesson their
    progress.
    """
    lessons = lessons_listed_for(request.user)
    cards = extensions.cards(request.user, lessons)
    known = request.user.is_authenticated
    progress = progress_of(request.user, lessons) if known else {}
    beside = extensions.progress(request.user, lessons) if known else {}
    passed = {pk for pk, results in beside.items() if any(each.passed for each in results)}
    for each in lessons:
        each.cards = cards.get(each.pk, [])
        each.progress, each.beside = progress.get(each.pk), beside.get(each.pk, [])
        each.figure = thumbnail_of(each)
    context = {
        "lessons": lessons,
        "known": known,
        "first": first_lesson(lessons),
        "next_step": next_step(lessons, progress, passed) if known else None,
        "references": extensions.references(),
    }
    if not known:
        context |= {"sentence": render_markdown(FRONT_PAGE_SENTENCE), "trials": extensions.trials()}
    return render_page(request, "lessons/catalogue.html", context)


# Cached by the reader's browser, which revalidates each time: without a login the page is the same
# for everybody, byte for byte.
@allow_methods("GET")
@compressed_page
@conditional_page
@cache_control(private=True, no_cache=True)
def lesson(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one lesson, or a page that helps to find one if the slug is unknown.

    With ?as=student authors see it, drafts too, as a student would.
    """
    as_student = request.GET.get("as") == "student" and may_write_lessons(request.user)
    if as_student:
        request.user = without_rights(request.user)
    lessons = lessons_listed_for(request.user, preview=slug if as_student else "")
    place = next((i for i, each in enumerate(lessons) if each.slug == slug), None)
    if place is None:
        return _not_found(request, slug)
    shown = lesson_with_content(lessons[place].pk)
    shown.published = shown.published or as_student
    known = request.user.is_authenticated
    sections = list(shown.sections.all())
    progress = progress_of(request.user, [shown])[shown.pk] if known else None
    exercises = extensions.exercises(sections, progress.rungs if progress else None)
    warm_up = extensions.warm_up(shown, is_known=known)
    context = {
        "page": lesson_page(shown),
        "lesson": shown,
        "practice": extensions.practice(sections),
        "exercises": exercises,
        "warm_up": warm_up,
        "assets": {
            name: None
            for exercise in chain(warm_up, *exercises.values())
            for name in exercise.assets
        },
        "unknown_families": unknown_families(sections) if may_write_lessons(request.user) else {},
        "cards": extensions.cards(request.user, [shown]).get(shown.pk, []),
        "progress": progress,
        "beside": extensions.progress(request.user, [shown]).get(shown.pk, []) if known else [],
        "references": extensions.references(),
        "as_student": as_student,
        "previous": lessons[place - 1] if place else None,
        "next": lessons[place + 1] if place + 1 < len(lessons) else None,
    }
    return render_page(request, "lessons/lesson.html", context)


@allow_methods("GET", "POST")
def read(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Mark a section as read, at a press of its button or when the page's script sees its end."""
    for_script = request.headers.get("Accept") == "application/json"
    if not request.user.is_authenticated:
        back = reverse("lessons:lesson", args=[slug])
        return HttpResponse(status=401) if for_script else redirect_to_login(back)
    visible = Section.objects.filter(lesson__in=lessons_visible_to(request.user))
    found = get_object_or_404(visible.select_related("lesson"), lesson__slug=slug, slug=section)
    if request.method == "POST":
        mark_as_read(student=request.user, section=found)
        if for_script:
            return HttpResponse(status=204)
    return redirect(f"{found.lesson.get_absolute_url()}#read-{found.pk}")


@allow_methods("GET")
def numbers(
    request: HttpRequest, slug: str, section: str, number: int, file_format: str
) -> HttpResponse:
    """Download the numbers of a widget."""
    visible = Section.objects.filter(lesson__in=lessons_visible_to(request.user))
    found = get_object_or_404(visible, lesson__slug=slug, slug=section)
    if file_format not in downloads.FORMATS:
        raise Http404
    try:
        blocks = downloads.downloadable_blocks(found, number)
    except ContentError:
        blocks = None  # the lesson's page shows the error
    if blocks is None:
        raise Http404
    name = f"{slug}-{section}-{number}.{file_format}"
    return HttpResponse(
        downloads.write_blocks(blocks, file_format),
        content_type=downloads.FORMATS[file_format],
        headers={"Content-Disposition": content_disposition(name)},
    )


@allow_methods("GET")
def notebook(request: HttpRequest, slug: str) -> HttpResponse:
    """Download the lesson as a Jupyter notebook, if it contains Python."""
    found = get_object_or_404(lessons_visible_to(request.user), slug=slug)
    if not any(notebooks.has_code(section.body) for section in found.sections.all()):
        raise Http404
    return HttpResponse(
        notebooks.notebook_of(found, request.build_absolute_uri(found.get_absolute_url())),
        content_type=notebooks.CONTENT_TYPE,
        headers={"Content-Disposition": content_disposition(f"{slug}.ipynb")},
    )


@allow_methods("GET")
@csp_override({"default-src": [CSP.NONE], "sandbox": True})
def image(request: HttpRequest, name: str, digest: str) -> FileResponse:
    """Serve an uploaded image, always as the type found in its content."""
    found = image_for(request.user, name=name, digest=digest)
    if found is None:
        raise Http404
    answer = FileResponse(
        found.file.open(),
        content_type=f"image/{found.format}",
        filename=f"{found.name}.{found.format}",
    )
    # Access to a draft's image can change, so browsers revalidate it each time.
    answer["Cache-Control"] = (
        "public, max-age=31536000, immutable" if found.is_public else "private, no-cache"
    )
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


@compressed_page
@allow_methods("GET")
def find(request: HttpRequest) -> HttpResponse:
    """Search the lessons; an empty search shows only the form."""
    query = " ".join(request.GET.get("q", "").replace("\0", "").split())[: search.MAX_QUERY_LENGTH]
    meanings, hits = search.search(lessons_visible_to(request.user), query)
    page = page_from_request(request, hits, HITS_PER_PAGE)
    context = {"query": query, "meanings": meanings, "page": page}
    return render(request, "lessons/search.html", context)


def _not_found(request: HttpRequest, slug: str) -> HttpResponse:
    lessons = lessons_listed_for(request.user)
    by_slug = {each.slug: each for each in lessons}
    meant = [by_slug[near] for near in get_close_matches(slug, by_slug, n=1)]
    context = {"slug": slug, "meant": meant, "lessons": lessons}
    return render(request, "lessons/not_found.html", context, status=404)
