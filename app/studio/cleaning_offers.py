"""What the page offers to take out: fillers, pauses, breaths, words to hide."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.cleaning import Cleaning, Finding, listed
from a3t.plan.findings import Findings
from a3t.plan.options import PAGE, CleaningOptions, read_options
from a3t.plan.request import KINDS
from a3t.plan.track_activity import TrackActivity
from a3t.projects.document import (
    MAX_CHARACTERS,
    Change,
)
from a3t.projects.store.words import HeardWords, Token
from app import texts
from app.processes.worker import run_in_sandbox
from app.studio.sent import Sent

SOUND_KINDS = {"breath", "click"}  # which are found in the sound, not in the words


def cleaning_of(sent: Sent) -> Cleaning:
    """Return the cleaning that a request asks for; InputError for what can't be looked for."""
    kinds = sent.get("kinds")
    named = tuple(str(kind) for kind in kinds[:9]) if isinstance(kinds, list) else KINDS
    return Cleaning(
        kinds=named,
        **vars(read_options(CleaningOptions, PAGE, sent.fields)),
        hidden=listed(sent.text("hidden")[:MAX_CHARACTERS]),
        bleep=sent.is_true("bleep"),
    )


@dataclass(frozen=True)
class Offered:
    """What can be taken out.

    found: of each finding its kind, what it is, its seconds in the recording, those of the take
    that stays (`again`), and the change (`edit`) that takes it out. unnamed: the words to hide that
    the transcript lacks.
    """

    found: tuple[Mapping[str, object], ...]
    unnamed: tuple[str, ...]


def find_changes(
    recording: Recording, heard: HeardWords, want: Cleaning, *tracks: TrackActivity
) -> Offered:
    """Find what can be taken out, reading the recording in a process of its own if need be."""
    if SOUND_KINDS & set(want.kinds):
        return run_in_sandbox(offered_changes, recording, heard, want, *tracks)
    return offered_changes(recording, heard, want, *tracks)


def offered_changes(
    recording: Recording, heard: HeardWords, want: Cleaning, *tracks: TrackActivity
) -> Offered:
    """Find what is wanted among the words; InputError while none is known."""
    tokens = heard.tokens
    if not tokens:
        raise InputError(texts.NOT_HEARD_YET)
    source = heard.aligned(recording)
    findings = Findings(source, source.text, want, activity=tracks)
    owners = [k for k, token in enumerate(tokens) for _ in token.words]
    starts = [token.start for token in tokens]
    found = tuple(
        {**each.shown(), "edit": _change(each, want, tokens, owners, starts)}
        for each in findings.found
    )
    return Offered(found, tuple(findings.unnamed))


def _change(
    finding: Finding,
    want: Cleaning,
    tokens: Sequence[Token],
    owners: Sequence[int],
    starts: Sequence[float],
) -> Change:
    text = ""
    if finding.words is None:
        first = last = bisect_left(starts, (finding.start + finding.end) / 2)
    else:
        first, last = owners[finding.words[0]], owners[finding.words[1] - 1] + 1
        if seconds := want.silence(finding):
            text = f"[pause {seconds:g}]"
    ids = tuple(token.id for token in tokens[first:last])
    after = tokens[first - 1].id if first else -1
    return Change(after, ids, text, cut=finding.cut)
