"""Hostile inputs, made from a seed: sound files, texts, subtitles, alignments, records, lists.

Each is (kind, name, bytes): a well-formed one, and mutations of it that a fuzzer's dictionary and a
few cuts, swaps and repetitions give.
"""

import io
import json
import random
import struct
import tempfile
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import soundfile as sf

from a3t.projects.document import Document
from a3t.text.transcript import Transcript
from tests.audio.films import film

FORMATS = [
    ("wav", "WAV", "PCM_16"), ("wav", "WAV", "FLOAT"), ("wav", "WAV", "GSM610"),
    ("flac", "FLAC", "PCM_16"), ("ogg", "OGG", "VORBIS"), ("opus", "OGG", "OPUS"),
    ("mp3", "MP3", "MPEG_LAYER_III"), ("aiff", "AIFF", "PCM_16"), ("w64", "W64", "PCM_24"),
    ("caf", "CAF", "PCM_16"), ("rf64", "RF64", "PCM_16"),
]  # fmt: skip
CONTAINERS = [  # name, codec of the sound, of the picture
    ("talk.m4a", "aac", None), ("talk.mkv", "flac", None), ("talk.webm", "libopus", None),
    ("talk.mp4", "aac", "mpeg4"), ("talk.mov", "pcm_s16le", None), ("talk.avi", "mp2", None),
]  # fmt: skip
CHUNKS = [
    b"LIST",
    b"bext",
    b"cue ",
    b"iXML",
    b"id3 ",
    b"_PMX",
    b"data",
    b"fmt ",
    b"fact",
    b"\0\xff<&",
]
TEXTS = {
    "txt": "and you always want to see it [pause 0.4] in *the* superlative degree, $5.20 at 9:30",
    "srt": "1\n00:00:00,000 --> 00:00:01,500\n<i>and you</i> always\n\n2\n00:00:02,000 --> "
    "00:00:03,000\nwant {\\an8}to see\n",
    "vtt": "WEBVTT\n\n00:00.000 --> 00:01.500\nand you &amp; always\n",
    "sbv": "0:00:00.000,0:00:01.500\nand you always\n\n0:00:02.000,0:00:03.000\nwant\n",
    "ass": "[Events]\nFormat: Layer, Start, End, Style, Name, Text\n"
    "Dialogue: 0,0:00:00.00,0:00:01.50,Default,BOB,{\\i1}and\\Nyou\n",
    "lrc": "Anna  0:01\nand you [2] always\n\n[00:02.00] Scene 1. A house.\nBOB: want\n",
    "tsv": "start\tend\ttext\n0\t1500\tand you\n",
    "json": json.dumps(
        {
            "results": {
                "channels": [
                    {
                        "alternatives": [
                            {"words": [{"word": "and", "start": 0.0, "end": 0.5, "speaker": 0}]}
                        ]
                    }
                ]
            }
        }
    ),
    "lab": "0 5000000 and 0.9\n5000000 9000000 you 0.9\n",
    "ctm": "talk 1 0.00 0.50 and 0.9\ntalk 1 0.50 0.40 you 0.9\n",
    "TextGrid": 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n1\n<exists>\n1\n'
    '"IntervalTier"\n"words"\n0\n1\n1\n0\n1\n"and"\n',
    "dict": "and AE1 N D\nyou Y UW1\n",
}
ALIGNMENT = {
    "duration": 0.5,
    "score": 1.0,
    "words": [
        {
            "text": "and", "start": 0.0, "end": 0.5, "score": 1.0,
            "phones": [
                {"symbol": "AE1", "start": 0.0, "end": 0.2, "score": 1.0},
                {"symbol": "N", "start": 0.2, "end": 0.5, "score": 1.0},
            ],
        }
    ],
}  # fmt: skip
RECORD = {
    "source": {"path": "talk.wav", "sha256": "0" * 64},
    "text": "and", "new_text": "you", "rate": 1.0, "seed": 0,
    "edits": [{"op": "replace", "source": [0, 12000], "old_words": "and", "new_words": "you"}],
    "asked": {"speed": 1.0, "fit": False, "margin": 0.025, "duration": None, "lengths": None},
    "alignment": ALIGNMENT, "aligned_words": None,
    "model": {"name": "small", "sha256": "0"}, "vocoder": {"name": "builtin", "sha256": "0"},
}  # fmt: skip
TAKE = {  # how a change was made alone
    "stretch": [0, 8000], "variation": 0, "level": -20.0,
    **{name: RECORD[name] for name in ("text", "new_text", "asked", "alignment", "seed", "model")},
    "vocoder": RECORD["vocoder"], "words": [0],
}  # fmt: skip
TAKEN = RECORD | {"takes": [TAKE]}
EDIT = {"after": -1, "tokens": [0], "text": "you", "take": 0, "accepted": False, "cut": None}
AT = "takes/0123456789abcdef/0"  # a take's members of a project's file; its key is put in
PROJECT: dict[str, Any] = {
    "a3t-project.json": {
        "format": 1, "id": "0" * 24, "name": "talk.wav", "file": "talk.wav", "edits": 1,
        "parts": [[0, 8000]], "places": True, "plain": False, "sample_rate": 16_000,
        "file_channels": 1, "samples": 8000,
    },
    "script.json": {"revision": 3, "edits": [EDIT], "settings": {}, "draft": None},
    "places.json": [
        {"first": 0, "last": 8000, "transcript": Transcript.from_text("and").to_json()},
    ],
    "words/0000.json": {
        "tokens": [{"id": 0, "text": "and", "words": ALIGNMENT["words"], "pause": False}],
        "pauses": [],
    },
    "pronunciations.json": {"you": {"said": "YOO", "phones": ["Y", "UW1"]}},
    f"{AT}/take.json": {
        "number": 0, "pace": 1.0, "duration": None, "lengths": [[0.3]], "seconds": 0.3,
        "spans": [{"source": [10, 20], "length": 30}], "doubts": [], "guessed": {},
        "words": [
            {"span": 0, "word": 0, "text": "you", "start": 0.0, "end": 0.3, "length": [0, 0]}
        ],
        "level": -20.0, "doubtful": [], "model": RECORD["model"], "vocoder": RECORD["vocoder"],
        "voice": None, "candidate": None, "scores": [[["you", 0.9]]],
        "mix": {
            "edits": [
                {
                    "plan": {
                        "op": "replace", "old_words": "and", "new_words": "you", "old": [0, 1],
                        "new": [0, 1], "source_frames": [0, 40], "margin_frames": [0, 0],
                        "overlap_frames": [0, 0], "frames": 24, "scale": 1.0,
                        "words": [{"word": "you", "seconds": 0.3, "scale": 1.0}],
                        "phones": [["Y", 12, 0], ["UW1", 12, 0]],
                    },
                    "sources": [None, None], "anchor": [0, 0], "old": 1,
                    "new": [
                        {"text": "you", "written": "you", "pause_after": False, "token": 0,
                         "speaker": ""}
                    ],
                    "phones": [["Y", "UW1"]],
                }
            ],
            "rate": 1.0, "cut": None, "said": {},
        },
    },
    f"{AT}/request.json": TAKE,
}  # fmt: skip
PLAN = {"text": "and", "new_text": "you", "edits": [{"words": [{"word": "you", "seconds": 0.3}]}]}
LIST = "wav\tnew_text\tout\ntalk.wav\tand you\tout.wav\n"

