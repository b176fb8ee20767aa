"""One text of two sentences, as each kind of transcript has it."""

import json

SAID = "We met on Monday, at noon. It rained."
LINES = ("We met on Monday, at noon.", "It rained.")
TIMES = (1.0, 3.5)  # seconds at which the two sentences begin

WORDS = "We met on Monday at noon It rained".split()
STARTS = [1.0, 1.3, 1.6, 1.9, 2.3, 2.6, 3.5, 3.8]
TIMED = list(zip(WORDS, STARTS, strict=True))


def words(text: str, start: str = "start", end: str = "end", scale: float = 1.0, **more: object):  # type: ignore[no-untyped-def]
    scaled = [(s * scale, (s + 0.2) * scale) for s in STARTS]
    times = [tuple(map(round, each)) for each in scaled] if scale > 1 else scaled
    return [{text: w, start: a, end: b} | more for w, (a, b) in zip(WORDS, times, strict=True)]


AMAZON = [
    {
        "type": "pronunciation",
        "start_time": f"{s:.2f}",
        "end_time": f"{s + 0.2:.2f}",
        "alternatives": [{"content": w, "confidence": "0.9"}],
    }
    for w, s in TIMED
]
STOP = {"type": "punctuation", "alternatives": [{"content": "."}]}
GOOGLE = [{"word": w, "startTime": f"{s:.1f}s", "endTime": f"{s + 0.2:.1f}s"} for w, s in TIMED]
SEGMENTS = [
    {"start": 1, "end": 3, "text": f" {LINES[0]}"},
    {"start": 3.5, "end": 5, "text": LINES[1]},
]
JSONS: dict[str, object] = {
    "Deepgram's": {
        "metadata": {},
        "results": {
            "channels": [
                {
                    "alternatives": [
                        {
                            "transcript": SAID,
                            "confidence": 0.9,
                            "words": words("word", confidence=0.9),
                        }
                    ]
                }
            ]
        },
    },
    "Amazon Transcribe's": {
        "jobName": "x",
        "results": {
            "transcripts": [{"transcript": SAID}],
            "items": [*AMAZON[:6], STOP, *AMAZON[6:], STOP],
        },
    },
    "Google's": {"results": [{"alternatives": [{"transcript": SAID, "words": GOOGLE}]}]},
    "Speechmatics'": {"format": "2.9", "results": [*AMAZON[:6], STOP, *AMAZON[6:], STOP]},
    "Rev's": {
        "monologues": [
            {
                "elements": [
                    {"type": "text", "value": w, "ts": s, "end_ts": s + 0.2} for w, s in TIMED
                ]
            }
        ]
    },
    "whisper.cpp's": {
        "transcription": [
            {
                "timestamps": {"from": "00:00:01,000"},
                "offsets": {"from": 1000, "to": 3000},
                "text": f" {LINES[0]}",
            },
            {"offsets": {"from": 3500, "to": 5000}, "text": f" {LINES[1]}"},
        ]
    },
    "AssemblyAI's": {
        "id": "x",
        "text": SAID,
        "confidence": 0.9,
        "words": words("text", scale=1000),
    },
    "Whisper's": {"text": f" {SAID}", "segments": SEGMENTS, "language": "en"},
    "faster-whisper's": [
        {"id": 1, **each, "words": words("word", probability=0.9)[6 * k : 6 + 2 * k]}
        for k, each in enumerate(SEGMENTS)
    ],
    "Hugging Face's": {
        "text": SAID,
        "chunks": [
            {"timestamp": [1.0, 3.0], "text": LINES[0]},
            {"timestamp": [3.5, None], "text": LINES[1]},
        ],
    },
    "gentle's": {
        "transcript": SAID,
        "words": [
            {
                **w,
                "alignedWord": w["word"].lower(),
                "case": "success",
                "phones": [{"phone": "w_B", "duration": 0.1}],
            }
            for w in words("word")
        ],
    },
    "Vosk's": {"text": SAID, "result": words("word", conf=1.0)},
    "YouTube's": {
        "wireMagic": "pb3",
        "events": [
            {
                "tStartMs": 1000,
                "dDurationMs": 2000,
                "segs": [{"utf8": "We met on "}, {"utf8": "Monday, at noon."}],
            },
            {"tStartMs": 3000, "segs": [{"utf8": "\n"}]},
            {"tStartMs": 3500, "dDurationMs": 1500, "segs": [{"utf8": LINES[1]}]},
        ],
    },
    "MFA's": {
        "start": 0,
        "end": 5,
        "tiers": {"words": {"type": "interval", "entries": [[s, s + 0.2, w] for w, s in TIMED]}},
    },
    "OpenAI's": {"text": SAID, "words": words("word")},
    "Watson's": {
        "results": [
            {
                "alternatives": [
                    {"transcript": SAID, "timestamps": [[w, s, s + 0.2] for w, s in TIMED]}
                ]
            }
        ]
    },
    "Azure's": {
        "combinedRecognizedPhrases": [{"channel": 0, "display": SAID}],
        "recognizedPhrases": [
            {
                "nBest": [
                    {
                        "display": SAID,
                        "words": [
                            {"word": w, "offsetInTicks": s * 1e7, "durationInTicks": 2e6}
                            for w, s in TIMED
                        ],
                    }
                ]
            }
        ],
    },
    "NeMo's": {"text": SAID, "timestamp": {"word": words("word")}},
    "a podcast's": {
        "segments": [
            {
                "speaker": "Anna",
                "startTime": each["start"],
                "endTime": each["end"],
                "body": each["text"],
            }
            for each in SEGMENTS
        ]
    },
    "WhisperX's": {
        "segments": [{**SEGMENTS[0], "words": [{"word": "1999"}]}, SEGMENTS[1]],
        "word_segments": [],
    },
}

