"""The Gradio web editor: four pages, of which the first frames the script editor.

Each button is an endpoint for programs too ("Use via API" at a page's foot): a method of the
service, run as a job whose progress Gradio shows and whose *Cancel* ends it. A recording is sent
with each request, and nothing is remembered of it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import gradio as gr
import numpy as np
from fastapi import FastAPI, Request

from a3t.audio.output.writing import pcm16
from a3t.example import NEW_TEXT, RECORDING, TEXT
from a3t.grid import SAMPLE_RATE
from a3t.plan.options import HTTP, PAGE, EditOptions, SpeechOptions, options_of
from app import limits, texts
from app.gradio_requests import Pages, Requests, error, option_field, with_arguments
from app.processes.request_jobs import sentence_of
from app.server.voice_folder import PromptVoice
from app.service import Service

WAITING = 24  # length of the queue; further requests are refused with "try again"
# The editors' lanes take requests one by one, long ones beside short ones.
LINE: dict[str, Any] = {"concurrency_id": "editor", "concurrency_limit": 4}
FRAME = '<iframe id="script-editor" title="Script editor" allow="microphone"></iframe>'
FIRST = "Script editor"
FILES = ("Recording", "edit.json", "TextGrid")
EDIT_ROWS = [
    row for row in options_of(EditOptions, HTTP) if PAGE in row.doors or row.name == "candidates"
]
COLOURS = {"new": "#009E73", "deleted": "#D55E00", "doubtful": "#F0E442"}
CSS = """
#script-editor { width: 100%; height: calc(100dvh - 6rem); border: 0 }
.editor-frame { padding: 0 !important } footer { margin: 0 !important }
"""


def script_editor() -> None:
    """Show the script editor, its project in the page's address (`web/frame.js`)."""
    gr.Markdown(FRAME, sanitize_html=False, elem_classes="editor-frame")


def quick_edit(service: Service, open_project: Callable[..., str]) -> None:
    """Lay out the page that edits one recording by its text."""
    requests = Requests(service)

    async def transcribe(
        recording: str, expected: str = "", progress: gr.Progress = gr.Progress()
    ) -> str:
        """Recognise what the recording says; a text close to it helps."""
        return str(await requests.run(service.transcribe, progress, recording, expected))

    async def plan(
        recording: str, new_text: str, text: str = "", speed: float = 1.0, changes: str = "",
        progress: gr.Progress = gr.Progress(),
    ) -> tuple[Any, ...]:  # fmt: skip
        """Plan an edit, in frames of 12.5 ms; render nothing. Its "differences" are those from a
        recognised text, of which "changes" has the numbers of those to make ("1,3"; "all")."""
        asked = recording, new_text, text, speed, changes
        planned = await requests.run(service.plan, progress, *asked)
        return planned.pop("preview"), planned

    async def edit(recording: str, text: str, new_text: str, *more: Any) -> tuple[Any, ...]:
        """Edit the recording: before, after, a picture of both, the differences that weren't made,
        the files (the edited sound, its edit.json, its TextGrid), and the transcript used."""
        *values, changes, progress = more
        options = {row.name: value for row, value in zip(EDIT_ROWS, values, strict=True)}
        asked = recording, text, new_text, options, changes
        done = await requests.run(service.edit, progress, *asked)
        files = done.recording, done.record, done.textgrid
        settings = {row.name: options[row.name] for row in EDIT_ROWS if PAGE in row.doors}
        made = recording, done.text, done.new_text, settings
        return recording, done.recording, done.picture, done.left, *files, done.text, made

    def list_differences(planned: dict[str, Any], *edit: str) -> tuple[Any, list[str]]:
        """List a plan's differences, ticked as it makes them, and what edit they are of."""
        listed = planned["differences"]
        shown = [(each["shown"], each["number"]) for each in listed]
        made = [each["number"] for each in listed if each["ticked"]]
        return gr.CheckboxGroup(shown, value=made, visible=bool(listed)), list(edit)

    def ticked(numbers: list[int], listed: list[str], *edit: str) -> str:
        """Return the ticked numbers as programs send them; "" if the list is of another edit."""
        return (",".join(map(str, numbers)) or "none") if listed == list(edit) else ""

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
            recording = gr.Audio(label="Recording", type="filepath")
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
            gr.Examples([[str(RECORDING), TEXT, NEW_TEXT]], [recording, text, new_text])
        with gr.Column():
            shown = gr.HighlightedText(label="Preview", color_map=COLOURS, show_legend=True)
            differences = gr.CheckboxGroup(
                label="Differences", info=texts.DIFFERENCES, visible=False
            )
            with gr.Accordion("Plan", open=False):
                planned = gr.JSON(label="Plan")
            before = gr.Audio(label="Before", type="filepath", interactive=False)
            after = gr.Audio(label="After", type="filepath", interactive=False)
            picture = gr.Image(label="Before and after", type="filepath", interactive=False)
            left = gr.Textbox(label="Left as recorded", interactive=False)
            with gr.Row():
                files = [gr.DownloadButton(name) for name in FILES]
            used = gr.Textbox(label="Transcript that was used", interactive=False)
            over = gr.Button("Open in the script editor")
            link = gr.Markdown()
    asked = [recording, text, new_text]
    choice: dict[str, Any] = {
        "fn": ticked, "inputs": [differences, listed, *asked], "outputs": changes,
        "queue": False, "show_progress": "hidden", "api_visibility": "private",
    }  # fmt: skip
    events: list[Any] = [
        recognise.click(transcribe, [recording, new_text], text, api_name="transcribe", **LINE),
        preview.click(**choice).success(
            plan, [recording, new_text, text, options[0], changes], [shown, planned],
            api_name="plan", **LINE,
        ),
        make.click(**choice).success(
            with_arguments(edit, [*(row.name for row in EDIT_ROWS), "changes"]),
            [*asked, *options, changes],
            [before, after, picture, left, *files, used, made],
            api_name="edit", **LINE,
        ),
    ]  # fmt: skip
    events[1].success(
        list_differences, [planned, *asked], [differences, listed], api_visibility="private"
    )
    cancel.click(None, cancels=events, api_visibility="private")
    over.click(hand_over, [recording, text, made], link, api_visibility="private")


