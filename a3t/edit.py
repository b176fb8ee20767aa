"""Change what a recording says: python -m a3t.edit --wav IN --new-text TEXT

Only the words that differ are made anew; everything else stays as it was recorded.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from a3t.commands import add_model_arguments, run, say, show_progress, text_argument


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m a3t.edit",
        description="Change what a recording says.",
        epilog="A TEXT may be @FILE. Exit codes: 0 done, 1 the input can't be used, 2 wrong usage.",
    )
    result.add_argument("--wav", type=Path, required=True, metavar="IN")
    result.add_argument("--new-text", required=True, metavar="TEXT", help="what it shall say")
    result.add_argument(
        "--text",
        metavar="TEXT",
        help="what it says (default: IN's .txt, .lab or .TextGrid, else recognised)",
    )
    result.add_argument(
        "--out", type=Path, metavar="OUT", help="default: {stem}.edited.wav beside IN"
    )
    result.add_argument("--alignment", type=Path, metavar="FILE", help="a TextGrid or JSON")
    result.add_argument("--plan", action="store_true", help="print the plan, render nothing")
    result.add_argument("--json", action="store_true", help="print edit.json")
    add_model_arguments(result)
    return result


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    return run(lambda: edit(options))


def edit(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError or AlignmentError."""
    new_text = text_argument(options.new_text)
    text = text_argument(options.text) if options.text is not None else None
    # What can be refused at once is refused before the models are loaded.
    from a3t.audio.recording import Recording
    from a3t.audio.writing import check_output, default_output
    from a3t.text.transcript import Transcript

    recording = Recording.open(options.wav)
    Transcript.from_text(new_text)
    out = options.out or default_output(options.wav)
    if not options.plan:
        check_output(recording, out)

    from a3t.editor import Editor

    show_progress("read")
    editor = Editor.load(options.model, options.vocoder, options.device, show_progress)
    plan = editor.plan(recording, new_text, text, options.alignment, options.speed)
    if text is None:
        say(f"Transcript: {plan.text.text.strip()}")
    if options.plan:
        say("") if sys.stderr.isatty() else None
        print(json.dumps(plan.to_json(), indent=1) if options.json else plan.describe())
        return
    result = editor.check(editor.render(recording, plan, options.seed))
    written = result.save(out)
    if options.json:
        print(json.dumps(result.record, indent=1, ensure_ascii=False))
    else:
        say(plan.describe())
        say(f"Written: {written}")
    if result.doubtful:
        words = ", ".join(f"“{word}”" for word in result.doubtful)
        say(f"Listen to it: {words} can hardly be heard in the result.")


if __name__ == "__main__":
    sys.exit(main())
