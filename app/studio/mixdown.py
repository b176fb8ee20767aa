"""Puts the chosen takes into the recording and writes what a visitor takes home, in the worker.

The result is an `EditedRecording` like any other: the same sound file, edit.json and exports. Every
take brings the samples that were heard on the page; nothing is made anew here.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from a3t.audio.patches import Patch
from a3t.audio.recording import Recording
from a3t.audio.speech import write_json
from a3t.errors import InputError
from a3t.grid import grid_frames
from a3t.plan.cuts import Cut
from a3t.plan.edit_plan import EditPlan
from a3t.plan.phone_grid import on_grid
from a3t.plan.planned_edit import PlannedEdit
from a3t.plan.request import EditRequest, Pronunciations, pronunciations_of
from a3t.plan.revision import Revision
from a3t.projects.exports import export
from a3t.projects.output_files import export_files
from a3t.rendering.edited import EditedRecording, WordScore
from a3t.text.edit_script import WordEdit
from a3t.text.transcript import TranscriptWord
from alignment import Word
from alignment.atomic import staging
from alignment.retiming import covering
from app.studio.listening import editor_step
from app.studio.pcm_sound import HeardPart, Token
from app.studio.token_text import numbered_transcript, text_of, transcript_words

if TYPE_CHECKING:
    from a3t.editor import Editor

EXPORTS = ("textgrid", "labels", "srt", "vtt", "csv", "edl", "rpp", "md")


def mix_down(
    editor: Editor,
    recording: Recording,
    heard: HeardPart,
    takes: Sequence[Path],
    folder: Path,
    name: str,
    suffix: str,
) -> Path:
    """A zip in `folder` with the edited recording and everything about it; returns its path.

    takes: the folders of the chosen ones, in any order. Raises InputError if two of them change
    the same samples.
    """
    editor_step(editor, "splice")
    result = assembled(recording, heard, takes) if takes else None
    editor_step(editor, "save")
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}.zip"
    with staging(folder) as stage:
        files = [_transcript(stage, f"{name}.txt", heard.tokens, result)]
        if result is not None:
            out = stage / f"{name}{suffix}"
            result.save(out)
            record = json.loads(out.with_suffix(".edit.json").read_text(encoding="utf-8"))
            record["source"]["path"] = recording.path.name
            write_json(out.with_suffix(".edit.json"), record)
            export(result, out, EXPORTS)
            project = out.with_suffix(".rpp")  # the original lies beside it for whoever unpacks
            text = project.read_text(encoding="utf-8")
            project.write_text(text.replace(f"{recording.path.parent}/", ""), encoding="utf-8")
            files += [out, out.with_suffix(".edit.json"), *export_files(out, EXPORTS)]
        files.append(recording.path)
        packed = stage / "all.zip"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
            for file in files:
                archive.write(file, file.name)
        packed.replace(target)
    return target


def _transcript(
    stage: Path, name: str, tokens: Sequence[Token], result: EditedRecording | None
) -> Path:
    text = result.plan.new_text.text if result is not None else text_of(tokens)
    path = stage / name
    path.write_text(text + "\n", encoding="utf-8")
    return path


def assembled(recording: Recording, heard: HeardPart, takes: Sequence[Path]) -> EditedRecording:
    """The recording with these takes in it."""
    tokens = heard.tokens
    records = [json.loads((take / "take.json").read_text(encoding="utf-8")) for take in takes]
    parts = [
        (record, np.load(take / "patch.npy", allow_pickle=False))
        for record, take in zip(records, takes, strict=True)
        if record["spans"]
    ]
    parts.sort(key=lambda part: part[0]["spans"][0]["source"])
    place: dict[tuple[int, int], int] = {}
    for token in tokens:
        for k in range(len(token["words"])):
            place[int(token["id"]), k] = len(place)
    patches: list[Patch] = []
    edits: list[PlannedEdit] = []
    old = transcript_words(tokens)
    new: list[TranscriptWord] = []
    pronunciations: list[tuple[str, ...]] = []
    said = [tuple(p["symbol"] for p in w["phones"]) for t in tokens for w in t["words"]]
    scores: list[tuple[WordScore, ...]] = []
    script: list[WordEdit] = []
    done = 0

    def keep(last: int) -> None:
        new.extend(old[done:last])
        pronunciations.extend(said[done:last])

    for record, samples in parts:
        at = 0
        for k, (span, entry) in enumerate(
            zip(record["spans"], record["mix"]["edits"], strict=True)
        ):
            patches.append(Patch(tuple(span["source"]), samples[at : at + span["length"]]))
            at += span["length"]
            first = _placed(place, entry["anchor"])
            keep(first)
            planned = _planned(entry, (first, first + entry["old"]), len(new))
            new += [TranscriptWord(**word) for word in entry["new"]]
            pronunciations += [tuple(phones) for phones in entry["phones"]]
            done = first + entry["old"]
            edits.append(planned)
            if not planned.is_cut:
                op: Any = planned.op
                script.append(WordEdit(op, planned.old, planned.new))
            audible = record["scores"][k] if k < len(record["scores"]) else []
            scores.append(tuple(WordScore(word, score) for word, score in audible))
    keep(len(old))
    for left, right in zip(patches, patches[1:], strict=False):
        if right.source[0] < left.source[1]:
            raise InputError(
                "Two changes are so close together that they touch: make them one change."
            )
    words = [Word.from_json(word) for token in tokens for word in token["words"]]
    pauses = [Word.from_json(pause) for pause in heard.pauses]
    aligned = covering(words, recording.seconds, 1.0, pauses)
    text, new_text = numbered_transcript(old), numbered_transcript(new)
    cuts = [Cut.from_json(record["mix"]["cut"]) for record, _ in parts if record["mix"].get("cut")]
    request = EditRequest(
        new_text=new_text.text,
        text=text.text,
        alignment=aligned,
        cuts=tuple(sorted(cuts, key=lambda cut: cut.start)),
        pronunciations=_said(record for record, _ in parts),
    )
    plan = EditPlan(
        recording,
        request,
        Revision(text, new_text, tuple(script)),
        tuple(pronunciations),
        on_grid(aligned, grid_frames(recording.samples, recording.sample_rate)),
        tuple(edits),
        (),
        float(np.mean([record["mix"]["rate"] for record, _ in parts] or [1.0])),
    )
    made_by: Mapping[str, Any] = parts[0][0] if parts else {}
    nothing: dict[str, str | None] = {"name": "none", "sha256": None}
    return EditedRecording(
        plan,
        tuple(patches),
        made_by.get("model", nothing),
        made_by.get("vocoder", nothing),
        made_by.get("voice"),
        scores=tuple(scores),
    )


def _said(records: Iterable[Mapping[str, Any]]) -> Pronunciations:
    """The pronunciations that the takes were made with."""
    said = {
        word: ways for record in records for word, ways in record["mix"].get("said", {}).items()
    }
    return pronunciations_of({word: [way.split() for way in ways] for word, ways in said.items()})


def _placed(place: Mapping[tuple[int, int], int], anchor: Sequence[int]) -> int:
    """The spoken word at which an edit begins."""
    token, within = int(anchor[0]), int(anchor[1])
    if (token, within) in place:
        return place[token, within]
    if (token, within - 1) in place:  # after the last word
        return place[token, within - 1] + 1
    raise InputError("What the recording says was corrected where it is changed: change it again.")


def _planned(entry: Mapping[str, Any], old: tuple[int, int], first_new: int) -> PlannedEdit:
    edit = PlannedEdit.from_json(entry["plan"])
    by = first_new - edit.new[0]
    phones = tuple(
        replace(phone, word=phone.word + by if phone.word >= 0 else -1, source=source)
        for phone, source in zip(edit.phones, entry["sources"], strict=True)
    )
    new = (first_new, first_new + len(entry["new"]))
    return replace(edit, old=old, new=new, phones=phones)
