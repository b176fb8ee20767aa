"""Every sentence that the page shows, in one place, ready to be translated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

TITLE = "a3t speech editor"
HEADING = "# Change what a recording says"
CONSENT = (
    "Edit only recordings of yourself, or of people who have agreed to it, and tell your "
    "listeners that the recording was edited: the edit.json says where."
)
TAB_EDIT, TAB_SPEAK = "Edit a recording", "Speech from a prompt"

RECORDING = "1 · Recording"
EXAMPLE = "Try it with an example"
TRANSCRIPT = "2 · What it says"
TRANSCRIPT_HINT = "Type or paste what the recording says, or leave it empty to have it recognised"
FIND_WORDS = "Find the words"
RECOGNISE = "Recognise the words"
TEXT_FILE = "Words from a file: .txt, .srt, .vtt, .TextGrid, or an edit.json to repeat"
NEW_TEXT = "3 · What it should say"
NEW_TEXT_HINT = (
    "Change the words here; only those that differ are synthesised. [pause 0.4] inserts a pause."
)
PREVIEW, MAKE, CANCEL = "Preview", "Make it", "Cancel"
ACCEPT, UNDO, REDO = "Accept and go on editing", "Undo", "Redo"
TAKES = "4 · Which one?"
FILES = "Download"
HISTORY = "History"
MORE = "More settings"
SPEED = "Speed of the new words (1: the speaker's own)"
FIT = "Fit the new words into the time of the words that they replace"
DURATION = "How long the new words take, in seconds (0: as long as this speaker would take)"
MARGIN = "How much of the neighbouring words is synthesised with them (milliseconds)"
MATCH = "Which traits of the recording the new words are given"
MATCH_INFO = "Its bandwidth, its spectrum above 7.6 kHz, and the noise of the room"
MATCHED = [("Bandwidth", "bandwidth"), ("Spectrum", "spectrum"), ("Room", "room")]
SEED = "Random seed"
VOICE, NO_VOICE = "Voice (a3t voice make)", "None: as the recording sounds"
MODEL, VOCODER, ALIGNER = "Model", "Vocoder", "Aligner"
FILE_TYPE = "File type"
FILE_TYPES = [("WAV", ".wav"), ("FLAC", ".flac")]
NUMBER_OF_TAKES = "How many results to choose from"
CONFIDENCE = "How clearly each word was heard"
CHANGES = "What will change"
ATTENTION = "Where the network looks as it fills the gap (figure 4.7 of the thesis)"
DRAW_ATTENTION = "Draw it"
STAGE = "Waveform, words and spectrogram"

PROMPT = "Voice to speak in: a recording of a few seconds"
PROMPT_TEXT = "What that recording says"
SAY = "What to say"
SPEAK = "Speak"
SPOKEN = "Spoken"
SPEECH_FILE = "speech.json: what was made, and from what"

NO_CHANGES_YET = "The changes appear here as you type the new text."
SAME_WORDS = "Nothing changes yet: both texts have the same words."
WORDS_THAT_GO = "is removed"
WORDS_THAT_COME = "is synthesised"
CANCELLED = "Cancelled: nothing was changed."
NO_RECORDING = "There is no recording yet: upload or record one first."
NO_NEW_TEXT = "There is no new text yet: type what the recording should say."
NO_TEXT_TO_SAY = "There is nothing to say yet: type a text."
NOTHING_MADE = "There is nothing to accept yet: press Make it first."
MEANWHILE = "The recording changed in the meantime: press Make it again."
CORRECT_THE_ORIGINAL = (
    "The transcript of an edited version can't be corrected: press Undo until the recording "
    "itself is shown, then correct what that says."
)
MADE_WORD = "This word was synthesised, so its place is exact: only recorded words can be moved."
TOO_MANY_VERSIONS = "There is no room for more versions: download this one and start again from it."
NOTHING_PLANNED = "There is no plan yet: press Preview first."
NO_WORD = "That word is no longer there: find the words again."
EXPIRED = "This session has expired: upload the recording again."
NO_EXAMPLE = "The example comes with the package pysptk, which is not installed here."
QUEUE_FULL = "Too many people are waiting: try again in a minute."
FAILED = "Something went wrong inside the editor; whoever runs this page will find it in the log."
OUTGROWN = (
    "This needs more memory than one request may take here: use a shorter recording or a shorter "
    "text, or the command line."
)
TOO_SLOW = (
    "This takes more time than one request may take here: use a shorter recording or a shorter "
    "text, or the command line."
)
CRASHED = (
    "The program that worked on this came to a sudden end: if it was about a file, convert that to "
    "WAV or to plain text and upload it again."
)
WRONG_FIELDS = (
    "A field of this request has a value of the wrong kind: send the fields that the API's "
    "description lists, each with its type."
)
STARTED, RECORDED = "Recording", "As recorded"

NO_FILE = "There is no file yet: upload one first."
NO_SOUND = "This file is not a sound file that can be read here: upload WAV, FLAC, OGG or MP3."
NOT_UPLOADED = "This recording was not uploaded here: upload it first."
NO_TIMES = "A word's times must be numbers of seconds: type them again."
SERVED_ELSEWHERE = "Files on other servers are not served here."
FETCHED_ELSEWHERE = "Files on other servers are not fetched: upload the file."
LARGE_REQUEST = "The request is too large."
THE_TRANSCRIPT, THE_NEW_TEXT, THE_TEXT = "transcript", "new text", "text"
THE_PROMPTS_TEXT, THE_EXPECTED_TEXT = "prompt's text", "expected text"

STEPS = {
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


STAGE_TEXTS = {  # of stage.html and stage.js; {} in them is filled in there
    "stage": "waveform, words and spectrogram",
    "empty": "The recording appears here.",
    "listening": "Listening",
    "recording": "Recording",
    "edited": "Edited",
    "edited_same_place": "Edited, at the same place",
    "stop": "Stop",
    "replaced": "replaced",
    "inserted": "inserted",
    "deleted": "deleted",
    "part_of_recording": "Part of the recording",
    "shown_from": "Show from, in seconds",
    "earlier": "Earlier",
    "later": "Later",
    "where_the_word_is": "Where the word is",
    "from": "from",
    "to": "to",
    "hear_it": "Hear it",
    "use_times": "Use these times",
    "drag_hint": "Drag the orange edges, or type; arrow keys move by 5 ms.",
    "words": "Words: click to hear one; the arrow keys move between them",
    "doubtful": "doubtful ({})",
    "in_an_edit": "in an edit",
    "seconds": "{} s",
    "span": "{} to {}",
    "span_of": "{} to {} of {}",
    "unplayable": "The browser can't play this: {}",
}


def introduction(megabytes: int, minutes: float) -> str:
    return (
        "Upload or record English speech, say what it says, change the text, and press **Make "
        "it**. Everything that you don't change stays as it was recorded, sample for sample. At "
        f"most {megabytes} MB and {length(60 * minutes)}."
    )


def take_name(candidate: Mapping[str, float], margin: float) -> str:
    """How one of the results differs from the others; `margin` in seconds."""
    rank, pace = int(candidate.get("rank", 1)), round(100 * (candidate.get("pace", 1.0) - 1))
    said = (
        f"{abs(pace)} % {'faster' if pace > 0 else 'slower'}" if pace else "at the speaker's pace"
    )
    best = " (best)" if rank == 1 else ""
    return f"{rank}{best}: {said}, joined within {1000 * margin:.0f} ms"


def hardly_heard(words: Sequence[str]) -> str:
    listed = ", ".join(f"“{word}”" for word in words)
    return f"Listen to it: {listed} can hardly be heard in the result."


def guessed(word: str, phones: str) -> str:
    return (
        f"“{word}” is in no dictionary: it was said as {phones}. If that is wrong, give its "
        "pronunciation and edit again."
    )


def not_offered(name: str) -> str:
    return f"{name} is not one of the models, vocoders and aligners here: choose another."


def length(seconds: float) -> str:
    hours, minutes = seconds / 3600, seconds / 60
    if hours >= 1:
        return f"{hours:g} hour{'' if hours == 1 else 's'}"
    return f"{minutes:g} minute{'' if minutes == 1 else 's'}"


def too_large(megabytes: int) -> str:
    return (
        f"The file is larger than {megabytes} MB: cut it, or use the command line, which has no "
        "such limit."
    )


def too_long(seconds: float) -> str:
    return (
        f"The recording is longer than {length(seconds)}, the most that this page takes: cut it, "
        "or use the command line, which has no such limit."
    )


def too_large_for_text(name: str, megabytes: int) -> str:
    return f"{name} is too large for a text: upload one of less than {megabytes} MB."


def too_many_characters(name: str, characters: int, most: int) -> str:
    return (
        f"The {name} is {characters} characters long and this page takes {most}: shorten it, or "
        "edit the recording in parts."
    )


def too_short(word: str, needed: float, left: float) -> str:
    return (
        f"“{word}” needs at least {needed:.3f} s, and {left:.3f} s are left for it: move the "
        "boundary less."
    )


def no_words_file(name: str) -> str:
    return f"{name} does not hold words: upload .txt, .srt, .vtt, .TextGrid or an edit.json."


def no_json(name: str) -> str:
    return f"{name} is not JSON: upload the edit.json unchanged."


def changes_summary(changes: int, gone: int, made: int) -> str:
    return (
        f"{counted(changes, 'change')}: {counted(gone, 'word')} "
        f"{'is' if gone == 1 else 'are'} removed, {counted(made, 'word')} "
        f"{'is' if made == 1 else 'are'} synthesised."
    )


def doubtful_word(score: float) -> str:
    return f"doubtful: confidence {score:.2f}"


def doubtful_summary(doubtful: int) -> str:
    if not doubtful:
        return "Every word was heard where the text has it."
    verb = "was" if doubtful == 1 else "were"
    return f"{counted(doubtful, 'word')} {verb} hardly heard: check the marked ones."


def counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


OTHER_HOST = (
    "This page is for this computer only, and was asked for by another name: open it at "
    "http://127.0.0.1, or start it with --auth or --root-path behind a proxy."
)
OTHER_ORIGIN = "Another site's page may not send anything here: use this page itself."
NOT_FROM_THE_PAGE = "Uploads are taken from this page alone: load it again, then upload."
NO_LENGTH = "An upload has to say how long it is (Content-Length): send it as a file."
UPLOADED_ENOUGH = "You have uploaded a great deal in the last hour: try again later."
NO_ROOM = "There is no room for another recording at the moment: try again in an hour."
