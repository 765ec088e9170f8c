"""HTML becomes Markdown without its furniture, and no page is so broken that it costs more than its length."""

from __future__ import annotations

import pytest

from marrow.ingest.formats.text import Text
from marrow.ingest.formats.text_of import text_of
from marrow.ingest.item import Skipped

PAGE = """<!doctype html><html><head><title>Site · Deploying</title><style>p { color: red }</style>
<meta property="article:published_time" content="2026-03-01T10:00:00Z"></head><body>
<nav><ul><li>Home</li></ul></nav><header><div role="search">find</div></header>
<main><h1>Deploying <em>safely</em></h1><p>First&nbsp;part, <code>x &lt; 1</code>,
<a href="/y">a link</a>.<br>Second.</p>
<ul><li>one<ul><li>inner</li></ul></li><li><p>two</p></li></ul><ol><li>a</li><li>b</li></ol>
<pre><code class="sh">if x:
    y
</code></pre>
<table><tr><th>Name</th><th>Value</th></tr><tr><td>a</td><td>1</td></tr></table>
<script>alert("<p>never</p>")</script><h2>After</h2>Last<img alt="a chart" src="c.png">. <!-- hidden --></main>
<aside>adverts</aside><footer>imprint</footer></body></html>"""


def read(html: str, name: str = "a.html") -> Text:
    found = text_of(name, html.encode())
    assert isinstance(found, Text), found
    return found


def test_headings_lists_tables_and_code_are_kept_as_markdown() -> None:
    text = read(PAGE).text
    assert "# Deploying safely\n" in text
    assert "## After\n" in text
    assert "First part, `x < 1`, a link.\nSecond." in text
    assert "- one\n  - inner\n- two" in text
    assert "1. a\n2. b" in text
    assert "```\nif x:\n    y\n```" in text
    assert "| Name | Value |\n| a | 1 |" in text
    assert "Lasta chart." in text


@pytest.mark.parametrize("gone", ["never", "Home", "adverts", "imprint", "color", "hidden", "find", "published"])
def test_scripts_styles_and_navigation_are_left_out(gone: str) -> None:
    assert gone not in read(PAGE).text


def test_title_and_date_come_from_the_page() -> None:
    found = read(PAGE)
    assert (found.title, found.date) == ("Deploying safely", "2026-03-01T10:00:00Z")
    assert read("<title>Only &amp; this</title><p>text</p>").title == "Only & this"
    assert [(one.level, one.text) for one in found.headings] == [(1, "Deploying safely"), (2, "After")]


def test_a_page_whose_navigation_is_never_closed_is_read_all_the_same() -> None:
    assert "the only text" in read("<body><nav><p>the only text of this page</p></body>").text


def test_a_file_without_a_suffix_that_begins_as_html_is_html() -> None:
    assert read("<!DOCTYPE html><p>x <b>bold</b> y</p>", "page").text == "x bold y"


def test_what_may_be_left_unclosed_may_be_left_unclosed() -> None:
    html = "<head><title>T<p>first<table><tr><td>a<td>b<tr><td>c</table><p>second<p>third"
    assert read(html).text == "first\n\n| a | b\n| c\n\nsecond\n\nthird"


def test_a_sign_that_is_no_tag_is_text() -> None:
    assert read("<p>1 < 2 && 3 <4 <> x</p>").text == "1 < 2 && 3 <4 <> x"


@pytest.mark.parametrize(
    "piece",
    [
        "<div>",
        "<nav>",
        "<!--",
        '<a "',
        "<p title='",
        "<script>",
        "<",
        "<ul><li>",
        "&",
        "<pre>",
        "<h1>",
        "</",
        "<!",
        "<svg>",
    ],
)
def test_deep_and_broken_pages_are_read_in_one_pass(piece: str) -> None:
    """A reader whose time grows with the square of this would need hours, and the run's limit would end it."""
    found = text_of("a.html", (piece * 150_000 + "end").encode())
    assert isinstance(found, Text | Skipped)
