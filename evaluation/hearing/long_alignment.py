"""Aligns an hour of joined clips with a wrong paragraph in the text: cost, accuracy, doubts.

    python -m evaluation.hearing.long_alignment [--minutes 60] [--workers 2] [--every 3]
                                        [--paragraph unwritten]

Reads LibriSpeech's clips in A3T_CORPORA, speaker by speaker, with pauses of 0.2 to 1 s of faint
noise between them. In the middle, a minute's text is replaced by that of other clips, or it isn't
in the text ("unwritten"), or isn't in the recording ("unsaid"). The words of the long alignment are
compared with those of every `--every`th clip aligned by itself, which measures agreement, not
accuracy: the aligner is the same, only the clip's boundaries are given. CPU seconds are summed over
all processes; each uses one core.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr

from a3t.audio.reading.recording import Recording
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment
from alignment.aligners.network_aligner import NetworkAligner
from alignment.long.whole import doubtful_runs
from alignment.parallel import run_jobs
from evaluation.harness.programs import program_parser
from training.corpora import Clip, corpora_root, read_corpora

RATE = 16_000
WRONG_SECONDS = 60.0
PARAGRAPHS = ("wrong", "unwritten", "unsaid")
CLOSE = (0.02, 0.05)  # seconds


@dataclass(frozen=True)
class Part:
    """A clip in the joined recording: its start in seconds, and its range of words."""

    clip: Clip
    start: float
    first: int
    end: int
    right: bool


def spoken(clip: Clip) -> list[str]:
    return list(Transcript.from_text(clip.text, max_words=None).spoken)


def write_joined_clips(
    clips: list[Clip], path: Path, seconds: float, paragraph: str
) -> tuple[list[Part], list[str]]:
    """Write the recording; returns its parts and its text, which is wrong in the middle."""
    draw = np.random.default_rng(0)
    parts: list[Part] = []
    words: list[str] = []
    unsaid = 0.0  # seconds that were left out
    waiting = iter(clips)
    other = iter(reversed(clips))
    with soundfile.SoundFile(path, "w", RATE, 1, "PCM_16") as file:
        while file.tell() < seconds * RATE:
            clip = next(waiting)
            samples, rate = soundfile.read(str(clip.path), dtype="float32")
            start = file.tell() / RATE
            right = not 0 <= start + unsaid - seconds / 2 < WRONG_SECONDS
            if right or paragraph != "unsaid":
                file.write(soxr.resample(samples, rate, RATE))
                file.write(draw.normal(0, 1e-4, int(draw.uniform(0.2, 1.0) * RATE)))
            else:
                unsaid += clip.seconds
            text = spoken(clip if right or paragraph == "unsaid" else next(other))
            text = [] if paragraph == "unwritten" and not right else text
            parts.append(Part(clip, start, len(words), len(words) + len(text), right))
            words += text
    return parts, words


def align_clip(part: Part) -> Alignment:
    """The alignment of the clip by itself."""
    samples, rate = soundfile.read(str(part.clip.path), dtype="float32")
    words = spoken(part.clip)
    choices = {word: Pronouncer().candidates(word) for word in words}
    return NetworkAligner().align(samples, rate, words, choices, check=False)


def align_joined(path: Path, words: list[str], workers: int) -> tuple[Alignment, float, float, int]:
    """The alignment, its CPU and wall seconds, and the peak memory of its processes in bytes."""
    choices = {word: Pronouncer().candidates(word) for word in words}
    before, started = processor_seconds(), time.perf_counter()
    recording = Recording.open(path)
    alignment = NetworkAligner(workers).align_recording(recording, words, choices, check=False)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak += workers * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    cost = processor_seconds() - before
    return alignment, cost, time.perf_counter() - started, peak * 1024


def processor_seconds() -> float:
    """Processor time of this process and of those that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def compared(alignment: Alignment, parts: list[Part], workers: int) -> np.ndarray:
    """(2 n,): distances in seconds of each word's start and end from the clip's own alignment."""
    away: list[float] = []
    for done in run_jobs(align_clip, parts, workers):
        if done.result is None:
            print(f"{done.job.clip.path.name}: {done.error}")
            continue
        here = alignment.spoken[done.job.first : done.job.end]
        for word, alone in zip(here, done.result.spoken, strict=True):
            away.append(abs(word.start - done.job.start - alone.start))
            away.append(abs(word.end - done.job.start - alone.end))
    return np.array(away)


def lost_words(alignment: Alignment, part: Part) -> list[int]:
    """The clip's words whose middle lies outside it, by their numbers in the whole text."""
    words = alignment.spoken[part.first : part.end]
    middles = [(word.start + word.end) / 2 - part.start for word in words]
    inside = [-0.05 <= middle <= part.clip.seconds + 0.05 for middle in middles]
    return [part.first + k for k, kept in enumerate(inside) if not kept]


def main() -> None:
    parser = program_parser("hearing.long_alignment", __doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--every", type=int, default=3)
    parser.add_argument("--paragraph", choices=PARAGRAPHS, default=PARAGRAPHS[0])
    options = parser.parse_args()
    clips = [clip for clip in read_corpora(corpora_root()) if "LibriSpeech" in clip.path.parts]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "joined.wav"
        parts, words = write_joined_clips(clips, path, options.minutes * 60, options.paragraph)
        # In a process of its own, so that memory is the alignment's and not the comparison's.
        context = multiprocessing.get_context("spawn")
        receive, send = context.Pipe(duplex=False)
        work = context.Process(target=send_alignment, args=(send, path, words, options.workers))
        work.start()
        send.close()
        alignment, cost, wall, held = receive.recv()
        work.join()
    seconds = alignment.duration
    print(f"{seconds:.0f} s, {len(words)} words, {len(parts)} clips")
    print(
        f"CPU {cost:.0f} s, {cost / seconds:.4f} x real time; {options.workers} workers, "
        f"{wall:.0f} s; at most {held / 1e6:.0f} MB in all"
    )
    right = [part for part in parts if part.right]
    away = compared(alignment, right[:: options.every], options.workers)
    shares = ", ".join(f"{(away <= near).mean():.2%} within {near * 1000:.0f} ms" for near in CLOSE)
    print(
        f"{len(away)} boundaries against clip by clip: median {np.median(away) * 1000:.1f} ms, "
        f"{shares}"
    )
    scores = np.array([word.score for word in alignment.spoken])
    lost = [k for part in right for k in lost_words(alignment, part)]
    print(f"words lost, which lie outside their own clip: {len(lost)} ({lost[:20]})")
    wrong = np.concatenate([np.arange(part.first, part.end) for part in parts if not part.right])
    wrong = wrong.astype(int)
    others = np.setdiff1d(np.arange(len(words)), wrong)
    print(
        f"wrong words below 0.5: {(scores[wrong] < 0.5).sum()} of {len(wrong)}; right ones: "
        f"{(scores[others] < 0.5).sum()} of {len(others)}"
    )
    begin = min(part.start for part in parts if not part.right)
    where = f"begins at {begin:.1f} s and has {len(wrong)} words"
    print(f"the {options.paragraph} paragraph {where}; named:")
    for first, end in doubtful_runs(alignment):
        a, b = alignment.spoken[first], alignment.spoken[end - 1]
        print(f"  {a.start:.1f} to {b.end:.1f} s, words {first} to {end - 1}")


def send_alignment(pipe: object, path: Path, words: list[str], workers: int) -> None:
    pipe.send(align_joined(path, words, workers))  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
