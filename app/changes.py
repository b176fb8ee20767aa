"""Two texts side by side as HTML: what is struck through, what is added, what was hardly heard.

Everything that a person typed is escaped here; nothing else makes HTML of it.
"""

from __future__ import annotations

from html import escape

from a3t.errors import InputError
from a3t.text.edit_script import edit_script
from a3t.text.transcript import Transcript
from alignment.records import Alignment
from app import texts

DOUBTFUL = 0.5  # a word's confidence below which it is marked (alignment.confidence)


def changes_html(old: str, new: str) -> str:
    """The new text with the old words struck through where they go and the new ones marked."""
    if not old.strip() or not new.strip():
        return note(texts.NO_CHANGES_YET)
    try:
        before = Transcript.from_text(old, max_words=None)
        after = Transcript.from_text(new, max_words=None)
    except InputError as error:
        return note(str(error))
    edits = edit_script(before.spoken, after.spoken)
    if not edits:
        return note(texts.SAME_WORDS)
    parts: list[str] = []
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
    made = sum(edit.new[1] - edit.new[0] for edit in edits)
    gone_words = sum(edit.old[1] - edit.old[0] for edit in edits)
    summary = escape(texts.changes_summary(len(edits), gone_words, made))
    body = " ".join(part for part in parts if part)
    return f'<p class="a3t-changes">{body}</p><p class="a3t-note">{summary}</p>'


def transcript_html(text: str, alignment: Alignment) -> str:
    """The transcript with the words of low confidence marked; each tells how sure it is."""
    transcript = Transcript.from_text(text, max_words=None)
    lowest: dict[int, float] = {}  # of a written token's spoken words
    for word, heard in zip(transcript.words, alignment.spoken, strict=True):
        lowest[word.token] = min(lowest.get(word.token, 1.0), heard.score)
    written = {word.token: word.written for word in transcript.words}
    parts = []
    for token, shown in written.items():
        score = lowest[token]
        if score < DOUBTFUL:
            title = escape(texts.doubtful_word(score))
            parts.append(f'<mark title="{title}">{escape(shown)}<sup>?</sup></mark>')
        else:
            parts.append(escape(shown))
    doubtful = sum(score < DOUBTFUL for score in lowest.values())
    summary = escape(texts.doubtful_summary(doubtful))
    return f'<p class="a3t-changes">{" ".join(parts)}</p><p class="a3t-note">{summary}</p>'


def note(sentence: str) -> str:
    """One sentence in small print."""
    return f'<p class="a3t-note">{escape(sentence)}</p>'
