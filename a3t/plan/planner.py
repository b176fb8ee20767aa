"""Plan an edit: the frames to remove, the phones to add, and their durations.

Section 4.3.5 of He Bai's thesis, "Novel Methods for Natural Language Modeling and Pretraining"
(University of Waterloo, 2023), extended to any number of edits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from a3t.errors import InputError
from a3t.grid import frames_of
from a3t.model.variance.durations import DurationPredictor
from a3t.plan.cleaning.cuts import place_cuts, room_beside
from a3t.plan.edit_limits import check_edit_length
from a3t.plan.edit_plan import EditPlan
from a3t.plan.edit_sites import EditSite, WordFrames, merge_touching, place_edits, turns_at
from a3t.plan.phone_grid import on_grid
from a3t.plan.planned_edit import PlannedEdit
from a3t.plan.request import EditRequest
from a3t.plan.reuse.origins import origins_of, with_room
from a3t.plan.reuse.recorded_speech import RecordedSpeech
from a3t.plan.reuse.text_reuse import RecordedTexts, chosen_words
from a3t.plan.revision import Revision, word_map
from a3t.plan.speaker_pauses import usual_pauses
from a3t.plan.timeline import Timed, timed, timeline
from a3t.plan.windows import windows_around
from a3t.source.passages import AlignedRecording
from a3t.spans import Margins
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment.confidence.doubts import places_of_unwritten


def make_plan(
    source: AlignedRecording,
    request: EditRequest,
    revision: Revision,
    pronunciations: Sequence[Sequence[str]],
    durations: DurationPredictor,
    others: Sequence[AlignedRecording] = (),
) -> EditPlan:
    """Plan the edits that make the recording say the new text.

    ``source`` has the alignment of the revision's old words; ``pronunciations`` has one entry for
    each new word; ``others`` are the request's other recordings. Raises InputError if the
    alignment belongs to another text, if an edit has more than a minute of new words, or if they
    can't fit the time they are given.
    """
    text, new_text, alignment = revision.text, revision.new_text, source.alignment
    if [word.text for word in alignment.spoken] != list(text.spoken):
        raise InputError(
            "The words of the alignment and the text differ: give the text that was aligned."
        )
    frames = source.recording.frames
    grid = on_grid(alignment, frames)
    spoken = len(text.spoken)
    words = WordFrames.of(grid, spoken, frames, places_of_unwritten(alignment))
    usual = usual_pauses(text, grid)
    texts = [text, *(other.text for other in others)]
    wanted = _sites(request, revision, words, texts)
    plan_origin = _planned_in((source, *others), request, durations)
    origins, taken, sites = origins_of(wanted, texts, new_text, plan_origin, usual)
    _check_lengths(sites, pronunciations, new_text)
    moments = timeline(grid, sites, pronunciations, new_text, usual)
    turns = turns_at(sites, text, new_text, words)
    own = {k: turn.words for k, turn in enumerate(turns) if turn.words}
    slots = _slots(sites, request)
    made, rate = timed(moments, grid, durations, request, slots, new_text, own)
    planned = tuple(
        _planned_edit(site, beside, made.get(k, Timed()), taken.get(k, ()), request, revision)
        for k, (site, beside) in enumerate(zip(sites, _beside(sites, frames), strict=True))
    )
    for edit in planned:
        check_edit_length(edit.frames, edit.new_words)
    windows = windows_around(planned, grid, frames, [turn.frames for turn in turns])
    return EditPlan(
        source,
        request,
        revision,
        tuple(map(tuple, pronunciations)),
        grid,
        planned,
        windows,
        rate,
        origins=origins,
        others=tuple(others),
    )


def _sites(
    request: EditRequest, revision: Revision, words: WordFrames, texts: Sequence[Transcript]
) -> list[EditSite]:
    """The sites of the revision's edits and the request's cuts, and which new words are
    recorded in one of the texts."""
    text, new_text = revision.text, revision.new_text
    script = merge_touching(revision.edits, words)
    sites = place_edits(script, words, text, new_text, revision.pauses)
    recorded = RecordedTexts(tuple(texts)).matches(script, new_text) if request.moves else {}
    recorded |= chosen_words(request.recorded, script, texts, new_text)
    if recorded:
        sites = [
            with_room(replace(site, recorded=recorded[k]), words) if k in recorded else site
            for k, site in enumerate(sites)
        ]
    if request.cuts:
        sites = place_cuts(request.cuts, sites, words, word_map(script, len(text.spoken)))
    return sites


def _check_lengths(
    sites: Sequence[EditSite], pronunciations: Sequence[Sequence[str]], new_text: Transcript
) -> None:
    """InputError for more new words than an edit may have; before durations are predicted, which
    allocates memory for all of them."""
    for site in sites:
        if not site.recorded:
            first, last = site.edit.new
            phones = sum(map(len, pronunciations[first:last]))
            check_edit_length(phones, new_text.written(first, last))


def _beside(sites: Sequence[EditSite], frames: int) -> list[Margins]:
    """The number of kept frames beside each edit that are its own: two edits share those between
    them; those at the file's ends belong to one."""
    gaps = [after.frames[0] - before.frames[1] for before, after in pairwise(sites)]
    before = [sites[0].frames[0], *(gap // 2 for gap in gaps)] if sites else []
    after = [*(gap // 2 for gap in gaps), frames - sites[-1].frames[1]] if sites else []
    return list(zip(before, after, strict=True))


def _planned_edit(
    site: EditSite,
    beside: Margins,
    new: Timed,
    taken: tuple[RecordedSpeech, ...],
    request: EditRequest,
    revision: Revision,
) -> PlannedEdit:
    """The edit at a site, with as much of the frames ``beside`` it as the request wants."""
    edit, new_text = site.edit, revision.new_text
    spoken = edit.new[0] < edit.new[1] and not site.recorded
    before, after = (min(frames_of(request.margin), side // 2) if spoken else 0 for side in beside)
    reach = frames_of(request.reach)
    overlap = min(reach, beside[0] - before), min(reach, beside[1] - after)
    return PlannedEdit(
        op="replace" if new.phones and edit.op == "delete" else edit.op,
        old=edit.old,
        new=edit.new,
        old_words=site.label or revision.text.written(*edit.old),
        new_words=new_text.written(*edit.new) or _pause_mark(site),
        source=site.frames,
        phones=new.phones,
        margin=(before, after),
        overlap=room_beside(site, overlap),
        scale=new.scale,
        words=new.words,
        taken=taken,
    )


def _planned_in(
    sources: Sequence[AlignedRecording], request: EditRequest, durations: DurationPredictor
) -> Callable[[int, Revision], EditPlan]:
    """A planner of revisions of the recording (number 0) or of one of the others (from 1 on)."""

    def planned(number: int, revision: Revision) -> EditPlan:
        source = replace(sources[number], text=revision.text, passages=())
        pronouncer = Pronouncer(dict(request.pronunciations))
        spoken = pronouncer.as_recorded(revision.new_text, source.alignment.spoken)
        inner = request.for_words(revision.text.text, revision.new_text.text)
        return make_plan(source, inner, revision, spoken, durations)

    return planned


def replan(plan: EditPlan, request: EditRequest, durations: DurationPredictor) -> EditPlan:
    """The same edits, spoken or joined as ``request`` says."""
    revision, spoken = plan.revision, plan.pronunciations
    return make_plan(plan.source, request, revision, spoken, durations, plan.others)


def _slots(sites: Sequence[EditSite], request: EditRequest) -> dict[int, int]:
    """The required length in frames of edits with new words, by the edit's index."""
    spoken = [
        k
        for k, site in enumerate(sites)
        if site.edit.new[0] < site.edit.new[1] and not site.recorded
    ]
    if request.fit:
        found = ((k, sites[k]) for k in spoken if sites[k].edit.op == "replace")
        return {k: site.frames[1] - site.frames[0] for k, site in found}
    if request.duration is None:
        return {}
    if len(spoken) != 1:
        raise InputError(
            f"A duration needs all new words in one place, and they are in {len(spoken)}: set each "
            "word's duration in a plan file instead."
        )
    return {spoken[0]: frames_of(request.duration)}


def _pause_mark(site: EditSite) -> str:
    """The marks of the pauses that an edit without words adds; "" for a deletion."""
    return " ".join(f"[pause {x:g}]" if x else "[pause]" for x in site.pauses.values())
