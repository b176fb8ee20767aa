"""Alignments as files: Praat TextGrid (tiers "words" and "phones") and JSON.

A TextGrid is what Praat edits and the Montreal Forced Aligner writes; it holds no scores, so one
that is read has confidence 1 throughout. JSON holds everything.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from alignment.errors import AlignmentError
from alignment.records import PAUSE, Alignment, Phone, Word, pause
from alignment.sphinx import ARPABET

# How aligners write silence.
PAUSE_LABELS = frozenset({"", "sil", "sp", "spn", "pau", "<sil>", "<eps>", "<p:>", "<p>"})

VOWELS = frozenset(phone for phone in ARPABET if phone[0] in "AEIOU")

# Boundaries nearer than this are the same boundary (files are written with few digits).
SAME_BOUNDARY = 0.005


def read_alignment(path: str | Path) -> Alignment:
    """Reads a `.TextGrid` or `.json` file; times in seconds, phones in ARPAbet with stress.

    Raises AlignmentError when the file is missing or unreadable, has no words or phones, or has
    phones of another alphabet.
    """
    path = Path(path)
    if not path.is_file():
        raise AlignmentError(f"There is no alignment file {path}: check its name.")
    if path.suffix.lower() == ".textgrid":
        return _checked(_read_textgrid(path), path)
    if path.suffix.lower() == ".json":
        return _checked(_read_json(path), path)
    raise _unknown_format(path)


def write_alignment(alignment: Alignment, path: str | Path) -> None:
    """Writes a `.TextGrid` or `.json` file, whole or not at all.

    Raises AlignmentError for another suffix or a folder that can't be written.
    """
    path = Path(path)
    if path.suffix.lower() == ".textgrid":
        _write_whole(path, lambda part: _write_textgrid(alignment, part))
    elif path.suffix.lower() == ".json":
        text = json.dumps(alignment.to_json(), indent=1, ensure_ascii=False) + "\n"
        _write_whole(path, lambda part: part.write_text(text, encoding="utf-8"))
    else:
        raise _unknown_format(path)


def _unknown_format(path: Path) -> AlignmentError:
    return AlignmentError(f"{path.name} is neither .TextGrid nor .json: give one of these.")


def _read_json(path: Path) -> Alignment:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        # An edit.json carries its alignment inside.
        if "words" not in data and "alignment" in data:
            data = data["alignment"]
        return Alignment.from_json(data)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise AlignmentError(
            f"{path.name} is not an alignment in JSON ({type(error).__name__}: {error}): "
            "write it anew with python -m alignment."
        ) from error


def _write_textgrid(alignment: Alignment, path: Path) -> None:
    from praatio import textgrid
    from praatio.data_classes.interval_tier import IntervalTier

    grid = textgrid.Textgrid()
    words = [(word.start, word.end, word.text) for word in alignment.words]
    phones = [(phone.start, phone.end, phone.symbol) for phone in alignment.phones]
    for name, entries in (("words", words), ("phones", phones)):
        # praatio leaves out empty labels here and fills them in again as it saves.
        spoken = [entry for entry in entries if entry[2]]
        grid.addTier(IntervalTier(name, spoken, 0.0, alignment.duration))
    grid.save(str(path), format="long_textgrid", includeBlankSpaces=True)


def _read_textgrid(path: Path) -> Alignment:
    from praatio import textgrid

    try:
        grid = textgrid.openTextgrid(
            str(path), includeEmptyIntervals=False, reportingMode="silence"
        )
        words = _entries(_tier(grid, "words", path))
        phones = _entries(_tier(grid, "phones", path))
        duration = float(grid.maxTimestamp)
    except AlignmentError:
        raise
    except Exception as error:  # praatio raises whatever its parser stumbles over
        raise AlignmentError(
            f"{path.name} can't be read as a TextGrid: save it anew in Praat as text."
        ) from error
    return _assembled(words, phones, duration, path)


def _tier(grid: Any, kind: str, path: Path) -> Any:
    """The tier named "words" (also "word", "Words", "speaker - words"), or "phones"."""
    named = [
        name
        for name in grid.tierNames
        if name.rpartition(" - ")[2].strip().lower() in (kind, kind[:-1])
    ]
    if len(named) == 1:
        return grid.getTier(named[0])
    present = ", ".join(f'"{name}"' for name in grid.tierNames) or "none"
    if named:
        raise AlignmentError(
            f'{path.name} has several tiers of {kind} ({present}): keep one speaker\'s "{kind}".'
        )
    raise AlignmentError(
        f'{path.name} has no tier "{kind}" (its tiers: {present}): both "words" and "phones" '
        "are needed, as the Montreal Forced Aligner writes them."
    )


def _entries(tier: Any) -> list[tuple[float, float, str]]:
    entries = [(float(e[0]), float(e[1]), str(e[2]).strip()) for e in tier.entries]
    return [entry for entry in entries if entry[2].lower() not in PAUSE_LABELS]


def _assembled(
    words: list[tuple[float, float, str]],
    phones: list[tuple[float, float, str]],
    duration: float,
    path: Path,
) -> Alignment:
    """Words with the phones whose middles lie in them; pauses between them."""
    result: list[Word] = []
    clock = 0.0
    following = 0
    for start, end, text in words:
        while following < len(phones) and _middle(phones[following]) < start:
            following += 1
        first = following
        while following < len(phones) and _middle(phones[following]) < end:
            following += 1
        inside = phones[first:following]
        if not inside:
            raise AlignmentError(
                f'{path.name} has no phones for "{text}" at {start:.2f} s: align it anew.'
            )
        if start - clock > SAME_BOUNDARY:
            result.append(pause(clock, start))
            clock = start
        # The word's own boundaries win over its phones' outer ones; inner gaps are closed.
        edges = [clock, *(begin for begin, _, _ in inside[1:]), end]
        parts = tuple(
            Phone(_arpabet(label, text, path), edges[k], edges[k + 1])
            for k, (_, _, label) in enumerate(inside)
        )
        result.append(Word(text, clock, end, 1.0, parts))
        clock = end
    if duration - clock > SAME_BOUNDARY:
        result.append(pause(clock, duration))
    else:
        duration = max(clock, 0.0)
    return Alignment(tuple(result), duration)


def _middle(entry: tuple[float, float, str]) -> float:
    return (entry[0] + entry[1]) / 2


def _arpabet(label: str, word: str, path: Path) -> str:
    symbol = label.upper()
    plain = symbol.rstrip("012")
    if plain not in ARPABET:
        raise AlignmentError(
            f'{path.name} has the phone "{label}" in "{word}", which is not ARPAbet: align with '
            "an ARPAbet dictionary (the Montreal Forced Aligner's english_us_arpa)."
        )
    if plain in VOWELS and symbol[len(plain) :] not in ("0", "1", "2"):
        raise AlignmentError(
            f'{path.name} has the vowel "{label}" in "{word}" without its stress: '
            f"write {plain}0, {plain}1 or {plain}2."
        )
    return symbol if plain in VOWELS else plain


def _checked(alignment: Alignment, path: Path) -> Alignment:
    """The alignment, if it has words and phones in order that cover it without a gap."""
    if not alignment.spoken:
        raise AlignmentError(f"{path.name} has no words: align the recording anew.")
    clock = 0.0
    for word in alignment.words:
        for phone in word.phones:
            if abs(phone.start - clock) > SAME_BOUNDARY or phone.end <= phone.start:
                raise AlignmentError(
                    f"{path.name} has a gap or an overlap at {clock:.3f} s "
                    f'("{word.text or PAUSE}"): correct it there.'
                )
            clock = phone.end
        if not word.phones or abs(word.end - clock) > SAME_BOUNDARY:
            raise AlignmentError(
                f'{path.name} has a word, "{word.text}", whose phones don\'t fill it: '
                f"correct it at {word.start:.3f} s."
            )
    if abs(alignment.duration - clock) > SAME_BOUNDARY:
        raise AlignmentError(f"{path.name} ends at {clock:.3f} s, not at its own duration.")
    return alignment


def _write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Writes beside the target and renames: nobody sees half a file."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}.", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise AlignmentError(
            f"{path} can't be written ({error.strerror}): choose another folder."
        ) from error
    part = Path(name)
    try:
        write(part)
        part.chmod(0o666 & ~_umask())
        os.replace(part, path)
    except OSError as error:
        raise AlignmentError(
            f"{path} can't be written ({error.strerror}): choose another folder or free space."
        ) from error
    finally:
        part.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