VALUES: list[Any] = [
    None, True, -1, 0, 2**63, 2**70, 10**400, 1e308, float("inf"), float("nan"), "", "\0",
    "\ud800", "x" * 3000, [], {}, [[[[]]]],
]  # fmt: skip
PIECES = [
    b"\0", b"\xff", b"\n", b"<", b"{\\", b"[a3t 1 wrote this file: 1 samples at 1 Hz]\n",
    b"9" * 400,
    b"(", b"[pause ", b"*", b"-", b"1,", b".", b" --> ", b"[" * 200,
    b'{"a":' * 200, b"\xef\xbb\xbf",
    "\u202e\u0301".encode(), b"nan", b"inf", b"-1", b"1e999", b"\r", b"\t" * 50, b"&#x110000;",
]  # fmt: skip


def inputs(seed: int, count: int) -> Iterator[tuple[str, str, bytes]]:
    """``count`` inputs; the same for a seed."""
    draw = random.Random(seed)
    for k in range(count):
        match draw.randrange(8):
            case 0:
                ending, container, subtype = draw.choice(FORMATS)
                yield "sound", f"{k}.{ending}", mutated(_sound(container, subtype), draw)
            case 5:
                yield "sound", f"{k}.wav", _with_chunks(_sound("WAV", "PCM_16"), draw)
            case 6:
                name, data = draw.choice(_containers())
                yield "sound", f"{k}.{name}", mutated(data, draw)
            case 1:
                kind, record = draw.choice(
                    [
                        ("alignment", ALIGNMENT),
                        ("record", RECORD),
                        ("record", TAKEN),
                        ("plan", PLAN),
                    ]
                )
                text = json.dumps(_changed(record, draw))
                yield kind, f"{k}.json", text.encode("utf-8", "surrogatepass")
            case 7:
                yield "project", f"{k}.a3t.zip", _project(draw)
            case 2:
                yield "list", f"{k}.{draw.choice(['tsv', 'jsonl'])}", mutated(LIST.encode(), draw)
            case _:
                ending = draw.choice(sorted(TEXTS))
                yield "text", f"{k}.{ending}", mutated(TEXTS[ending].encode(), draw)


