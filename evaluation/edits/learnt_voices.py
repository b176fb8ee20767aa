"""Edits of long recordings, before and after learning their voice (`a3t voice make`).

Successive clips of one voice are joined; the same edits are made by the model as it ships and in
the voice learnt from the recording, and compared edit by edit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.model.saved_voices import Voice
from a3t.voice.adaptation import VoicePiece, adapt, pieces_of
from a3t.voice.making import of_one_speaker
from evaluation.edits.conditions import CLEAN
from evaluation.edits.edits_table import LEGEND, PairedEdits, edits_report
from evaluation.edits.experiment import measure_edit
from evaluation.edits.listing import ListedEdit
from evaluation.edits.long_recordings import EDITS, MOST_RECORDINGS, write_long
from evaluation.harness.declared_tables import Figures, Row, Rows
from evaluation.harness.estimates import Interval
from evaluation.harness.measurement import CORPORA, HALF, MODEL, Measurement, Setting
from training.corpora import Clip
from training.programs import counts, option


def long_edits(setting: Setting) -> list[ListedEdit]:
    """Edits of so many voices, recordings of each and edits of a voice."""
    options = setting.options
    if not 0.1 <= options.minutes <= 60:
        raise InputError("--minutes goes from 0.1 to 60.")
    edits, setting.known["clips"] = write_long(
        setting.clips,
        options.set,
        options.minutes,
        setting.folder / "recordings",
        options.voices,
        options.recordings,
        options.edits,
    )
    return edits


def measure(edit: ListedEdit, setting: Setting) -> Iterator[Row]:
    """An edit, and the same with the recording's voice learnt."""
    clip = setting.known["clips"][edit.clip]
    before = [row | {"learnt": False} for row in measure_edit(edit, clip, [CLEAN], setting)]
    yield from before
    begun = time.process_time()
    if ("voice", clip.name) not in setting.known:
        setting.known["voice", clip.name] = learn(clip, setting)
    own = setting.known["voice", clip.name]
    cost = {"learning": time.process_time() - begun}  # of the recording's first edit
    for row in measure_edit(edit, clip, [CLEAN], setting, before, own):
        yield row | {"learnt": True, "recording": edit.clip} | cost
        cost = {}


def learn(clip: Clip, setting: Setting) -> Editor:
    """The editor in the voice of a recording; InputError if it has too little speech."""
    editor, recording = setting.editor, Recording.open(clip.path)
    found = [*pieces_of(recording, editor.align(recording, clip.text))]
    pieces, _ = of_one_speaker([piece for piece in found if isinstance(piece, VoicePiece)])
    folder = setting.folder / "voices" / clip.path.stem
    made = adapt(editor.base_networks.model, pieces, folder)
    model = {"name": editor.name, "sha256": editor.sha256}
    return editor.in_voice(Voice(clip.path.stem, model, {}, made.changes, ""))


def halves(rows: Rows) -> tuple[list[Row], list[Row]]:
    """After learning, and before."""
    learnt = [row for row in rows if row["learnt"]]
    return learnt, [row for row in rows if not row["learnt"]]


def report(rows: Rows, setting: Setting) -> str:
    cost = figures(rows)["seconds"]
    return f"{edits_report(*halves(rows))}\n{cost:.0f} s of the processor for each recording.\n"


def figures(rows: Rows) -> Figures:
    """The effect of learning, and its cost."""
    after, before = halves(rows)
    spent = sum(row.get("learning", 0.0) for row in after)
    recordings = len({row["recording"] for row in after})
    found: Figures = {"seconds": spent / recordings, "recordings": recordings}
    for measure in ("similarity", "dnsmos"):
        values = PairedEdits(after).changes(PairedEdits(before), measure)
        found[measure] = Interval.of(values)
        found[f"{measure}.higher"] = Interval.share(sum(v > 0 for v in values), len(values))
    return found


MEASUREMENT = Measurement(
    long_edits,
    measure,
    options=(
        HALF,
        option("--minutes", type=float, default=1.0, metavar="M", help="length of each recording"),
        option("--voices", type=int, metavar="N", help="default: all with enough speech"),
        *counts(recordings=MOST_RECORDINGS, edits=EDITS),
        *MODEL,
        CORPORA,
    ),
    unit="edit",
    report=report,
    figured=figures,
    legend=LEGEND,
)
