"""The page's sentences, in one place, ready to be translated."""

from __future__ import annotations

TITLE = "a3t speech editor"
CANCELLED = "Cancelled: nothing was changed."
NO_RECORDING = "There is no recording yet: upload or record one first."
NO_NEW_TEXT = "There is no new text yet: type what the recording should say."
NO_TEXT_TO_SAY = "There is nothing to speak yet: type a text."
WORDS_TO_COME = "The words around this change are not known yet: wait a moment."
NO_WORD = "That word is no longer there: find the words again."
QUEUE_FULL = "Too many people are waiting: try again in a minute."
MANY_SPEAK = "Others are recording here: your words will appear when you stop."
FAILED = "Something went wrong inside the editor: the log of this page's server has the details."
MEMORY_EXCEEDED = (
    "This needs more memory than one request may use here: choose a shorter recording or a shorter "
    "text, or the command line."
)
TOO_SLOW = (
    "This takes longer than one request may take here: choose a shorter recording or a shorter "
    "text, or the command line."
)
CRASHED = (
    "The process that worked on this stopped unexpectedly: if it read a file, convert that to "
    "WAV or plain text and upload it again."
)
NO_JSON = "The body is not valid JSON: send an object with the fields of /openapi.json."
NO_FORM = "The form can't be read: send its fields and the file as multipart/form-data."
WRONG_FIELDS = (
    "A field of this request has a value of the wrong type: send the fields that the API's "
    "description lists, with their types."
)
CHOOSE_BY_FIELD = "The field “changes” takes the numbers (1,3), all, ticked or none."
OWN_TRACK = "This is the project's recording itself: add another speaker's track."
FILM_AMONG_TRACKS = (
    "A film can't be joined with tracks and keep its picture: open it alone, then add them."
)
TOO_MANY_CHANNELS = (
    "Tracks that are heard together can have {most} channels in all: export fewer, or mono ones."
)
TOO_MANY_RECORDINGS = "No more recordings can be added: remove one that you no longer need."
CHANGED_HERE = "These words are part of a change: undo it before you correct them."
NOT_MADE_YET = "Some changes are still being made: wait a moment."
NOT_MADE, A_DELETION = "The change “{what}” can't be made: {why}", "delete"
CUT_BESIDE = (
    "Another speaker talks here at the same time: what they say is shortened with this change. "
    "Listen to it."
)
NOT_HEARD_YET = "The recording is still being recognised: wait until all its words are there."
NO_CONSENT = "A voice needs its speaker's consent: ask the speaker first."
NO_VOICES_MADE = "Voices aren't learnt on this server: use `a3t voice make` on your own computer."
CHANGED_ALREADY = (
    "There are changes already: undo them, then give the recording another transcript."
)
NAMELESS, THE_NAME = "Type a name.", "name"
GONE_ELSEWHERE = "This project was deleted in another window."
TEXT_DOES_NOT_MATCH = (
    "The text doesn't match the recording: correct it, or open the recording without it."
)
NOT_HERE = "There is nothing here."
WRONG_LOGIN = "That name and password don't match: type them again."
LOG_IN_LATER = "The last try was wrong: wait a second, then type the password again."
LOG_IN = "Log in first: load the page again."

