"""Speak a text in a recording's voice, by `a3t tts IN --text TEXT --out OUT`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from a3t.commands.options import (
    add_expert_options,
    add_voice_options,
    check_replaced,
    option,
    table_options,
    text_argument,
    user_dictionary,
)
from a3t.console import EXIT_CODES, Parser, Progress, importing, run, say
from a3t.errors import InputError
from a3t.plan.options import SpeechOptions, options_of

if TYPE_CHECKING:
    from a3t.editor import Editor
    from a3t.plan.prompt import SpeechPlan
    from a3t.plan.request import SpeechRequest
    from a3t.rendering.edited import EditedRecording
    from a3t.rendering.spoken import SpokenRecording

SENTENCE_ENDINGS = (".", "?", "!", "…")
TO_A_PROGRAM = Path("-")  # instead of a file: stream a WAV to standard output


def parser() -> argparse.ArgumentParser:
    """Return the parser of `a3t tts`."""
    result = Parser(
        prog="a3t tts",
        usage="a3t tts IN --text TEXT --out OUT [--prompt-text TEXT] [options]",
        description="Speak a text in the voice of a recording, or in a voice made by a3t voice.",
        epilog=f"A TEXT may be @FILE. {EXIT_CODES}",
    )
    about = "one or more recordings of the voice (default: those of --voice)"
    option(result, "prompts IN", about, nargs="*")
    about = "the same, as an option; may be repeated"
    option(result, "--prompt-wav IN", about, action="append", default=[])
    about = "what the prompt says (once for each prompt; default: as for a3t edit)"
    option(result, "--prompt-text TEXT", about, action="append")
    option(result, "--text TEXT", "what to say", required=True)
    about = "the output file; - streams a WAV to standard output"
    option(result, "--out OUT", about, required=True)
    about = "append the speech to the prompt's recording, with its room sound"
    option(result, "--continue", about, dest="appends")
    option(result, "--no-provenance", "don't mark the file as synthetic")
    option(result, "--json", "print speech.json")
    add_voice_options(result.add_argument_group("how it sounds"), SpeechOptions)
    add_expert_options(result.add_argument_group("for experts"), SpeechOptions)
    return result


def main(arguments: list[str]) -> int:
    """Run `a3t tts` and return the exit code."""
    options = parser().parse_intermixed_args(arguments)
    options.prompt_wav = [*options.prompts, *options.prompt_wav]
    if not options.prompt_wav and options.voice is None:
        parser().error("name a recording of the voice, or --voice with a voice of your own")
    if options.json and options.out == TO_A_PROGRAM:
        parser().error("--json and --out - both write to standard output: omit one")
    if options.appends and (len(options.prompt_wav) != 1 or options.out == TO_A_PROGRAM):
        parser().error("--continue needs one recording, and a file for --out")
    return run(lambda: speak(options))


def speak(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError."""
    from a3t.audio.output.files import check_target
    from a3t.audio.output.writing import speech_container
    from a3t.audio.reading.recording import Recording
    from a3t.plan.edit_limits import check_spoken_words
    from a3t.plan.request import SpeechRequest, pronunciations_of

    text = text_argument(options.text, headings=True)
    prompt_texts = None
    if options.prompt_text is not None:
        prompt_texts = [text_argument(each) for each in options.prompt_text]
    request = SpeechRequest(
        text=text,
        prompt_text=prompt_texts,
        pronunciations=pronunciations_of(user_dictionary(options)),
        **table_options(options, SpeechOptions),
    )
    check_spoken_words(request.transcript)
    for prompt in options.prompt_wav:
        Recording.open(prompt)
        check_target(options.out, prompt)
    if options.out != TO_A_PROGRAM:
        check_replaced(options.out)
        if not options.appends:
            speech_container(options.out)
    progress = Progress()
    progress("read")
    with importing():
        from a3t.editor import Editor
    from a3t.source.alignments import default_folder

    names = (options.model, options.vocoder, options.device)
    editor = Editor.load(*names, progress, cache_dir=default_folder(), voice=options.voice)
    if options.appends:
        append(editor, options, request)
        return
    plan = editor.plan_speech(options.prompt_wav, request)
    if options.out == TO_A_PROGRAM:
        stream(editor, plan)
        return
    result = editor.spoken(plan)
    if prompt_texts is None:
        for each in result.plan.heard:
            say(f"Prompt: {each.text.text}")
    save(result, options)


def append(editor: Editor, options: argparse.Namespace, speech: SpeechRequest) -> None:
    """Write the prompt with the text after it, as an insertion at the recording's end."""
    from a3t.plan.request import EditRequest

    (prompt,) = options.prompt_wav
    said = speech.prompt_text[0] if speech.prompt_text else editor.transcribe(prompt).text
    ended = said.rstrip()
    new_text = f"{ended}{'' if ended.endswith(SENTENCE_ENDINGS) else '.'} {speech.text}"
    request = EditRequest(
        new_text=new_text,
        text=said,
        pronunciations=speech.pronunciations,
        **{each.name: getattr(speech, each.name) for each in options_of(SpeechOptions)},
    )
    save(editor.edit(prompt, request), options)


def save(result: SpokenRecording | EditedRecording, options: argparse.Namespace) -> None:
    """Write a result, and say so, or print its record."""
    written = result.save(options.out, not options.no_provenance)
    if options.json:
        print(json.dumps(result.record, indent=1, ensure_ascii=False))
    else:
        say(f"Written: {written}")


def stream(editor: Editor, plan: SpeechPlan) -> None:
    """Stream the speech to standard output: WAV, 16 bits, its length left open."""
    from a3t.audio.output.writing import pcm16, stream_header
    from a3t.grid import SAMPLE_RATE

    out = sys.stdout.buffer
    try:
        out.write(stream_header(SAMPLE_RATE))
        for piece in editor.speak(plan):
            out.write(pcm16(piece))
            out.flush()
    except BrokenPipeError:
        raise InputError("The program that was reading the speech has ended.") from None
