"""The Gradio web editor: four pages, of which the first frames the script editor.

Each button is an endpoint for programs, too ("Use via API" at a page's foot): a method of the
service, run as a job. A recording is sent with each request, and nothing is remembered of it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import gradio as gr
import numpy as np
from gradio import Progress

from a3t.audio.output.writing import pcm16
from a3t.example import NEW_TEXT, RECORDING, TEXT
from a3t.grid import SAMPLE_RATE
from a3t.plan.options import HTTP, PAGE, EditOptions, SpeechOptions, options_of
from app import limits, texts
from app.gradio_requests import Pages, Requests, error, make_callable, option_field, with_arguments
from app.processes.request_jobs import sentence_of
from app.server.voice_folder import PromptVoice
from app.service import Service

MAX_WAITING = 24  # length of the queue; further requests are refused with "try again"
# The editors' lanes take requests one by one, long ones beside short ones.
LINE: dict[str, Any] = {"concurrency_id": "editor", "concurrency_limit": 4}
PRIVATE: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
PROGRESS = Progress()
FILE: dict[str, Any] = {"type": "filepath", "buttons": ["download"]}  # none that shares it
SHOWN_FILE: dict[str, Any] = {**FILE, "interactive": False}
SCRIPT_FRAME = (
    '# Script editor\n\n<iframe id="script-editor" title="Editor" allow="microphone"></iframe>'
)
EDIT_ROWS = [r for r in options_of(EditOptions, HTTP) if PAGE in r.doors or r.name == "candidates"]
COLOURS = {"new": "#009E73", "deleted": "#D55E00", "doubtful": "#D8A800"}


def reveal() -> Any:
    """Show a column of results, which are about to come."""
    return gr.Column(visible=True)


def quick_edit(service: Service, open_project: Callable[..., str]) -> None:
    """Lay out the page that edits one recording by its text."""
    run = Requests(service).run

    async def transcribe(recording: str, expected: str = "", progress: Progress = PROGRESS) -> str:
        """Recognise what the recording says; a text close to it helps."""
        return str(await run(service.transcribe, progress, recording, expected))

    async def plan(
        recording: str, new_text: str, text: str = "", speed: float = 1.0, changes: str = "",
        progress: Progress = PROGRESS,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Plan an edit, in frames of 12.5 ms, without rendering it.

        "differences" lists where the new text departs from the recognised one; "changes" has the
        numbers of those to make ("1,3"; "all").
        """
        planned = await run(service.plan, progress, recording, new_text, text, speed, changes)
        return planned.pop("preview"), planned

    async def edit(recording: str, text: str, new_text: str, *more: Any) -> tuple[Any, ...]:
        """Edit the recording.

        Returns the sound before and after, a picture of both, the differences that weren't made,
        the edited sound, its edit.json and its TextGrid as files, and the transcript used.
        """
        *values, changes, progress = more
        options = {row.name: value for row, value in zip(EDIT_ROWS, values, strict=True)}
        done = await run(service.edit, progress, recording, text, new_text, options, changes)
        made = recording, done.respelled, done.new_text, options
        return recording, done.recording, done.picture, done.left, *done.files, done.text, made

    def list_differences(planned: dict[str, Any], *edit: str) -> tuple[Any, list[str]]:
        """List a plan's differences, ticked as it makes them, and what edit they are of."""
        listed = planned["differences"]
        choices = [(each["shown"], each["number"]) for each in listed]
        made = [each["number"] for each in listed if each["ticked"]]
        return gr.CheckboxGroup(choices, value=made, visible=bool(listed)), list(edit)

    def ticked(numbers: list[int], listed: list[str], *edit: str) -> tuple[str, Any]:
        """Return the ticked numbers as programs send them; "" if the list is of another edit."""
        changes = ",".join(map(str, numbers)) or "none"
        return changes if listed == list(edit) else "", reveal()

    def hand_over(recording: str, text: str, made: tuple[Any, ...], request: gr.Request) -> str:
        """Return a link to a new project: of the edit that was made of the recording, or of it."""
        of_edit = made and made[0] == recording
        try:
            name = open_project(request.request, *(made if of_edit else (recording, text)))
        except Exception as raised:
            raise error(sentence_of(raised)) from None
        return f"[Open the project](./#project={name})"

    gr.Markdown(texts.QUICK_EDIT)
    listed, made = gr.State([]), gr.State()
    with gr.Row():
        with gr.Column():
            recording = gr.Audio(label="Recording", **FILE)
            recognise = gr.Button("Recognise", size="sm")
            text = gr.Textbox("", label="Transcript", lines=3, info=texts.TRANSCRIPT_INFO)
            new_text = gr.Textbox("", label="New text", lines=3)
            with gr.Accordion("Options", open=False):
                options = [option_field(row) for row in EDIT_ROWS]
                changes = gr.Textbox("", label="Changes", info=texts.CHANGES, interactive=False)
            with gr.Row():
                preview = gr.Button("Preview")
                make = gr.Button("Edit", variant="primary")
                cancel = gr.Button("Cancel", variant="stop")
            over = gr.Button("Open in the script editor", size="sm")
            link = gr.Markdown()
            gr.Examples([[str(RECORDING), TEXT, NEW_TEXT]], [recording, text, new_text])
        with gr.Column():
            with gr.Column(visible=False) as previewed:
                shown = gr.HighlightedText(
                    label="Preview", color_map=COLOURS, show_legend=True, elem_id="preview"
                )
                boxes = gr.CheckboxGroup(label="Differences", info=texts.DIFFERENCES, visible=False)
                with gr.Accordion("Plan", open=False):
                    planned = gr.JSON(label="Plan")
            with gr.Column(visible=False) as results:
                before = gr.Audio(label="Before", **SHOWN_FILE)
                after = gr.Audio(label="After", **SHOWN_FILE)
                picture = gr.Image(label="Before and after", show_label=False, **SHOWN_FILE)
                with gr.Row():
                    files = [gr.DownloadButton(name) for name in texts.EDIT_FILES]
                left = gr.Textbox(label="Not made", interactive=False)
                used = gr.Textbox(label="Transcript that was used", interactive=False)
    asked = [recording, text, new_text]
    events: list[Any] = [
        recognise.click(transcribe, [recording, new_text], text, **LINE),
        preview.click(ticked, [boxes, listed, *asked], [changes, previewed], **PRIVATE).success(
            plan, [recording, new_text, text, options[0], changes], [shown, planned], **LINE
        ),
        make.click(ticked, [boxes, listed, *asked], [changes, results], **PRIVATE).success(
            with_arguments(edit, [*(row.name for row in EDIT_ROWS), "changes"]),
            [*asked, *options, changes],
            [before, after, picture, left, *files, used, made], show_progress_on=after, **LINE,
        ),
    ]  # fmt: skip
    events[1].success(list_differences, [planned, *asked], [boxes, listed], **PRIVATE)
    cancel.click(None, cancels=events, api_visibility="private")
    over.click(hand_over, [recording, text, made], link, api_visibility="private")


