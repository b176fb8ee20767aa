"""Edits of test clips by a recipe's own model: what it sounds like.

python -m a3t.evaluation.sample_edits data/test exp/packed/a3t_paper exp/decode

In each clip the words of its middle third are replaced by others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from a3t.console import run, say
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.training.espnet.dump import read_scp
from alignment import AlignmentError

OTHER_WORDS = "seven yellow birds"


def replaced(text: str) -> str:
    """The text with the words of its middle third replaced by others."""
    words = text.split()
    third = max(1, len(words) // 3)
    return " ".join([*words[:third], *OTHER_WORDS.split(), *words[len(words) - third :]])


def decode(data: Path, model: Path, out: Path, vocoder: str, clips: int) -> str:
    """Write NAME.wav and NAME.edit.json for the first clips that can be edited; a summary.

    InputError if none can.
    """
    sounds, texts = read_scp(data / "wav.scp"), read_scp(data / "text")
    editor = Editor.load(model, vocoder=vocoder)
    out.mkdir(parents=True, exist_ok=True)
    done: list[str] = []
    problem = f"{data} has no clips"
    for name, sound in sounds.items():
        if len(done) == clips:
            break
        if len(texts[name].split()) < 6:
            continue
        try:
            result = editor.edit(sound, new_text=replaced(texts[name]), text=texts[name])
            result.save(out / f"{name}.wav")
        except (InputError, AlignmentError) as error:
            problem = f"{name}: {error}"
            say(problem)
            continue
        done.append(name)
    if not done:
        raise InputError(f"No clip could be edited; the last: {problem}")
    return f"{out}: {', '.join(done)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 1 nothing could be edited (one sentence says why)."""
    parser = argparse.ArgumentParser(
        prog="python -m a3t.evaluation.sample_edits", description=__doc__
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--vocoder", default="builtin")
    parser.add_argument("--clips", type=int, default=5)
    options = parser.parse_args(arguments)
    given = (options.data, options.model, options.out, options.vocoder, options.clips)
    return run(lambda: print(decode(*given)))


if __name__ == "__main__":
    sys.exit(main())