def speech(service: Service, voices: Mapping[str, PromptVoice]) -> None:
    """Lay out the page that speaks a text in the voice of a prompt."""
    requests = Requests(service)

    async def tts(
        prompt: str, text: str, prompt_text: str = "", speed: float = 1.0, seed: int = 0,
        voice: str = "",
    ) -> AsyncIterator[tuple[Any, ...]]:  # fmt: skip
        """Speak the text in the prompt's voice, or in one of the server's, piece by piece; then the
        whole sound, its speech.json and the prompt's text."""
        chosen = voices.get(voice)
        pieces = requests.pieces(service.tts, prompt, text, prompt_text, seed, speed, chosen)
        async for piece in pieces:
            if isinstance(piece, tuple):
                yield None, *map(str, piece)
            else:
                yield (SAMPLE_RATE, np.frombuffer(pcm16(piece), np.int16)), None, None, gr.skip()

    gr.Markdown(texts.SPEECH_PAGE)
    with gr.Row():
        with gr.Column():
            prompt = gr.Audio(label="A recording of the voice", type="filepath")
            prompt_text = gr.Textbox(
                "", label="What the recording says", info=texts.TRANSCRIPT_INFO
            )
            own = [("none: the recording's", ""), *((name, name) for name in voices)]
            voice = gr.Dropdown(own, value="", label="Or a voice of this server")
            text = gr.Textbox("", label="Text to speak", lines=3)
            with gr.Accordion("Options", open=False):
                speed, seed = (option_field(row) for row in options_of(SpeechOptions, PAGE))
            with gr.Row():
                speak = gr.Button("Speak", variant="primary")
                cancel = gr.Button("Cancel", variant="stop")
        with gr.Column():
            heard = gr.Audio(label="Speech", streaming=True, autoplay=True, interactive=False)
            sound = gr.Audio(label="The whole", type="filepath", interactive=False)
            record = gr.DownloadButton("speech.json")
    given = [prompt, text, prompt_text, speed, seed, voice]
    gives = [heard, sound, record, prompt_text]
    spoken = speak.click(tts, given, gives, api_name="tts", **LINE)
    cancel.click(None, cancels=[spoken], api_visibility="private")