SRT = (
    f"1\n00:00:01,000 --> 00:00:03,000\n{LINES[0]}\n\n"
    f"2\n00:00:03,500 --> 00:00:05,000\n{LINES[1]}\n"
)
TIER = """File type = "ooTextFile"
Object class = "TextGrid"

0
5
<exists>
1
"IntervalTier"
"{}"
0
5
{}
"""


def textgrid(name: str, intervals: list[tuple[float, float, str]]) -> str:
    entries = "".join(f'{a}\n{b}\n"{label}"\n' for a, b, label in intervals)
    return TIER.format(name, f"{len(intervals)}\n{entries}")


BOUNDS = [*STARTS, 5.0]
# The name of the kind in the table, and what it looks like: the siblings of each.
TTML = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<tt xmlns="http://www.w3.org/ns/ttml" '
    'xmlns:ttp="#parameter" ttp:frameRate="25" ttp:tickRate="10"><head><desc>x</desc></head><body>'
    '<div><p begin="{}" end="2s">'
    + "{}</p><p begin='{}' dur='25f'><span>{}</span></p></div></body></tt>".replace("'", '"')
)
# As programs write them: {0} and {1} are the sentences.
LAYOUTS = {
    "named columns": {
        "descript.csv": "Start Timecode,End Timecode,Speaker,Text\n"
        '00:00:01:00,00:00:03:00,Anna,"{0}"\n00:00:03:15,00:00:05:00,Bob,{1}\n',
        "riverside.csv": "speaker_name,start_time (s),end_time (s),transcript\n"
        'Anna,1.0,3.0,"{0}"\nBob,3.5,5.0,{1}\n',
        "nvivo.txt": "Timespan\tContent\tSpeaker\n0:01.0 - 0:03.0\t{0}\tAnna\n"
        "0:03.5 - 0:05.0\t{1}\tBob\n",
        "markdown.md": "| Time | Speaker | Text |\n|---|---|---|\n| 0:01 | Anna | {0} |\n"
        "| 0:03.5 | Bob | {1} |\n",
    },
    "STM": {
        "a.stm": "talk 1 Anna 1.00 3.00 <o,f0,female> {0}\ntalk 1 Bob 3.50 5.00 {1}\n",
    },
    "labels with times": {"spaces.txt": "1.000000 3.000000 {0}\n3.500000 5.000000 {1}\n"},
    "a table of times": {
        "frequencies.txt": "1.0\t3.0\t{0}\n\\\t100.0\t800.0\n3.5\t5.0\t{1}\n\\\t-1.0\t-1.0\n",
        "elan.txt": "Anna\t\t1.000\t3.000\t2.000\t{0}\nBob\t\t3.500\t5.000\t1.500\t{1}\n",
        "avid.txt": "Anna\t00:00:01:00\tA1\tred\t{0}\t1\nBob\t00:00:03:15\tA1\tred\t{1}\t1\n",
        "commas.csv": '1.000,3.000,Anna,"{0}"\n3.500,5.000,Bob,{1}\n',
        "unquoted.csv": "00:00:01.000;00:00:03.000;{0}\n00:00:03.500;00:00:05.000;{1}\n",
        "visualiser.csv": "1.000000000,2.000000000,{0}\n3.500000000,1.500000000,{1}\n",
        "behind.txt": "{0} |00:00:01.000|00:00:03.000\n{1} |00:00:03.500|00:00:05.000\n",
        "pipes.txt": "00:01 | Anna | {0}\n00:03.5 | Bob | {1}\n",
    },
    "SBV": {
        "subviewer.sub": "[INFORMATION]\n[TITLE]talk\n[END INFORMATION]\n[SUBTITLE]\n"
        "[COLF]&HFFFFFF,[SIZE]24\n00:00:01.00,00:00:03.00\nWe met[br]on Monday, at noon.\n\n"
        "00:00:03.50,00:00:05.00\n{1}\n",
    },
    "SubRip": {
        "open.srt": "1\n00:00:01,000 -->\n{0}\n2\n00:00:03,500 -->\n{1}\n",
        "teams.txt": "0:0:1.0 --> 0:0:2.0\nAnna\nWe met on Monday,\n0:0:2.0 --> 0:0:3.0\nAnna\n"
        "at noon.\n0:0:3.500 --> 0:0:4.0\nBob\nIt\n0:0:4.0 --> 0:0:4.5\nBob\nrained.\n",
    },
    "times": {
        "footer.txt": "Anna  0:01\n{0}\n\nBob  0:03.5\n{1}\n\nTranscribed by https://otter.ai\n",
        "keywords.txt": "Weekly\nMon, Mar 5\n\nSUMMARY KEYWORDS\nnoon\n\nSPEAKERS\nAnna, Bob\n\n"
        "Anna  00:01\n{0}\n\nBob  00:03.5\n{1}\n",
        "trint.txt": "[00:00:01] Anna: {0} [00:00:03]\n\n[00:00:03.5] Bob: {1} [00:00:05][1.5]\n",
        "happy scribe.txt": "[00:00:01.00] - Anna\n{0}\n\n[00:00:03.50] - Bob\n{1}\n",
        "grain.txt": "00:01 - Anna Smith\n{0}\n\n00:03.5 - Bob\n{1}\n",
        "zoom.txt": "[Anna Smith] 00:00:01\n{0}\n\n[Bob] 00:00:03.5\n{1}\n",
        "range.txt": "Speaker 1 [00:00:01 - 00:00:03]: {0}\nSpeaker 2 [0:03.5 - 0:05]: {1}\n",
        "maxqda.txt": "#00:00:01-0# Anna: {0}\n#00:00:03-5# Bob: {1}\n",
        "minutes.txt": "[0m01s] {0}\n[0m03.5s] {1}\n",
        "braces.txt": "{{00:00:01}} {0}\n{{00:00:03.5}} {1}\n",
        "encore.txt": "1 00:00:01:00 00:00:03:00 {0}\n2 00:00:03:15 00:00:05:00 {1}\n",
        "avid captions.txt": "@ By Avid\n\n<begin subtitles>\n00:00:01:00 00:00:03:00\n{0}\n\n"
        "00:00:03:15 00:00:05:00\n{1}\n\n<end subtitles>\n",
        "words.lrc": "[00:01.00] <00:01.00> We met <00:01.60> on Monday, at noon.\n[00:03.50]{1}\n",
        "vosk.txt": "00:00:01 spk_0: {0}\n00:00:03.5 spk_1: {1}\n",
        "seconds spelt.txt": "0:01\n1 second\n{0}\n0:03.5\n3 seconds\n{1}\n",
        "whisperx.txt": "Transcript: [1.0 --> 3.0]  {0}\nTranscript: [3.5 --> 5.0]  {1}\n",
        "page.html": '<p><span data-timestamp="1">0:01</span> {0}</p><p>0:03.5 {1}<br></p>',
        "a.otr": '{{"text": "<p>0:01 {0}<br /></p><p>0:03.5 {1}</p>", "media": "talk.wav"}}',
    },
}  # fmt: skip
FILES: dict[str, tuple[str, str]] = {
    "a.ttml": ("TTML", TTML.format("00:00:01.000", LINES[0], "3.5s", LINES[1])),
    "a.dfxp": ("TTML", TTML.format("00:00:01:00", LINES[0], "35t", LINES[1])),
    "a.srt": ("SubRip", SRT),
    "fraction.srt": ("SubRip", SRT.replace("01,000", "01,0").replace("03,500", "03,5")),
    "dots.srt": ("SubRip", SRT.replace(",000", ".000").replace(",500", ".500")),
    "short.srt": ("SubRip", SRT.replace("00:00:0", "0:0:")),
    "minutes.srt": ("SubRip", SRT.replace("00:00:", "00:")),
    "colons.srt": ("SubRip", SRT.replace(",", ":").replace("Monday:", "Monday,")),
    "arrows.srt": ("SubRip", SRT.replace("-->", "->")),
    "signs.srt": ("SubRip", SRT.replace("-->", "→")),
    "entities.srt": ("SubRip", SRT.replace("-->", "--&gt;")),
    "places.srt": ("SubRip", SRT.replace("03,000", "03,000 X1:100 X2:200 Y1:1 Y2:2")),
    "close.srt": ("SubRip", SRT.replace("\n\n", "\n")),
    "open.srt": ("SubRip", SRT.replace("\n", "\n\n")),
    "bare.srt": ("SubRip", SRT.replace("1\n00", "00").replace("2\n00", "00")),
    "mac.srt": ("SubRip", SRT.replace("\n", "\r")),
    "order.srt": ("SubRip", "\n\n".join(reversed(SRT.strip().split("\n\n")))),
    "subtitles.txt": ("SubRip", SRT),
    "names.srt": ("SubRip", SRT.replace("We met", "BOB: We met")),
    "scene.srt": (
        "SubRip",
        SRT.replace("We met", "BOB: We met").replace("It r", "Scene 1. A house, day.\nBOB: It r"),
    ),
    "notes.srt": ("SubRip", SRT.replace("noon.", "noon.[2]")),
    "a.vtt": (
        "WebVTT",
        f"WEBVTT\n\nNOTE x\n\nintro\n00:01.000 --> 00:03.000 align:start\n<v Bob>{LINES[0]}</v>\n\n"
        f"00:03.500 --> 00:05.000\n<i>{LINES[1]}</i>\n",
    ),
    "a.sbv": (
        "SBV",
        f"0:00:01.000,0:00:03.000\n{LINES[0]}\n\n0:00:03.500,0:00:05.000\n{LINES[1]}\n",
    ),
    "a.ass": (
        "ASS",
        "[Script Info]\nTitle: x\n\n[V4+ Styles]\nFormat: Name\n\n[Events]\n"
        "Format: Layer, Start, End, "
        "Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
        "Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,never\n"
        "Dialogue: 0,0:00:01.00,0:00:03.00,Default,Bob,0,0,0,,"
        "{\\i1}We met{\\i0} on\\NMonday, at noon.\n"
        "Dialogue: 0,0:00:03.50,0:00:05.00,Default,,0,0,0,,It rained.\n",
    ),
    "otter.txt": ("times", f"Anna Smith  0:01\n{LINES[0]}\n\nBob  0:03.5\n{LINES[1]}\n\n"),
    "rev.txt": ("times", f"Speaker 1 (00:01):\n{LINES[0]}\n\nSpeaker 2 (00:03.5):\n{LINES[1]}\n"),
    "brackets.txt": ("times", f"(00:01):\n{LINES[0]}\n\n(00:03.5):\n{LINES[1]}\n"),
    "inline.txt": ("times", f"[00:00:01] Anna: {LINES[0]}\n[00:00:03.5] Bob: {LINES[1]}\n"),
    "named.txt": ("times", f"Anna (00:01): {LINES[0]}\nBob (00:03.5): {LINES[1]}\n"),
    "youtube.txt": ("times", f"0:01\n{LINES[0]}\n0:03.5\n{LINES[1]}\n"),
    "descript.txt": (
        "times",
        f"**Anna:** [00:00:01] {LINES[0]}\n\n**Bob:** [00:00:03.5] {LINES[1].rstrip('.')}\n",
    ),
    "above.txt": ("times", f"Anna\n00:00:01\n{LINES[0]}\n\nBob\n00:00:03.5\n{LINES[1]}\n"),
    "ranges.txt": (
        "times",
        f"00:00:01:00 - 00:00:03:00\nSpeaker 1\n{LINES[0]}\n\n"
        f"00:00:03:50 - 00:00:05:00\nSpeaker 2\n{LINES[1]}\n",
    ),
    "resolve.txt": (
        "times",
        f"[00:00:01:00 - 00:00:03:00]\nAnna\n {LINES[0]}\n\n"
        f"[00:00:03:50 - 00:00:05:00]\nBob\n {LINES[1]}\n",
    ),
    "a.stl": (
        "times",
        f"$Bold = FALSE\n\n00:00:01:00 , 00:00:03:00 , {LINES[0]}\n"
        f"00:00:03:50 , 00:00:05:00 , {LINES[1]}\n",
    ),
    "a.sub": (
        "MicroDVD",
        f"{{1}}{{1}}20\n{{20}}{{60}}{{y:i}}We met on|Monday, at noon.\n{{70}}{{100}}{LINES[1]}\n",
    ),
    "zoom.vtt": (
        "WebVTT",
        f"WEBVTT\n\n1\n00:00:01.000 --> 00:00:03.000\nAnna Smith: {LINES[0]}\n\n"
        f"2\n00:00:03.500 --> 00:00:05.000\nAnna Smith: {LINES[1]}\n",
    ),
    "a.lrc": ("times", f"[ar:Bob]\n[00:01.00]{LINES[0]}\n[00:03.50]{LINES[1]}\n"),
    "sentences.txt": (
        "a table of times",
        f"1.000000\t3.000000\t{LINES[0]}\n3.500000\t5.000000\t{LINES[1]}\n",
    ),
    "whisper.tsv": (
        "named columns",
        f"start\tend\ttext\n1000\t3000\t{LINES[0]}\n3500\t5000\t{LINES[1]}\n",
    ),
    "console.txt": (
        "times",
        f"[00:01.000 --> 00:03.000]  {LINES[0]}\n[00:03.500 --> 00:05.000]  {LINES[1]}\n",
    ),
    "arrows in seconds.txt": (
        "times",
        f"[1.00s -> 3.00s] {LINES[0]}\n[3.50s -> 5.00s] {LINES[1]}\n",
    ),
    "range in seconds.txt": ("times", f"[1.0 - 3.0] {LINES[0]}\n[3.5 - 5.0] {LINES[1]}\n"),
    "seconds.txt": ("times", f"[1.0s] {LINES[0]}\n[3.5 s]: {LINES[1]}\n"),
    "hours.txt": (
        "times",
        f"[00:00:01.000 --> 00:00:03.000]   {LINES[0]}\n"
        f"[00:00:03.500 --> 00:00:05.000]   {LINES[1]}\n",
    ),
    "one line.txt": (
        "SubRip",
        f"00:00:01.000 --> 00:00:03.000 {LINES[0]}\n00:00:03.500 --> 00:00:05.000 {LINES[1]}\n",
    ),
    "decimals.srt": (
        "SubRip",
        SRT.replace(",000", ",0000000000000").replace("3,500", "3,5000000000"),
    ),
    "cut.srt": ("SubRip", SRT.replace("03,500 --> 00:00:05,000", "03,500 --> 00:0")),
    "number.srt": ("SubRip", f"{SRT}\n3\n"),
    "spam.srt": (
        "SubRip",
        f"0\n00:00:00,000 --> 00:00:00,900\nSubtitles by www.OpenSubtitles.org\n\n{SRT}\n"
        "3\n00:00:05,000 --> 00:00:06,000\nSynced and corrected by n17t01\n\n"
        "4\n00:00:06,000 --> 00:00:07,000\nwww.tvsubtitles.net\n",
    ),
    "bracketed.srt": (
        "SubRip",
        SRT.replace("We met", "[Speaker 0] We met").replace("It r", "[Speaker 1] It r"),
    ),
    "parentheses.txt": ("text", f"(Speaker 1) {LINES[0]}\n(Speaker 2) {LINES[1]}\n"),
    "pyannote.txt": ("text", f"SPEAKER_00: {LINES[0]}\nSPEAKER_01: {LINES[1]}\n"),
    "capitals.txt": ("text", f"[ANNA] {LINES[0]}\n[BOB] {LINES[1]}\n"),
    "pages.txt": ("text", f"{LINES[0]}\nPage 3 of 12\n- 4 -\n{LINES[1]}\n"),
    "premiere.csv": (
        "named columns",
        "Marker Name\tDescription\tIn\tOut\tDuration\tMarker Type\n"
        f"one\t{LINES[0]}\t00:00:01:00\t00:00:03:00\t00:00:02:00\tComment\n"
        f"two\t{LINES[1]}\t00:00:03:15\t00:00:05:00\t00:00:01:15\tComment\n",
    ),
    "audition.csv": (
        "named columns",
        "Name\tStart\tDuration\tTime Format\tType\tDescription\n"
        f"{LINES[0]}\t0:01.000\t0:02.000\tdecimal\tCue\t\n"
        f"{LINES[1]}\t0:03.500\t0:01.500\tdecimal\tCue\t\n",
    ),
    "reaper.csv": (
        "named columns",
        f'#,Name,Start,End,Length\nR1,"{LINES[0]}",0:01.000,0:03.000,0:02.000\n'
        f"R2,{LINES[1]},0:03.500,0:05.000,0:01.500\n",
    ),
    "table.csv": (
        "named columns",
        "Speaker Name;Start Time;End Time;Text\n"
        f"Anna;00:00:01,000;00:00:03,000;{LINES[0]}\nBob;00:00:03,500;00:00:05,000;{LINES[1]}\n",
    ),
    "clock labels.txt": (
        "a table of times",
        f"0:00:01.000\t0:00:03.000\t{LINES[0]}\n0:00:03.500\t0:00:05.000\t{LINES[1]}\n",
    ),
    "negative.ctm": (
        "CTM",
        "".join(f"talk 1 {s} {-0.2 if s == 2.3 else 0.2} {w} 0.9\n" for w, s in TIMED),
    ),
    "no item.TextGrid": (
        "TextGrid",
        'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = 5\n'
        "tiers? <exists>\nsize = 1\n"
        '    class = "IntervalTier"\n    name = "Anna"\n    xmin = 0\n    xmax = 5\n'
        "    intervals: size = 2\n"
        f'    intervals [1]:\n xmin = 1\n xmax = 3.5\n text = "{LINES[0]}"\n'
        f'    intervals [2]:\n xmin = 3.5\n xmax = 5\n text = "{LINES[1]}"\n',
    ),
    "a.ctm": ("CTM", "".join(f"talk 1 {s} 0.2 {w} 0.9\n" for w, s in TIMED)),
    "words.txt": ("a table of times", "".join(f"{s}\t{s + 0.2}\t{w}\n" for w, s in TIMED)),
    "words.lab": ("HTK", "".join(f"{s * 1e7:.0f} {(s + 0.2) * 1e7:.0f} {w}\n" for w, s in TIMED)),
    "words.TextGrid": (
        "TextGrid",
        textgrid("words", [(0, 1, ""), *zip(BOUNDS, BOUNDS[1:], WORDS, strict=False)]),
    ),
    "lines.TextGrid": (
        "TextGrid",
        textgrid("Anna", [(0, 1, ""), (1, 3.5, LINES[0]), (3.5, 5, LINES[1])]),
    ),
    **{
        name: (kind, content.format(*LINES))
        for kind, layouts in LAYOUTS.items()
        for name, content in layouts.items()
    },
    "script.txt": ("text", f"ANNA: {LINES[0]}\nScene 2. A garden.\nBOB: {LINES[1]}\n"),
    "people.txt": ("text", f"Anna: {LINES[0]}\n\nBob: {LINES[1]}\n"),
    "notes.txt": ("text", f"{LINES[0]} [2] {LINES[1]}"),
    **{
        f"{name}.json": (
            name if name.split("'")[0] in "Deepgram Amazon Transcribe Vosk" else "JSON",
            json.dumps(data),
        )
        for name, data in JSONS.items()
    },
}
TEXTS_ALONE = {
    "script.txt", "people.txt", "notes.txt", "parentheses.txt", "pyannote.txt", "capitals.txt",
    "pages.txt",
}  # fmt: skip
