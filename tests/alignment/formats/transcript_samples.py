"""One text of two sentences, as each kind of transcript has it: a file each in `samples`."""

from pathlib import Path

SAMPLES = Path(__file__).with_name("samples")
SAID = "We met on Monday, at noon. It rained."
LINES = ("We met on Monday, at noon.", "It rained.")
SEGMENTS = [
    {"start": 1, "end": 3, "text": f" {LINES[0]}"},
    {"start": 3.5, "end": 5, "text": LINES[1]},
]
# The kind in the table of kinds, and what the file holds, by its name.
FILES: dict[str, tuple[str, str]] = {
    name: (kind, (SAMPLES / name).read_bytes().decode())
    for name, kind in (
        line.split("\t") for line in (SAMPLES / "kinds.tsv").read_text().splitlines()
    )
}
SRT = FILES["a.srt"][1]
TEXTS_ALONE = {name for name, (kind, _) in FILES.items() if kind == "text"}
