"""Links between the lessons that ship lead somewhere."""

import re

from tests.each import each
from tests.lessons.conftest import CONTENT
from tests.lessons.shipped import shipped

LESSONS = {file.stem: shipped(file.stem) for file in (CONTENT / "lessons").glob("*.md")}
LINK = re.compile(r"\]\(lesson:(?P<slug>[-\w]+)(?:#(?P<section>[-\w]+))?\)")


@each("slug", LESSONS)
def test_every_link_leads_to_a_lesson_and_a_section_that_ship(slug):
    links = list(LINK.finditer(LESSONS[slug].text))
    assert links
    for link in links:
        assert link["slug"] in LESSONS, link[0]
        assert not link["section"] or link["section"] in LESSONS[link["slug"]].bodies, link[0]


# References -----------------------------------------------------------------------------------

PAPER = re.compile(r"- (?P<who>[A-Z][^\[\]]+) \((?P<year>\d{4})\): \[[^\]]+\]\((?P<url>\S+)\)")
RUNG = re.compile(r"\d\. [^\[\]]+: \[[^\]]+\]\((?P<url>\S+)\)\. [A-Z].+\.")
# Lasting addresses: archives, proceedings and DOIs, and one that is nowhere else.
LASTING = ("https://arxiv.org/abs/", "https://aclanthology.org/", "https://doi.org/")
# Papers that only their authors' sites have.
ELSEWHERE_ONLY = (
    "https://cdn.openai.com/better-language-models/",
    "https://thinkingmachines.ai/blog/",
    "https://transformer-circuits.pub/",
)


def references(slug):
    """Return a lesson's papers, if it names any, and its further reading."""
    before, _, ladder = (
        LESSONS[slug].lesson.fields["elsewhere"].partition("\n### What to read next\n")
    )
    papers = before.partition("\n### The papers\n")[2].strip().split("\n")
    return list(filter(None, papers)), ladder.strip().split("\n")[2:]


@each("slug", LESSONS)
def test_a_lesson_ends_with_the_papers_it_names(slug):
    papers, _ladder = references(slug)
    assert papers or slug == "primer"
    for paper in papers:
        assert (found := PAPER.fullmatch(paper)), paper
        assert found["url"].startswith(LASTING + ELSEWHERE_ONLY), paper
    assert len(set(papers)) == len(papers)


@each("slug", LESSONS)
def test_what_is_cited_with_its_year_is_among_the_papers(slug):
    papers = " ".join(references(slug)[0])
    cited = re.findall(
        r"([A-Z][A-Za-z]+) and (?:others|[A-Z][A-Za-z]+), (\d{4})", LESSONS[slug].prose
    )
    for first, year in cited:
        assert re.search(rf"\b{first}\b[^(]*\({year}\)", papers), (first, year)


@each("slug", LESSONS)
def test_three_to_five_things_to_read_next_each_with_its_reason(slug):
    _papers, ladder = references(slug)
    assert 3 <= len(ladder) <= 5
    for rung in ladder:
        assert (found := RUNG.fullmatch(rung)), rung
        assert found["url"].startswith("https://"), rung


def test_a_paper_is_the_same_in_every_lesson():
    papers = {paper for slug in LESSONS for paper in references(slug)[0]}
    for part in ("url", "who"):
        assert len({(m[part], m["year"]) for m in map(PAPER.fullmatch, papers)}) == len(papers)