OTHER_GONE = "These words' recording is no longer in the project: add it again."
OTHER_SOUND = "The recording in this project file doesn't match its words: open only the recording."
NO_SOUND = "This is not a sound file that a3t can read: upload WAV, FLAC, OGG, MP3, M4A or a film."
NOT_UPLOADED = "This file was not uploaded here: upload it first."
SERVED_ELSEWHERE = "Files on other servers are not served here."
FETCHED_ELSEWHERE = "Files on other servers are not fetched: upload the file."
LARGE_REQUEST = "The request is too large."
NO_SCRIPT = "There is no script yet: paste what the recording should say."
TRANSCRIPT_INFO = "Without it, a3t recognises the words."
DIFFERENCES = "From what was heard: the ticked ones are made. Untick what was only misheard."
CHANGES = "The numbers of the ticked differences, as programs send them; “all” or “none”."
HANDED_OVER = "Quick edit"
EDIT_FILES = ("Recording", "edit.json", "TextGrid")
DEPARTURES = ["from", "to", "kind", "written", "said"]
QUICK_EDIT = (
    "# Quick edit\n\n"
    "Choose a recording, change its text, and hear the change; all else stays as it was. "
    "For longer work use the script editor. It keeps the edit as you heard it here; of a "
    "recording over 40 s it makes each change anew."
)
SPEECH_PAGE = (
    "# Speech from a prompt\n\nSpeak a text in the voice of a recording of a few seconds, or in a "
    "saved voice."
)
ALIGN_PAGE = (
    "# Align and check\n\n"
    "Find when each word and phone is spoken, list where a reading departs from its script, or "
    "name the parts of a file that are synthetic."
)
THE_TRANSCRIPT, THE_NEW_TEXT, THE_TEXT = "transcript", "new text", "text"
THE_LIST = "list of names"
THE_PROMPTS_TEXT, THE_EXPECTED_TEXT = "prompt's text", "expected text"

STEP_SENTENCES = {
    "load": "Loading the models",
    "read": "Reading the recording",
    "transcribe": "Recognising the words",
    "align": "Finding the words in the recording",
    "plan": "Planning",
    "fill": "Filling the spectrogram",
    "vocode": "Generating the sound",
    "splice": "Joining",
    "check": "Checking the new words",
    "save": "Writing the files",
}
OTHER_HOST = (
    "This page serves only this computer: open it at "
    "http://127.0.0.1, or start it with --auth or --root-path behind a proxy."
)
NO_TOKEN = "The token is missing or wrong: send “Authorization: Bearer TOKEN”."
OTHER_ORIGIN = "Requests from other sites are refused: use this page itself."
NO_REQUEST = "This page doesn't know that request: send it again."
NOT_FROM_THE_PAGE = "Uploads must come from this page: load it again, then upload."
NO_LENGTH = "An upload must state its length (Content-Length): send it as a file."
UPLOADED_ENOUGH = "You have reached this hour's upload limit: try again later."
NO_ROOM = "There is no room for another recording: try again in an hour."


def not_kept(reason: object) -> str:
    """Say why a fetched recogniser can't be kept."""
    return f"Whisper can't be kept here: {reason}."


def missing_field(name: str) -> str:
    """Say that a required field is missing."""
    return f"“{name}” is missing: send the fields that /openapi.json describes."


def no_file(name: str) -> str:
    """Say that a field must be a file."""
    return f"“{name}” is text: send it as a file (with curl: -F {name}=@FILE)."


def not_offered(name: str) -> str:
    """Say that there is no model, vocoder or aligner of this name."""
    return f"{name[:80]} is not one of the models, vocoders and aligners here: choose another."


def length(seconds: float) -> str:
    """Return a length in hours or minutes."""
    hours, minutes = seconds / 3600, seconds / 60
    if hours >= 1:
        return f"{hours:g} hour{'' if hours == 1 else 's'}"
    return f"{minutes:g} minute{'' if minutes == 1 else 's'}"


def too_large(megabytes: int) -> str:
    """Say that a file exceeds the limit."""
    return (
        f"The file is larger than {megabytes} MB: cut it, or use the command line, which has no "
        "such limit."
    )


def too_long_together(seconds: float) -> str:
    """Say that recordings together exceed the limit."""
    return (
        f"These recordings are longer than {length(seconds)} together: use the command line for "
        "more."
    )


def too_long(seconds: float) -> str:
    """Say that a recording exceeds the limit."""
    return (
        f"The recording is longer than {length(seconds)}, the most that this page accepts: cut it, "
        "or use the command line, which has no such limit."
    )


def too_many_characters(name: str, characters: int, most: int) -> str:
    """Say that a text exceeds the limit."""
    return (
        f"The {name} is {characters} characters long and this page accepts {most}: shorten it, or "
        "edit the recording in parts."
    )