def speech(service: Service, voices: Mapping[str, PromptVoice]) -> None:
    """Lay out the page that speaks a text in the voice of a prompt."""
    requests = Requests(service)

    async def tts(
        prompt: str, text: str, prompt_text: str = "", speed: float = 1.0, seed: int = 0,
        voice: str = "", progress: Progress = PROGRESS,
    ) -> AsyncIterator[tuple[Any, ...]]:  # fmt: skip
        """Speak the text in the prompt's voice, or in one of the server's, piece by piece.

        Last come the whole sound, its speech.json and the prompt's text.
        """
        asked = prompt, text, prompt_text, seed, speed, voices.get(voice)
        async for piece in requests.pieces(service.tts, progress, *asked):
            if isinstance(piece, tuple):
                yield None, *map(str, piece)
            else:
                yield (SAMPLE_RATE, np.frombuffer(pcm16(piece), np.int16)), None, None, gr.skip()

    gr.Markdown(texts.SPEECH_PAGE)
    with gr.Row():
        with gr.Column():
            prompt = gr.Audio(label="A recording of the voice", **FILE)
            prompt_text = gr.Textbox("", label="Its transcript", info=texts.TRANSCRIPT_INFO)
            own = [("none: the recording's", ""), *((name, name) for name in voices)]
            voice = gr.Dropdown(own, value="", label="Or a voice of this server")
            text = gr.Textbox("", label="Text to speak", lines=3)
            with gr.Accordion("Options", open=False):
                speed, seed = (option_field(row) for row in options_of(SpeechOptions, PAGE))
            with gr.Row():
                speak = gr.Button("Speak", variant="primary")
                cancel = gr.Button("Cancel", variant="stop")
        with gr.Column(), gr.Column(visible=False) as results:
            heard = gr.Audio(
                label="Speech", streaming=True, autoplay=True, interactive=False, buttons=[]
            )
            sound = gr.Audio(label="The whole", **SHOWN_FILE)
            record = gr.DownloadButton("speech.json")
    given = [prompt, text, prompt_text, speed, seed, voice]
    shown = speak.click(reveal, None, results, **PRIVATE)
    spoken = shown.success(tts, given, [heard, sound, record, prompt_text], **LINE)
    cancel.click(None, cancels=[spoken], api_visibility="private")


