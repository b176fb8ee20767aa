r"""Prepare a corpus: Kaldi-style data directories, one per split.

python -m training.corpora.prepare vctk CORPUS data \
    --unseen recipes/vctk/conf/unseen_speakers.txt

The splits are those of the thesis: LJSpeech's last 500 clips are held out, half for development,
half for testing; so are the last 10 clips of each VCTK speaker, and some speakers entirely
(`test_unseen`); LibriTTS has subsets of its own. ``split.tsv`` lists every clip with its split
(`training.features.split_list`); clips that can't be used are listed in left-out.tsv.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from a3t.errors import InputError
from training.corpora.kaldi import write_directory
from training.corpora.layouts import READERS, Utterance
from training.corpora.left_out import LeftOut
from training.corpora.shared_split import listed_split, read_corpora
from training.features.split_list import ListedClip, SplitList
from training.programs import Program, option

Splits = dict[str, list[Utterance]]
SPLITS = ("train", "dev", "test", "test_unseen")
MINI = "mini"  # pieces of several corpora in one folder
CORPORA = ("ljspeech", "vctk", "libritts", MINI)
WITHOUT_TEXT = frozenset({"p315"})  # the VCTK speaker whose texts are lost


def read(corpus: str, folder: Path) -> list[Utterance]:
    """Read all of a corpus; raise InputError if the folder isn't there or holds nothing of it."""
    if not folder.is_dir():
        raise InputError(
            f"There is no folder {folder}: download the corpus (stage 1) or name its folder."
        )
    if corpus == MINI:  # which skips what can't be used
        return [
            Utterance(clip.name, clip.voice, clip.path, clip.text, listed_split(clip))
            for clip in read_corpora(folder)
        ]
    found = list(READERS[corpus](folder))
    if not any(utterance.sound and utterance.text for utterance in found):
        raise InputError(f"{folder} holds no clip with its text in the layout of {corpus}.")
    return found


def usable(utterances: Sequence[Utterance], left_out: LeftOut) -> list[Utterance]:
    """Return the clips with both sound and text, each name once; the rest go into ``left_out``."""
    kept: dict[str, Utterance] = {}
    for utterance in utterances:
        if utterance.text is None:
            left_out.add(utterance.name, "without text", str(utterance.sound))
        elif utterance.sound is None:
            left_out.add(utterance.name, "without sound")
        elif utterance.name in kept:
            left_out.add(utterance.name, "named twice", str(utterance.sound))
        else:
            kept[utterance.name] = utterance
    return list(kept.values())


def split_last(utterances: Sequence[Utterance], dev: int, test: int) -> Splits:
    """Take the last ``test`` clips for testing, the ``dev`` before them for development."""
    if len(utterances) <= dev + test:
        raise InputError(
            f"The corpus has {len(utterances)} usable clips, but {dev + test} would be held out: "
            "choose smaller numbers with --dev and --test."
        )
    first = len(utterances) - dev - test
    train, held = utterances[:first], utterances[first:]
    return {"train": list(train), "dev": list(held[:dev]), "test": list(held[dev:])}


def split_by_speaker(
    utterances: Sequence[Utterance],
    dev: int,
    test: int,
    unseen: frozenset[str],
    left_out: LeftOut,
) -> Splits:
    """Hold out the last clips of each speaker, and all clips of the unseen speakers.

    Speakers with too few clips are used for training only.
    """
    result: Splits = {name: [] for name in SPLITS}
    speakers: dict[str, list[Utterance]] = {}
    for utterance in utterances:
        speakers.setdefault(utterance.speaker, []).append(utterance)
    for name in sorted(unseen - speakers.keys()):
        left_out.add(name, "unseen speaker who is not in the corpus")
    for speaker, own in sorted(speakers.items()):
        if speaker in unseen:
            result["test_unseen"] += own
        elif len(own) <= dev + test:
            left_out.add(speaker, "speaker with too few clips to hold any out", f"has {len(own)}")
            result["train"] += own
        else:
            for name, part in split_last(own, dev, test).items():
                result[name] += part
    return result


def split_libritts(utterances: Sequence[Utterance]) -> Splits:
    """Split by the published subsets: train-*, dev-* and test-*."""
    result: Splits = {"train": [], "dev": [], "test": []}
    for utterance in utterances:
        result[utterance.subset.partition("-")[0]].append(utterance)
    return result