def align_and_check(service: Service) -> None:
    """Lay out the page that times words, checks a reading and inspects a file."""
    requests = Requests(service)

    async def align(
        recording: str, text: str = "", progress: gr.Progress = gr.Progress()
    ) -> tuple[Any, ...]:
        """Time the words and phones: seconds and confidence (0 to 1), a TextGrid, a picture."""
        return await requests.run(service.align_with_files, progress, recording, text)

    async def check(
        recording: str, script: str, progress: gr.Progress = gr.Progress()
    ) -> list[list[Any]]:
        """List where a reading departs from its script."""
        found = await requests.run(service.check, progress, recording, script)
        return [
            [f"{each.start:.2f}", f"{each.end:.2f}", each.kind, each.written, each.said]
            for each in found
        ]

    async def inspect(recording: str, progress: gr.Progress = gr.Progress()) -> str:
        """Name the synthetic parts of a file, by its record or its watermark."""
        return str(await requests.run(service.inspect, progress, recording))

    gr.Markdown(texts.ALIGN_PAGE)
    recording = gr.Audio(label="Recording", type="filepath")
    text = gr.Textbox("", label="Transcript or script", lines=3, info=texts.TRANSCRIPT_INFO)
    with gr.Row():
        buttons = [gr.Button(name) for name in ("Align", "Check", "Inspect")]
        cancel = gr.Button("Cancel", variant="stop")
    picture = gr.Image(label="Words and phones", type="filepath", interactive=False)
    textgrid = gr.DownloadButton("TextGrid")
    table = gr.Dataframe(
        headers=["from", "to", "kind", "written", "said"], label="Departures from the script"
    )
    parts = gr.Textbox(label="Synthetic parts", interactive=False)
    with gr.Accordion("Words and phones as JSON", open=False):
        timed = gr.JSON()
    works: list[Any] = [
        (align, [recording, text], [timed, textgrid, picture]),
        (check, [recording, text], table),
        (inspect, recording, parts),
    ]
    events: list[Any] = [
        button.click(work, given, gives, api_name=work.__name__, **LINE)
        for button, (work, given, gives) in zip(buttons, works, strict=True)
    ]
    cancel.click(None, cancels=events, api_visibility="private")


def blocks(
    service: Service, voices: Mapping[str, PromptVoice], open_project: Callable[..., str]
) -> gr.Blocks:
    """Return the four pages; ``open_project`` makes a script editor's project of an edit."""
    keep = (limits.KEEP_SECONDS // 6, limits.KEEP_SECONDS)
    pages = Pages(title=texts.TITLE, analytics_enabled=False, delete_cache=keep, fill_width=True)
    with pages:
        gr.Navbar(main_page_name=FIRST)
        script_editor()
    with pages.route("Quick edit", "/edit"):
        gr.Navbar(main_page_name=FIRST)
        quick_edit(service, open_project)
    with pages.route("Speech from a prompt", "/speech"):
        gr.Navbar(main_page_name=FIRST)
        speech(service, voices)
    with pages.route("Align and check", "/align"):
        gr.Navbar(main_page_name=FIRST)
        align_and_check(service)
    return pages.queue(default_concurrency_limit=1, max_size=WAITING)


def mount(
    app: FastAPI, pages: gr.Blocks, user: Callable[[Request], str | None] | None, root: str
) -> None:
    """Mount the pages at the application's root; ``user`` names who has logged in."""
    gr.mount_gradio_app(
        app, pages, "/", auth_dependency=user, root_path=root or None, show_error=False,
        max_file_size=limits.MAX_MEGABYTES * 1_000_000, ssr_mode=False, enable_monitoring=False,
        theme=gr.themes.Base(font=["sans-serif"], font_mono=["monospace"]), css=CSS,
        head=f'<script type="module" src="{root}/studio/web/frame.js"></script>',
    )  # fmt: skip