def align_and_check(service: Service) -> None:
    """Lay out the page that times words, checks a reading and inspects a file."""
    run = Requests(service).run

    async def align(recording: str, text: str = "", progress: Progress = PROGRESS) -> Any:
        """Time the words and phones: seconds and confidence (0 to 1), a TextGrid, a picture."""
        found, *files = await run(service.align_with_files, progress, recording, text)
        return found.to_json(), *files

    async def check(recording: str, script: str, progress: Progress = PROGRESS) -> list[list[str]]:
        """List where a reading departs from its script."""
        found = await run(service.check, progress, recording, script)
        return [[f"{r.start:.2f}", f"{r.end:.2f}", r.kind, r.written, r.said] for r in found]

    async def inspect(recording: str, progress: Progress = PROGRESS) -> str:
        """Name the synthetic parts of a file, by its record or its watermark."""
        return str(await run(service.inspect, progress, recording))

    gr.Markdown(texts.ALIGN_PAGE)
    recording = gr.Audio(label="Recording", **FILE)
    text = gr.Textbox("", label="Transcript or script", lines=3, info=texts.TRANSCRIPT_INFO)
    with gr.Row():
        buttons = [gr.Button(name) for name in ("Align", "Check", "Inspect")]
        cancel = gr.Button("Cancel", variant="stop")
    with gr.Column(visible=False) as aligned:
        picture = gr.Image(label="Words and phones", show_label=False, **SHOWN_FILE)
        textgrid = gr.DownloadButton("TextGrid")
        with gr.Accordion("Words and phones as JSON", open=False):
            timed = gr.JSON()
    with gr.Column(visible=False) as checked:
        table = gr.Dataframe(headers=texts.DEPARTURES, label="Departures from the script")
    with gr.Column(visible=False) as inspected:
        parts = gr.Textbox(label="Synthetic parts", interactive=False)
    works: list[Any] = [
        (aligned, align, [recording, text], [timed, textgrid, picture]),
        (checked, check, [recording, text], table),
        (inspected, inspect, recording, parts),
    ]
    events: list[Any] = [
        button.click(reveal, None, column, **PRIVATE).success(work, given, gives, **LINE)
        for button, (column, work, given, gives) in zip(buttons, works, strict=True)
    ]
    cancel.click(None, cancels=events, api_visibility="private")


def blocks(
    service: Service, voices: Mapping[str, PromptVoice], open_project: Callable[..., str]
) -> gr.Blocks:
    """Return the four pages; ``open_project`` makes a script editor's project of an edit."""
    keep = (limits.KEEP_SECONDS // 6, limits.KEEP_SECONDS)
    pages = Pages(title=texts.TITLE, analytics_enabled=False, delete_cache=keep, fill_width=True)
    layouts: list[tuple[str, str, Callable[[], None]]] = [
        ("Quick edit", "/edit", lambda: quick_edit(service, open_project)),
        ("Speech from a prompt", "/speech", lambda: speech(service, voices)),
        ("Align and check", "/align", lambda: align_and_check(service)),
    ]
    with pages:  # the script editor's project is in their address, too: web/frame.js
        gr.Navbar(main_page_name="Script editor")
        gr.Markdown(SCRIPT_FRAME, sanitize_html=False, elem_classes="editor-frame")
    for name, path, lay_out in layouts:
        with pages.route(name, path):
            gr.Navbar(main_page_name="Script editor")
            lay_out()
    return pages.queue(default_concurrency_limit=1, max_size=MAX_WAITING)


make_callable(__name__)  # front().launch()
