"""`make demo`: three edits in one run, of the sentence in `a3t.example`."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from a3t.commands.options import option
from a3t.console import Parser, run
from a3t.example import NEW_TEXT, RECORDING, TEXT


def main(arguments: list[str]) -> int:
    parser = Parser(prog="a3t demo", description=__doc__)
    option(parser, "--out OUT", "folder for the results", default=Path("demo"))
    options = parser.parse_args(arguments)
    return run(lambda: show(options.out))


def show(folder: Path) -> None:
    """Edit the sentence and draw it; leaves four files in `folder`."""
    from a3t.projects.output_files import require_packages

    require_packages(["png"])
    started = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "arctic.wav"
    shutil.copyfile(RECORDING, source)
    print(f"Before  {TEXT}\nAfter   {NEW_TEXT}", flush=True)

    from a3t.editor import Editor

    result = Editor.load().edit(source, new_text=NEW_TEXT, text=TEXT)
    edited = folder / "arctic.edited.wav"
    result.save(edited)

    from a3t.projects.export.pictures import draw_edit

    picture = draw_edit(source, edited, result.record, folder / "arctic.png")
    rate = result.record["source"]["sample_rate"]
    for edit in result.record["edits"]:
        first, last = (f"{sample / rate:.2f}" for sample in edit["output"])
        words = " → ".join(edit[key] or "–" for key in ("old_words", "new_words"))
        print(f"  {edit['op']:8}{words:20} {first}–{last} s of the edited recording")
    for name, path in (
        ("recording", source),
        ("edited", edited),
        ("edits", edited.with_suffix(".edit.json")),
        ("picture", picture),
    ):
        print(f"{name:10}{path.resolve()}")
    print(f"{time.monotonic() - started:.1f} s")
