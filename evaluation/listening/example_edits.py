"""Edits to listen to: recordings of voices that no model was trained on, before and after.

    python -m evaluation examples --out docs/examples

It writes `index.html`, which needs nothing else, and the sounds as FLAC. The recordings are clips
of LibriSpeech and Common Voice (--corpora, or A3T_CORPORA); noise, room and telephone are added
here. The last edit is the least similar to its speaker of 24 in the report.
"""

from __future__ import annotations

import argparse
import html
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import soundfile
from tqdm import tqdm

from a3t.audio.output.files import atomic_path
from a3t.editor import Editor
from a3t.errors import InputError
from evaluation.edits.conditions import CLEAN, write_under
from evaluation.edits.listing import find_clips, read_list
from evaluation.harness.programs import add_model_arguments, clips_of
from training.corpora import Clip, corpora_root
from training.corpora.decoding import decode_floats

COMMON_VOICE = "commonvoice-common_voice_en_"


@dataclass(frozen=True)
class ExampleEdit:
    """A clip and what becomes of it: ``new_text`` after ``text``; without a new text it is cleaned;
    with ``prompt`` the new text is spoken after the clip."""

    name: str
    title: str
    clip: str
    text: str
    new_text: str = ""
    condition: str = CLEAN
    prompt: bool = False


EXAMPLES = (
    ExampleEdit(
        "replace",
        "A word is replaced",
        f"{COMMON_VOICE}37159309",
        "The three combined routes head east through farms.",
        "The three combined routes head west through farms.",
    ),
    ExampleEdit(
        "insert",
        "A word is inserted",
        f"{COMMON_VOICE}37230613",
        "He is also a member of the newspaper's editorial board.",
        "He is also a founding member of the newspaper's editorial board.",
    ),
    ExampleEdit(
        "delete",
        "Words are deleted",
        f"{COMMON_VOICE}37177068",
        "Brewster was the only Pilgrim with political and diplomatic experience.",
        "Brewster was the only Pilgrim with diplomatic experience.",
    ),
    ExampleEdit(
        "move",
        "Recorded words change places",
        f"{COMMON_VOICE}37030699",
        "By minting new and better quality currency, inflation was controlled.",
        "Inflation was controlled by minting new and better quality currency.",
    ),
    ExampleEdit(
        "noise",
        "In noise (pink, 10 dB below the speech)",
        f"{COMMON_VOICE}37230615",
        "Built up urban areas almost surround the entire mountain range.",
        "Built up urban areas almost surround the entire valley.",
        "pink noise 10 dB",
    ),
    ExampleEdit(
        "telephone",
        "Over a telephone",
        f"{COMMON_VOICE}37040274",
        "Today, their Victoria Crosses are in the National Army Museum.",
        "Today, their Victoria Crosses are in the National Science Museum.",
        "telephone",
    ),
    ExampleEdit(
        "room",
        "In an echoing room",
        f"{COMMON_VOICE}37262733",
        "The paper later had weekly distribution, and then began publishing daily.",
        "The paper later had monthly distribution, and then began publishing daily.",
        "room",
    ),
    ExampleEdit(
        "clean",
        "Long pauses are shortened (a3t clean)",
        "librispeech-2416-152139-0025",
        "What has a story got to do with this? snapped Carling. The man has got a home, said "
        "Jimmie Dale softly, a home and a wife and a little baby girl.",
    ),
    ExampleEdit(
        "prompt",
        "A sentence is spoken in the voice of the recording",
        f"{COMMON_VOICE}37278217",
        "One of his deceased kinsfolk or ancestors is at the bottom of it.",
        "Nobody at the station had ever seen such a train before.",
        prompt=True,
    ),
)
WORST = "report-11"  # of the report's edits, the least like its speaker

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>a3t: edits to listen to</title>
<style>
body {{ font: 17px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 52rem;
  padding: 0 1rem; }}
h2 {{ font-size: 1.1rem; margin: 2rem 0 .3rem; }} p {{ margin: .3rem 0; }}
.pair {{ display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }} audio {{ width: 100%; }}
del {{ color: #a33; }} ins {{ color: #161; font-weight: 600; text-decoration: none; }}
@media (max-width: 40rem) {{ .pair {{ grid-template-columns: 1fr; }} }}
@media (prefers-color-scheme: dark) {{
  body {{ background: #181818; color: #ddd; }} del {{ color: #e88; }} ins {{ color: #8d8; }}
}}
</style>
<h1>Edits to listen to</h1>
<p>No model was trained on these voices. The texts were given, each result is the first
  one made, and the last edit is the one of 24 that sounds least like its speaker.
  Model {model}, vocoder {vocoder}.</p>
{sections}
<h2>Licences</h2>
<p>The recordings are from Mozilla Common Voice (Delta Segment 13.0, CC0 1.0), and where the title
  says so from LibriSpeech (© 2014 Vassil Panayotov, CC BY 4.0, from LibriVox); please don't try to
  identify the speakers. Changes: decoded, resampled to 24 kHz, degraded where the title says so,
  and edited by a3t, as the comment in each edited file says (<code>a3t inspect</code>).</p>
</html>
"""
SECTION = """<h2>{title}</h2>
<p>{text}</p>
<div class="pair">
  <p>Before<br><audio controls preload="none" src="{name}.before.flac"></audio></p>
  <p>After<br><audio controls preload="none" src="{name}.after.flac"></audio></p>
</div>
"""


def marked(text: str, new_text: str) -> str:
    """HTML of the new text with what was deleted from the old one, and what is new, marked."""
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
        editor.tts(before, words[1], prompt_text=words[0], adapt="never").save(after)
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
    return SECTION.format(title=html.escape(title), text=text, name=example.name)


def worst_example(name: str, root: Path) -> tuple[ExampleEdit, Clip]:
    """An edit of the report, as an example."""
    edits = [edit for edit in read_list() if edit.name == name]
    if not edits:
        raise InputError(f"The report has no edit {name}: its edits are report-01 to report-48.")
    clip = find_clips(edits, root)[edits[0].clip]
    title = "The edit least like its speaker (of 24)"
    return ExampleEdit("worst", title, clip.name, *edits[0].texts(clip)), clip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument(
        "--worst", default=WORST, metavar="EDIT", help=f"an edit of the report (default: {WORST})"
    )


def run(options: argparse.Namespace) -> None:
    """Write the page; InputError if a clip is missing."""
    clips = {clip.name: clip for clip in clips_of(options)}
    missing = [each.clip for each in EXAMPLES if each.clip not in clips]
    if missing:
        raise InputError(f"The corpora lack {', '.join(missing)}: see docs/measuring.md.")
    todo: list[tuple[ExampleEdit, Clip]] = [(each, clips[each.clip]) for each in EXAMPLES]
    todo.append(worst_example(options.worst, options.corpora or corpora_root()))
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
    with atomic_path(out / "index.html") as temporary:
        page = PAGE.format(model=model, vocoder=vocoder, sections="".join(sections))
        temporary.write_text(page, encoding="utf-8")