def _project(draw: random.Random) -> bytes:
    """A project's file with a lie in one of its members, or broken."""
    members = {
        name: json.dumps(value).encode() for name, value in json.loads(json.dumps(PROJECT)).items()
    }
    if draw.random() < 0.7:
        name = draw.choice(sorted(members))
        changed = json.dumps(_changed(PROJECT[name], draw))
        members[name] = changed.encode("utf-8", "surrogatepass")
    elif draw.random() < 0.5:
        name = draw.choice(sorted(members))
        members[name] = mutated(members[name], draw)
    patch = io.BytesIO()
    np.save(patch, np.zeros((30, 1)))
    members[f"{AT}/patch.npy"] = patch.getvalue()
    members["original/talk.wav"] = _sound("WAV", "PCM_16")
    if draw.random() < 0.3:
        name = draw.choice([f"{AT}/patch.npy", "original/talk.wav"])
        members[name] = mutated(members[name], draw)
    key = Document.from_json({"edits": [EDIT]}).changes[0].key
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", draw.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as out:
        for name, data in members.items():
            out.writestr(name.replace("0123456789abcdef", key), data)
    return mutated(file.getvalue(), draw) if draw.random() < 0.3 else file.getvalue()


@cache
def _containers() -> tuple[tuple[str, bytes], ...]:
    with tempfile.TemporaryDirectory() as folder:
        speech = Path(folder) / "speech.wav"
        speech.write_bytes(_sound("WAV", "PCM_16"))
        return tuple(
            (name, film(Path(folder) / name, speech, codec, picture).read_bytes())
            for name, codec, picture in CONTAINERS
        )


def _with_chunks(data: bytes, draw: random.Random) -> bytes:
    """A WAV with chunks before and after its sound, whose sizes may be lies."""
    parts = [data[:36]]
    for place in (0, 1):
        for _ in range(draw.randrange(3)):
            inside = draw.choice(PIECES) * draw.randrange(1, 60)
            if draw.random() < 0.5:
                inside = b"INFO" + b"".join(
                    name + struct.pack("<I", draw.choice([len(inside), 2**32 - 1, 0])) + inside
                    for name in (b"ICMT", b"ISFT")
                )
            size = draw.choice([len(inside)] * 4 + [0, 1, 2**31, 2**32 - 1])
            parts.append(draw.choice(CHUNKS) + struct.pack("<I", size) + inside)
            parts.append(b"\0" * (len(inside) % 2))
        if not place:
            parts.append(data[36:])
    whole = b"".join(parts)
    return whole[:4] + struct.pack("<I", len(whole) - 8) + whole[8:]


@cache
def _sound(container: str, subtype: str) -> bytes:
    file = io.BytesIO()
    samples = np.random.default_rng(0).normal(0, 0.1, 8000)
    with sf.SoundFile(file, "w", 16_000, 1, subtype, format=container) as sound:
        if container != "W64":
            sound.comment = "[a3t 0.1.0 wrote this file: 8000 samples at 16000 Hz]\n[end of a3t]"
        sound.write(samples)
    return file.getvalue()


def mutated(data: bytes, draw: random.Random) -> bytes:
    """The data with up to three pieces put in, repeated, cut out or overwritten."""
    result = bytearray(data)
    for _ in range(draw.randrange(4)):
        place, piece = draw.randrange(len(result) + 1), draw.choice(PIECES)
        match draw.randrange(5):
            case 0:
                result[place:place] = piece
            case 1:
                result[place:place] = piece * draw.randrange(1, 20_000 // len(piece) + 2)
            case 2:
                del result[place : place + draw.randrange(200)]
            case 3:
                result[place : place + 4] = draw.randbytes(4)
            case 4:
                del result[draw.randrange(len(result) + 1) :]
    return bytes(result)


def _changed(record: object, draw: random.Random) -> object:
    """The record with something else in one place."""
    copy = json.loads(json.dumps(record))
    inner = copy
    while True:
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        key = draw.choice(keys)
        if not (isinstance(inner[key], dict | list) and inner[key]) or draw.random() < 0.3:
            inner[key] = draw.choice(VALUES)
            return copy
        inner = inner[key]
