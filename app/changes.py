"""Two texts side by side as HTML: what is struck through, what is added, what was hardly heard.

Everything that a person typed is escaped here; nothing else makes HTML of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from html import escape

from a3t.errors import InputError
from a3t.text.edit_script import edit_script
from a3t.text.respelling import respelled
from a3t.text.transcript import Transcript
from alignment import Alignment
from alignment.confidence.doubts import DOUBTFUL
from app import texts

WHOLE = 400  # words that are shown in full
AROUND = 12  # words shown beside what is marked in longer texts


def changes_html(old: str, new: str) -> str:
    """The new text with the old words struck through where they go and the new ones marked.

    Of long texts only the part that differs, with some words around it.
    """
    if not old.strip() or not new.strip():
        return note(texts.NO_CHANGES_YET)
    head, old, new, tail = differing(old.split(), new.split())
    try:
        before = words_of(old)
        after = respelled(before, words_of(new))
    except InputError as error:
        return note(str(error))
    edits = edit_script(before.spoken, after.spoken)
    if not edits:
        return note(texts.SAME_WORDS)
    parts: list[str] = ["…"] if head else []
    position = 0
    for edit in edits:
        parts.append(escape(after.written(position, edit.new[0])))
        gone, come = before.written(*edit.old), after.written(*edit.new)
        if gone:
            parts.append(f'<del title="{texts.WORDS_THAT_GO}">{escape(gone)}</del>')
        if come:
            parts.append(f'<ins title="{texts.WORDS_THAT_COME}">{escape(come)}</ins>')
        position = edit.new[1]
    parts.append(escape(after.written(position, len(after.words))))
    if tail:
        parts.append("…")
    made = sum(edit.new[1] - edit.new[0] for edit in edits)
    gone_words = sum(edit.old[1] - edit.old[0] for edit in edits)
    summary = escape(texts.changes_summary(len(edits), gone_words, made))
    body = " ".join(part for part in parts if part)
    return f'<p class="a3t-changes">{body}</p><p class="a3t-note">{summary}</p>'


def differing(old: Sequence[str], new: Sequence[str]) -> tuple[bool, str, str, bool]:
    """Both texts from AROUND words before their first difference to AROUND after their last.

    The first and last value say whether something was left out there. Short texts stay whole.
    """
    shorter = min(len(old), len(new))
    if shorter <= WHOLE:
        return False, " ".join(old), " ".join(new), False
    head = next((k for k in range(shorter) if old[k] != new[k]), shorter)
    tail = next((k for k in range(shorter - head) if old[-1 - k] != new[-1 - k]), shorter - head)
    head, tail = max(head - AROUND, 0), max(tail - AROUND, 0)
    before, after = (" ".join(text[head : len(text) - tail]) for text in (old, new))
    return bool(head), before, after, bool(tail)


def transcript_html(text: str, alignment: Alignment) -> str:
    """The transcript with the words of low confidence marked; each tells how sure it is.

    Of long texts only those words, with some around them.
    """
    transcript = words_of(text)
    lowest: dict[int, float] = {}  # of a written token's spoken words
    for word, heard in zip(transcript.words, alignment.spoken, strict=True):
        lowest[word.token] = min(lowest.get(word.token, 1.0), heard.score)
    written = {word.token: word.written for word in transcript.words}
    order = list(written)
    doubtful = [k for k, token in enumerate(order) if lowest[token] < DOUBTFUL]
    near = {j for k in doubtful for j in range(k - AROUND, k + AROUND + 1)}
    parts: list[str] = []
    for k, token in enumerate(order):
        if len(order) > WHOLE and k not in near:
            if parts[-1:] != ["…"]:
                parts.append("…")
            continue
        shown, score = escape(written[token]), lowest[token]
        if score < DOUBTFUL:
            title = escape(texts.doubtful_word(score))
            shown = f'<mark title="{title}">{shown}<sup>?</sup></mark>'
        parts.append(shown)
    summary = escape(texts.doubtful_summary(len(doubtful)))
    return f'<p class="a3t-changes">{" ".join(parts)}</p><p class="a3t-note">{summary}</p>'


@lru_cache(maxsize=32)
def words_of(text: str) -> Transcript:
    """As `Transcript.from_text`, for texts of any length; seconds for hours of speech, so once."""
    return Transcript.from_text(text, max_words=None)


def plain(text: str) -> str:
    """A new text as the transcript of what was made of it: without marks for pauses and stress."""
    transcript = words_of(text)
    marked = transcript.pauses or transcript.emphasis
    return transcript.written(0, len(transcript.words)) if marked else text


def note(sentence: str) -> str:
    """One sentence in small print."""
    return f'<p class="a3t-note">{escape(sentence)}</p>'