def split(
    corpus: str,
    utterances: list[Utterance],
    dev: int | None,
    test: int | None,
    unseen: frozenset[str],
    left_out: LeftOut,
) -> Splits:
    """Split as the thesis does; ``dev`` and ``test`` change the sizes, for parts of a corpus."""
    if corpus == "ljspeech":
        ordered = sorted(utterances, key=lambda utterance: utterance.name)
        return split_last(ordered, 250 if dev is None else dev, 250 if test is None else test)
    if corpus == "vctk":
        kept = [u for u in utterances if u.speaker not in WITHOUT_TEXT]
        for speaker in sorted({u.speaker for u in utterances} & WITHOUT_TEXT):
            left_out.add(speaker, "speaker without texts")
        sizes = (5 if dev is None else dev, 5 if test is None else test)
        return split_by_speaker(kept, *sizes, unseen, left_out)
    if dev is not None or test is not None:
        raise InputError(f"{corpus} has a split of its own: leave out --dev and --test.")
    if corpus == "libritts":
        return split_libritts(utterances)
    result: Splits = {name: [] for name in SPLITS}
    for utterance in utterances:
        result[utterance.subset].append(utterance)
    return result


def prepare(
    corpus: str,
    folder: Path,
    out: Path,
    dev: int | None = None,
    test: int | None = None,
    unseen: frozenset[str] = frozenset(),
    clips: int | None = None,
    voice: str | None = None,
) -> str:
    """Write the directories of all splits, split.tsv and left-out.tsv; return a summary in a line.

    ``clips`` keeps only that many evenly spaced clips of each split, to try a recipe out; ``voice``
    one speaker's alone. InputError if a split would be empty, or there is no such speaker.
    """
    left_out = LeftOut()
    utterances = usable(read(corpus, folder), left_out)
    if voice is not None:
        speakers = sorted({utterance.speaker for utterance in utterances})
        utterances = [each for each in utterances if each.speaker == voice]
        if not utterances:
            raise InputError(
                f"{folder} has no speaker {voice}: there are {', '.join(speakers[:5])}"
                f"{' …' if len(speakers) > 5 else ''}."
            )
    splits = split(corpus, utterances, dev, test, unseen, left_out)
    splits = {name: part for name, part in splits.items() if part}
    for name in SPLITS[:3]:
        if name not in splits:
            raise InputError(f"No clip of {folder} is left for {name}: every split needs one.")
    if clips:
        splits = {name: _spread(part, clips) for name, part in splits.items()}
    for name in SPLITS:
        if name not in splits and (out / name).is_dir():
            shutil.rmtree(out / name)  # what another choice of clips left there
    for name, part in splits.items():
        write_directory(out / name, part)
    prefix = "" if corpus == MINI else f"{corpus}-"
    SplitList.of(
        ListedClip(utterance.name, name, prefix + utterance.speaker)
        for name, part in splits.items()
        for utterance in part
    ).write(out)
    left_out.save(out / "left-out.tsv")
    sizes = ", ".join(f"{len(part)} {name}" for name, part in splits.items())
    return f"{sizes}; left out: {left_out.summary()}"


def _spread(utterances: Sequence[Utterance], count: int) -> list[Utterance]:
    step = max(1, len(utterances) // count)
    return list(utterances[::step][:count])


def read_names(path: Path | None) -> frozenset[str]:
    """Read one name per line; what follows a # is a comment."""
    if path is None:
        return frozenset()
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    return frozenset(filter(None, (line.partition("#")[0].strip() for line in lines)))


def work(options: argparse.Namespace) -> None:
    """Prepare the corpus that the options name."""
    places = (options.corpus, options.folder, options.out)
    sizes = (options.dev, options.test)
    few = (options.clips, options.voice)
    print(prepare(*places, *sizes, read_names(options.unseen), *few))


main = Program(
    work,
    option("corpus", choices=sorted(CORPORA)),
    option("folder", type=Path),
    option("out", type=Path),
    option("--dev", type=int, help="clips (of each speaker, VCTK) for development"),
    option("--test", type=int, help="clips (of each speaker, VCTK) for testing"),
    option("--unseen", type=Path, help="file of speakers to hold out entirely"),
    option("--clips", type=int, help="keep only so many clips per split"),
    option("--voice", metavar="NAME", help="keep only this speaker's clips"),
)


if __name__ == "__main__":
    sys.exit(main())
