"""The Montreal Forced Aligner, run as a program in a conda environment of its own.

`alignment/mfa-environment.yml` makes that environment. The program is the one that A3T_MFA names,
or `mfa` on the PATH. Its models are called by name (`mfa model download acoustic english_us_arpa`
gets them), or by path.

The tests cover this module's own part (the command, the files handed over, the TextGrid read back,
the errors) against a stand-in that writes MFA's layout. They have not been run against a real MFA,
which installs from conda-forge only.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import numpy as np

from alignment.aligner import InMemory, Pronunciations, Readable
from alignment.errors import AlignmentError
from alignment.formats.tables import read_textgrid, require_whole
from alignment.result import Alignment, covering
from alignment.waveform import MODEL_RATE, model_waveform

PROGRAM = "A3T_MFA"
ENVIRONMENT = Path(__file__).parents[1] / "mfa-environment.yml"
ACOUSTIC = "english_us_arpa"  # the model
TIMEOUT_S = 3600.0  # that one recording may take


class MontrealAligner:
    """One recording, or a whole corpus at once, with `mfa align`.

    The words' pronunciations are those handed in: they are written to a dictionary for MFA, so its
    own are not needed.
    """

    name = "mfa"

    def __init__(self) -> None:
        self.program = find_program()

    def align(
        self,
        samples: np.ndarray,
        sample_rate: int,
        words: Sequence[str],
        pronunciations: Pronunciations,
    ) -> Alignment:
        """Align samples with their text; all scores are 1, for MFA gives none here.

        Raises AlignmentError when MFA fails or leaves the recording unaligned.
        """
        alignment = self.align_corpus(
            {"speech": (InMemory(np.asarray(samples), sample_rate), words)}, pronunciations
        )["speech"]
        if isinstance(alignment, AlignmentError):
            raise alignment
        return alignment

    def align_recording(
        self, recording: Readable, words: Sequence[str], pronunciations: Pronunciations
    ) -> Alignment:
        """Align a recording that is read by windows: all at once."""
        return self.align(recording.mono(), recording.sample_rate, words, pronunciations)

    def align_corpus(
        self,
        recordings: Mapping[str, tuple[Readable, Sequence[str]]],
        pronunciations: Pronunciations,
        jobs: int = 1,
    ) -> dict[str, Alignment | AlignmentError]:
        """Align many recordings in one run of MFA, which takes half a minute to start.

        `recordings`: by "speaker/name" (or a name alone), each with its words; `pronunciations` of
        all words. What failed has its error. Raises AlignmentError when MFA itself fails.
        """
        result: dict[str, Alignment | AlignmentError] = {}
        with tempfile.TemporaryDirectory(prefix="mfa-") as name:
            folder = Path(name)
            corpus, out = folder / "corpus", folder / "out"
            waiting: dict[str, tuple[Sequence[str], float]] = {}
            for key, (recording, words) in recordings.items():
                try:
                    _entries(words, pronunciations)
                    _hand_over(recording, words, corpus / key)
                    waiting[key] = words, recording.samples / recording.sample_rate
                except AlignmentError as error:
                    result[key] = error
            if not waiting:
                return result
            dictionary = folder / "words.dict"
            every = [word for words, _ in waiting.values() for word in words]
            dictionary.write_text("".join(_entries(every, pronunciations)), encoding="utf-8")
            self._run(corpus, dictionary, out, folder, jobs)
            for key, (words, seconds) in waiting.items():
                try:
                    result[key] = _taken_back(out / f"{key}.TextGrid", words, seconds)
                except AlignmentError as error:
                    result[key] = error
        return result

    def _run(self, corpus: Path, dictionary: Path, out: Path, folder: Path, jobs: int) -> None:
        command = [self.program, "align", "--clean", "--num_jobs", str(jobs)]
        single = (corpus / "speech.wav").exists()
        command += ["--single_speaker"] if single else []
        command += ["--output_format", "long_textgrid", "--temporary_directory"]
        command += [str(folder / "work"), str(corpus), str(dictionary), ACOUSTIC, str(out)]
        # The environment's own programs (Kaldi's, sox) lie beside its mfa.
        beside = str(Path(self.program).parent)
        environment = os.environ | {"PATH": os.pathsep.join((beside, os.environ.get("PATH", "")))}
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=TIMEOUT_S if single else None,
                env=environment,
                stdin=subprocess.DEVNULL,
            )
        except OSError as error:
            raise AlignmentError(
                f"The Montreal Forced Aligner at {self.program} can't be run ({error.strerror}): "
                f"set {PROGRAM} to its mfa."
            ) from error
        except subprocess.TimeoutExpired as error:
            raise AlignmentError(
                "The Montreal Forced Aligner took over an hour and was stopped: cut the recording "
                "into parts."
            ) from error
        if done.returncode:
            raise AlignmentError(
                f"The Montreal Forced Aligner failed ({_last_line(done.stderr or done.stdout)}): "
                f"see that {ACOUSTIC} is downloaded (mfa model download acoustic {ACOUSTIC})."
            )


def _hand_over(recording: Readable, words: Sequence[str], path: Path) -> None:
    """Write the recording and its text as MFA reads them: path.wav, path.lab."""
    import soundfile

    if not words:
        raise AlignmentError("The text has no words: write down what the recording says.")
    waveform = model_waveform(recording.mono(), recording.sample_rate)
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path.with_name(f"{path.name}.wav"), waveform, MODEL_RATE, subtype="PCM_16")
    path.with_name(f"{path.name}.lab").write_text(" ".join(words) + "\n", encoding="utf-8")


def _taken_back(path: Path, words: Sequence[str], seconds: float) -> Alignment:
    if not path.is_file():
        raise AlignmentError(
            "The Montreal Forced Aligner left the recording unaligned: check that the "
            "text matches the speech."
        )
    return _of_the_recording(require_whole(read_textgrid(path), path), words, seconds)


def find_program() -> str:
    """Return the mfa executable that A3T_MFA names or the PATH has; else raise AlignmentError."""
    wanted = os.environ.get(PROGRAM)
    program = shutil.which(wanted or "mfa")
    if program is None:
        what = f"{wanted} is not the Montreal Forced Aligner's mfa" if wanted else "There is no mfa"
        raise AlignmentError(
            f"{what}: make its environment with conda env create -f {ENVIRONMENT} and set "
            f"{PROGRAM} to the mfa in it."
        )
    return program


def _entries(words: Sequence[str], pronunciations: Pronunciations) -> list[str]:
    """Return MFA's dictionary lines; raise AlignmentError for a word without pronunciation."""
    lines = []
    for word in sorted(set(words)):
        candidates = [" ".join(candidate) for candidate in pronunciations.get(word, ())]
        if not any(candidates):
            raise AlignmentError(
                f'The word "{word}" has no pronunciation: add one, or spell it differently.'
            )
        lines += [f"{word}\t{phones}\n" for phones in dict.fromkeys(candidates) if phones]
    return lines


def _of_the_recording(alignment: Alignment, words: Sequence[str], duration: float) -> Alignment:
    """Return the alignment of the words as they were handed in, up to the recording's end."""
    aligned = alignment.spoken
    if [word.text.lower() for word in aligned] != [word.lower() for word in words]:
        texts = (word.text for word in aligned)
        pairs = zip_longest(words, texts, fillvalue="")
        missing = next(a or b for a, b in pairs if a.lower() != b.lower())
        raise AlignmentError(
            f'The Montreal Forced Aligner did not find "{missing}": check the text and the '
            "dictionary."
        )
    spoken = [replace(word, text=text) for word, text in zip(aligned, words, strict=True)]
    pauses = [word for word in alignment.words if word.is_pause]
    return covering(spoken, duration, alignment.score, pauses)


def _last_line(output: str) -> str:
    """Return the last line of a program's output, without colours and boxes."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output)
    lines = [line.strip(" │╭╮╰╯─|") for line in plain.splitlines()]
    said = [line for line in lines if line]
    return said[-1][:200].rstrip(".") if said else "it says nothing"
