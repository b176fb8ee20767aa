"""Speak a text in a recording's voice: python -m a3t.tts --prompt-wav IN --text TEXT --out OUT"""

from __future__ import annotations

if __name__ == "__main__":  # before the other imports, which are slow
    from a3t.errors import end_at_once

    end_at_once()

import argparse
import json
import sys
from pathlib import Path

from a3t.console import add_common_arguments, run, say, show_progress, text_argument


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="a3t tts",
        description="Speak a text in the voice of a recording.",
        epilog="A TEXT may be @FILE. Exit codes: 0 success, 1 unusable input, 2 wrong usage.",
    )
    result.add_argument(
        "--prompt-wav", type=Path, required=True, metavar="IN", help="a recording of the voice"
    )
    result.add_argument(
        "--prompt-text", metavar="TEXT", help="what the prompt says (default: as for a3t edit)"
    )
    result.add_argument("--text", required=True, metavar="TEXT", help="what to say")
    result.add_argument("--out", type=Path, required=True, metavar="OUT")
    result.add_argument(
        "--no-provenance", action="store_true",
        help="don't record in the file that it is synthetic",
    )  # fmt: skip
    result.add_argument("--json", action="store_true", help="print speech.json")
    add_common_arguments(result)
    return result


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    return run(lambda: speak(options))


def speak(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError or AlignmentError."""
    text = text_argument(options.text)
    prompt_text = text_argument(options.prompt_text) if options.prompt_text is not None else None
    from a3t.audio.files import check_target
    from a3t.audio.recording import Recording
    from a3t.plan.edit_limits import check_seed, check_speed
    from a3t.text.pronunciation.as_it_sounds import as_it_sounds
    from a3t.text.transcript import Transcript
    from alignment.formats.dictionary import user_dictionary

    check_seed(options.seed)
    check_speed(options.speed)
    pronunciations = user_dictionary(options, as_it_sounds)
    Recording.open(options.prompt_wav)
    Transcript.from_text(text)
    check_target(options.out, options.prompt_wav)

    from a3t.editor import Editor

    show_progress("read")
    editor = Editor.load(
        options.model, options.vocoder, options.device, show_progress, voice=options.voice
    )
    prompt = (options.prompt_wav, text, prompt_text)
    result = editor.tts(*prompt, options.seed, options.speed, pronunciations)
    written = result.save(options.out, not options.no_provenance)
    if prompt_text is None:
        say(f"Prompt: {result.prompt_text}")
    if options.json:
        print(json.dumps(result.record, indent=1, ensure_ascii=False))
    else:
        say(f"Written: {written}")


if __name__ == "__main__":
    sys.exit(main())
