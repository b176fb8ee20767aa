"""Replays an edit.json: the same recording, weights and decisions give the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from a3t.audio.output.patches import Patch, audio_slice, sample_map
from a3t.audio.output.provenance import Weights
from a3t.audio.reading.formats import is_lossy, to_float
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.emphasis import Raised
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.model.saved_voices import OF_RECORDING, load_voice
from a3t.plan.edit_limits import Seconds
from a3t.plan.request import EditRequest
from a3t.projects.project import (
    TAKES,
    History,
    Version,
    alignment_in,
    passages_in,
    read_record,
    source_of,
    voice_name,
    with_earlier_sound,
)
from a3t.projects.takes import (
    PLACES_ENTRY,
    MadeEdit,
    Take,
    alignment_within,
    made_edits,
    merged_takes,
)
from a3t.rendering.edited import EditedRecording
from a3t.source.alignments import default_folder
from a3t.source.records import AlignedRecording
from a3t.text.transcript import parsed
from alignment.serialisation import from_json


def replay(
    record: Path,
    source: Path | None = None,
    model: str | None = None,
    vocoder: str | None = None,
    device: str = "cpu",
    progress: Callable[[str], None] | None = None,
) -> EditedRecording:
    """Make the edit of an edit.json, ``record``, again from its source, or from ``source``.

    ``model`` and ``vocoder`` are their locations if they are not shipped ones. Raises InputError if
    the record isn't an edit.json, or if the recording, the model or the vocoder differ from those
    that it names.
    """
    data = read_record(record)
    recording = Recording.open(source or source_of(record, data), data["source"].get("track"))
    if recording.sha256 != data["source"]["sha256"]:
        raise InputError(
            f"{recording.path} is not the recording that {record.name} was made from (the sha256 "
            "differs): give the right one with --wav."
        )
    names = (model or data["model"]["name"], vocoder or data["vocoder"]["name"])
    editor = Editor.load(*names, device, progress, default_folder())
    return remake(editor, recording, History.of(data).chain())


def remake(editor: Editor, recording: Recording, chain: Sequence[Version]) -> EditedRecording:
    """Make a chain's last version (`History.chain`), each version on top of the last.

    Raises InputError if the editor's models are not those that a version was made with.
    """
    result: EditedRecording | None = None
    for version in chain:
        if version.get(TAKES):
            result = remake_takes(editor, recording, version)
            continue
        if version["edits"]:
            _check_models(version, editor)
        request = EditRequest.from_json(version).beside(recording.path.parent)
        plan = editor.plan(source_in(version, recording), request)
        rendered = in_the_voice_of(version, editor).render(plan)
        result = rendered if result is None else with_earlier_sound(result, rendered)
    assert result is not None
    return result


def remake_takes(editor: Editor, recording: Recording, version: Version) -> EditedRecording:
    """Make a version again whose changes were each made alone.

    Raises InputError as `remake`, or if its takes don't belong to its text or to the recording.
    """
    request = EditRequest.from_json(version).beside(recording.path.parent)
    source = source_in(version, recording)
    assert isinstance(source, AlignedRecording)  # read_record has seen to it
    edits: list[tuple[int, MadeEdit]] = []
    voiced: dict[str | None, Editor] = {}  # by the voice's sha256
    shared: dict[tuple[Take, str | None], EditedRecording] = {}  # of which several takes are shares
    for entry in version[TAKES]:
        _check_models(entry, editor)
        take = Take.from_json(entry).beside(recording.path.parent)
        own = alignment_within(source.alignment, take.stretch, recording.sample_rate)
        try:
            name = (entry.get("voice") or {}).get("sha256")
            whole = replace(take, share=None), name
            if (made := shared.get(whole)) is None:
                if name not in voiced:
                    voiced[name] = in_the_voice_of(entry, editor)
                with audio_slice(recording, take.stretch) as clip:
                    made = take.render(voiced[name], take.plan(editor, clip, own))
            if take.share:
                shared[whole] = made
            part = take.own_part(made)
            edits += zip(entry[PLACES_ENTRY], made_edits(part, take.stretch), strict=True)
        except ValueError:
            raise InputError("The takes in the edit.json are not of this recording.") from None
    return merged_takes(
        source,
        request,
        edits,
        tuple(version[TAKES]),
        Weights.from_json(version["model"]),
        Weights.from_json(version["vocoder"]),
        from_json(Weights | None, version.get("voice")),  # type: ignore[arg-type]
    )


def as_it_sounds(
    editor: Editor, recording: Recording, history: History, place: int, out: Path
) -> EditedRecording:
    """Return a version of the recording: made again, or as it lies in ``out``.

    That is read if the editor's models are not those that it was made with. Raises InputError if
    neither can be had: ``out`` has another version, was changed, or is lossy.
    """
    version = history.versions[place]
    try:
        return remake(editor, recording, history.chain(place))
    except OtherModelsError:
        if place != history.place:
            raise
        found = in_file(editor, recording, version, out)
        if found is None:
            raise
        return found


def in_file(
    editor: Editor, recording: Recording, version: Version, out: Path
) -> EditedRecording | None:
    """Return the result that an output holds, its patches taken from there sample for sample.

    None if the output is not the one that the version was written with, or lossy.
    """
    written = (version.get("output") or {}).get("sha256")
    if written is None or not out.is_file():
        return None
    file = Recording.open(out)
    if is_lossy(file.subtype) or file.sha256 != written or file.channels != recording.channels:
        return None
    try:
        spans = [(tuple(edit["source"]), tuple(edit["output"])) for edit in version["edits"]]
        spoken = [edit["words"] for edit in version["edits"] if edit["words"]]
        lengths = tuple(tuple(from_json(Seconds, w["seconds"]) for w in words) for words in spoken)
        request = replace(EditRequest.from_json(version), fit=False, duration=None, lengths=lengths)
        plan = editor.plan(source_in(version, recording), request)
        raised = tuple(
            tuple(Raised(x["semitones"], x["dB"]) for x in edit.get("emphasis", ()))
            for edit in version["edits"]
        )
        patches = [Patch(a, to_float(file.read(*b))) for a, b in spans]
        length = sample_map(recording, patches).output_length
    except (ValueError, TypeError, KeyError):  # changed by hand, or its plan is now another
        return None
    if plan.source_edits:  # what is changed within them can't be read from the file
        return None
    places = [(edit.op, edit.old_words, edit.new_words) for edit in plan.edits]
    told = [(e["op"], e["old_words"], e["new_words"]) for e in version["edits"]]
    if places != told or length != file.samples:
        return None
    models = Weights.from_json(version["model"]), Weights.from_json(version["vocoder"])
    return EditedRecording(plan, tuple(patches), *models, raised=raised)


def in_the_voice_of(record: Version, editor: Editor) -> Editor:
    """Return the editor with a version's voice; raise InputError if it isn't there."""
    name = voice_name(record)
    if name is None:
        return editor if editor.voice is None else editor.in_voice(None)
    if name == OF_RECORDING:
        raise OtherModelsError(
            "This was made in a voice learnt from the recording itself by an earlier version of "
            "a3t: replay it with that, or make a voice (a3t voice make) and edit again."
        )
    voice = load_voice(name)
    _check_same("voice", Weights.from_json(record["voice"]), voice.sha256)
    return editor.in_voice(voice)


def source_in(version: Version, recording: Recording) -> Recording | AlignedRecording:
    """Return a version's recording with the alignment that it was made with, if known."""
    if (alignment := alignment_in(version)) is None:
        return recording
    text = parsed(str(version["text"]))
    return AlignedRecording(recording, text, alignment, passages_in(version))


class OtherModelsError(InputError):
    """An edit was made with models that the editor doesn't have."""


def _check_models(version: Version, editor: Editor) -> None:
    for kind, sha256 in (("model", editor.sha256), ("vocoder", editor.vocoder.sha256)):
        _check_same(kind, Weights.from_json(version[kind]), sha256)


def _check_same(kind: str, made_with: Weights, sha256: str | None) -> None:
    if made_with.sha256 != sha256:
        raise OtherModelsError(
            f"The {kind} {made_with.name!r} is not the one in the edit.json: replay it with the "
            "version of a3t that made it, or start again with another --out."
        )
