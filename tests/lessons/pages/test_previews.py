"""Metadata of pages for search engines and for shared links."""

from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from lessons.models import Lesson
from quizzes.models import Quiz

HOST = "http://testserver"


class Head(HTMLParser):
    """The canonical address and the properties of a page's head."""

    def __init__(self, html):
        super().__init__()
        self.said = {}
        self.feed(html.partition("</head>")[0])

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "meta" and (name := values.get("property") or values.get("name")):
            self.said[name] = values["content"]
        if tag == "link" and values.get("rel") == "canonical":
            self.said["canonical"] = values["href"]


def head(client, url):
    return Head(client.get(url).text).said


def test_a_lesson_has_its_title_its_tagline_and_one_address(client, small_lesson):
    Lesson.objects.update(tagline='Small & "quoted"')
    metadata = head(client, small_lesson.get_absolute_url() + "?utm_source=x")
    address = HOST + small_lesson.get_absolute_url()
    assert metadata["canonical"] == metadata["og:url"] == address
    assert (metadata["og:title"], metadata["og:type"]) == ("A small lesson", "article")
    assert metadata["og:description"] == metadata["description"] == 'Small & "quoted"'


def test_a_lesson_without_a_tagline_still_has_a_description(client, small_lesson):
    Lesson.objects.update(tagline="")
    assert head(client, small_lesson.get_absolute_url())["og:description"] == "A small lesson"


def test_the_catalogue_and_a_quiz_have_previews_too(client, small_lesson):
    quiz = Quiz.objects.create(lesson=small_lesson, slug="q", title="A quiz", published=True)
    assert head(client, "/")["canonical"] == f"{HOST}/"
    metadata = head(client, quiz.get_absolute_url())
    assert metadata["og:title"] == "A quiz"
    assert "23 min" in metadata["og:description"]


def test_the_picture_comes_from_the_site(client, small_lesson):
    assert head(client, "/")["og:image"].startswith(f"{HOST}/static/design/preview")


@pytest.fixture
def sitemap(client, small_lesson):
    def read():
        tree = ElementTree.fromstring(client.get("/sitemap.xml").content)
        return [element.text for element in tree.findall(".//{*}loc")]

    return read


def test_the_sitemap_names_what_is_published(sitemap, small_lesson):
    quiz = Quiz.objects.create(lesson=small_lesson, slug="q", title="A quiz", published=True)
    pages = ["/", small_lesson.get_absolute_url(), "/quizzes/", quiz.get_absolute_url()]
    assert sitemap() == [HOST + page for page in pages]


def test_the_sitemap_names_no_drafts(sitemap, small_lesson):
    Quiz.objects.create(lesson=small_lesson, slug="q", title="A quiz")
    Lesson.objects.update(published=False)
    assert sitemap() == [f"{HOST}/", f"{HOST}/quizzes/"]


def test_robots_are_kept_from_what_is_private(client, db):
    answer = client.get("/robots.txt")
    assert answer.headers["Content-Type"].startswith("text/plain")
    page = answer.text
    for private in ("/admin/", "/accounts/", "/attempts/", "/practice/"):
        assert f"Disallow: {private}\n" in page
    assert f"Sitemap: {HOST}/sitemap.xml" in page


def test_search_results_are_not_indexed(client, small_lesson):
    assert head(client, "/search/?q=token")["robots"] == "noindex"
