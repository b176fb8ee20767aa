"""Texts side by side as HTML: correct marks, and all text escaped."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from alignment import Alignment, Phone, Word
from app.changes import changes_html, transcript_html

OLD = "And you always want to see it."


def marked(html: str, tag: str) -> list[str]:
    return re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", html)


@pytest.mark.parametrize(
    ("new", "gone", "come"),
    [
        ("And you never want to see it.", ["always"], ["never"]),
        ("You always want to see it.", ["And"], []),
        ("And you always want to really see it, my friend.", [], ["really", "my friend."]),
        ("and YOU always want, to see it!", [], []),
        ("And you always want to see $5.", ["it."], ["$5."]),
    ],
)
def test_deleted_and_inserted_words_are_marked(new: str, gone: list[str], come: list[str]) -> None:
    html = changes_html(OLD, new)
    assert marked(html, "del") == gone
    assert marked(html, "ins") == come


def test_both_texts_can_be_read_from_it() -> None:
    new = "Now and then you never want to see."
    html = changes_html(OLD, new).split("</p>")[0]
    without = re.sub(r"<del.*?</del>", "", html)
    assert re.sub(r"<[^>]+>", "", without).split() == new.split()


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script> and you",
        "and <img src=x onerror=alert(1)> you",
        '"><svg onload=alert(1)> you always want',
        "Привет <b>мир</b>",
        "word " * 2000,
    ],
)
def test_html_in_a_text_stays_text(text: str) -> None:
    for html in (changes_html(OLD, text), changes_html(text, OLD)):
        tags = Tags()
        tags.feed(html)
        assert tags.seen <= {"p", "del", "ins"}


@pytest.mark.parametrize(("old", "new"), [("", OLD), (OLD, "  "), (OLD, OLD)])
def test_nothing_to_mark(old: str, new: str) -> None:
    html = changes_html(old, new)
    assert not marked(html, "del") and not marked(html, "ins")


def test_doubtful_words_are_marked() -> None:
    words = "i paid five dollars for it".split()
    scores = [0.9, 0.9, 0.9, 0.2, 0.9, 0.49]
    aligned = Alignment(
        tuple(
            Word(text, k, k + 1, score, (Phone("AH0", k, k + 1),))
            for k, (text, score) in enumerate(zip(words, scores, strict=True))
        ),
        6.0,
    )
    html = transcript_html("I paid $5 for it.", aligned)
    assert marked(html, "mark") == ["$5<sup>?</sup>", "it.<sup>?</sup>"]
    assert "2 words were hardly heard" in html


def test_long_texts_are_shown_only_where_they_differ() -> None:
    words = [f"word{'abcdefghij'[k % 10]}" for k in range(2000)]
    other = [*words[:1000], "never", *words[1001:]]
    shown = changes_html(" ".join(words), " ".join(other))
    assert shown.count("…") == 2 and len(shown) < 1000
    assert "<del" in shown and ">never</ins>" in shown
    assert "Nothing changes" in changes_html(" ".join(words), " ".join(words))
    begun = changes_html(" ".join(words), " ".join(["never", *words[1:]]))
    assert begun.count("…") == 1


def test_ten_thousand_characters_without_a_space() -> None:
    assert "<" not in changes_html("a" * 10_000, "<b>" * 3_000).replace("<p", "").replace("</p", "")
