"""Edits to listen to: recordings of voices that no model was trained on, before and after.

    python -m evaluation examples --out docs/examples

It writes `index.html`, which needs nothing else, and the sounds as FLAC. The recordings are clips
of LibriSpeech and Common Voice (--corpora, or A3T_CORPORA); noise, room and telephone are added
here. The last edit is the least similar to its speaker of 24 in the report.
"""

from __future__ import annotations

import argparse
import csv
import html
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import soundfile
from tqdm import tqdm

from a3t.audio.output.files import atomic_path
from a3t.audio.output.provenance import provenance_of
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from evaluation.detector.fine_time import BANDS_HZ, MIN_PLACES, fine_time
from evaluation.edits.conditions import CLEAN, write_under
from evaluation.edits.listing import find_clips, read_list
from evaluation.harness.measurement import CORPORA, INTO, MODEL
from evaluation.harness.report_files import write_text
from evaluation.metrics import figure_or_nan, speaker_similarity
from training.corpora import Clip, corpora_root, read_corpora
from training.corpora.decoding import decode_floats
from training.programs import Program

LIST, PAGE = (Path(__file__).with_name(name) for name in ("examples.tsv", "examples.html"))
WORST = "report-11"  # of the report's edits, the least like its speaker

SECTION = """<h2>{title}</h2>
<p>{text}</p>
<div class="pair">
  <p>Before<br><audio controls preload="none" src="{name}.before.flac"></audio></p>
  <p>After<br><audio controls preload="none" src="{name}.after.flac"></audio></p>
</div>
"""
FIGURES = "<p>Likeness {:.2f}; pulses {:.2f}, in the recording {:.2f}.</p>\n"


@dataclass(frozen=True)
class ExampleEdit:
    """A clip and what becomes of it: ``new_text`` after ``text``.

    Without a new text it is cleaned; with ``prompt`` the new text is spoken after the clip.
    """

    name: str
    title: str
    clip: str
    text: str
    new_text: str = ""
    condition: str = CLEAN
    prompt: bool = False


def examples() -> list[ExampleEdit]:
    """Return the examples of the list."""
    with open(LIST, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    return [
        ExampleEdit(name, title, clip, text, new_text, condition, prompt == "yes")
        for name, title, clip, text, new_text, condition, prompt in rows
    ]


def marked(text: str, new_text: str) -> str:
    """Write HTML of the new text; what was deleted from the old one, and what is new, is marked."""
    old, new = text.split(), new_text.split()
    parts = []
    for op, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, come = (html.escape(" ".join(words)) for words in (old[i:j], new[k:m]))
        if op == "equal":
            parts.append(come)
            continue
        parts += [f"<del>{gone}</del>"] if gone else []
        parts += [f"<ins>{come}</ins>"] if come else []
    return " ".join(parts)


def make_example(editor: Editor, example: ExampleEdit, clip: Clip, out: Path) -> str:
    """Write an example's two sounds; returns its part of the page."""
    before, after = (out / f"{example.name}.{when}.flac" for when in ("before", "after"))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "source.wav")
        seed = zlib.crc32(example.name.encode())
        write_under(example.condition, decode_floats(clip.path)[0], seed, source)
        samples, rate = soundfile.read(source, dtype="int16")
        with atomic_path(before) as temporary:
            soundfile.write(temporary, samples, rate, "PCM_16", format="FLAC")
    if example.prompt:
        words = (example.text, example.new_text)
        editor.tts(before, words[1], prompt_text=words[0]).save(after)
        text = html.escape(example.new_text)
    elif example.new_text:
        editor.edit(before, text=example.text, new_text=example.new_text).save(after)
        text = marked(example.text, example.new_text)
    else:
        editor.clean(before, text=example.text).save(after)
        text = html.escape(example.text)
    for record in out.glob(f"{example.name}.after.*.json"):
        record.unlink()
    title = example.title + (" (LibriSpeech)" if clip.corpus == "librispeech" else "")
    section = SECTION.format(title=html.escape(title), text=text, name=example.name)
    return section + figures_of(before, after)


def figures_of(before: Path, after: Path) -> str:
    """Compare what is synthetic in a sound with the recording; "" if nothing is, or too little."""
    traces = [trace for trace in provenance_of(after).traces if trace.synthetic]
    recording, sound = (decode_floats(path)[0] for path in (before, after))
    new = np.zeros(len(sound), bool)
    for trace in traces:
        new[round(trace.start * SAMPLE_RATE) : round(trace.end * SAMPLE_RATE)] = True
    places, measured = fine_time(sound)
    measured = measured[new[places]]
    if len(measured) < MIN_PLACES:
        return ""
    pulses = [each[:, : len(BANDS_HZ)].mean() for each in (measured, fine_time(recording)[1])]
    likeness = figure_or_nan(speaker_similarity, recording, sound[new], SAMPLE_RATE)
    return FIGURES.format(likeness, *pulses)


def worst_example(clips: Sequence[Clip]) -> tuple[ExampleEdit, Clip]:
    """Return the edit WORST as an example."""
    edits = [edit for edit in read_list() if edit.name == WORST]
    clip = find_clips(edits, clips)[edits[0].clip]
    title = "The edit least like its speaker (of 24)"
    return ExampleEdit("worst", title, clip.name, *edits[0].texts(clip)), clip


def run(options: argparse.Namespace) -> None:
    """Write the page; InputError if a clip is missing."""
    found = read_corpora(options.corpora or corpora_root())
    clips = {clip.name: clip for clip in found}
    wanted = examples()
    missing = [each.clip for each in wanted if each.clip not in clips]
    if missing:
        raise InputError(f"The corpora lack {', '.join(missing)}: see docs/measuring.md.")
    todo: list[tuple[ExampleEdit, Clip]] = [(each, clips[each.clip]) for each in wanted]
    todo.append(worst_example(found))
    write_page(Editor.load(options.model, vocoder=options.vocoder), todo, options.out)


def write_page(editor: Editor, todo: Sequence[tuple[ExampleEdit, Clip]], out: Path) -> None:
    """Write the examples' sounds, and the page that plays them last."""
    out.mkdir(parents=True, exist_ok=True)
    sections = [
        make_example(editor, example, clip, out)
        for example, clip in tqdm(todo, unit="example", disable=None)
    ]
    model = f"{editor.name} {(editor.sha256 or '')[:12]}"
    vocoder = f"{editor.vocoder.name} {(editor.vocoder.sha256 or '')[:12]}"
    page = PAGE.read_text(encoding="utf-8")
    filled = {"MODEL": model, "VOCODER": vocoder, "SECTIONS": "".join(sections)}
    for name, text in filled.items():
        page = page.replace(f"{{{{{name}}}}}", text)
    write_text(out / "index.html", page)


main = Program(
    run,
    *MODEL,
    CORPORA,
    INTO,
    name="evaluation examples",
)
