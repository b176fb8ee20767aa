"""What a trained network was trained on, by the list of clips that goes with it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from a3t import pretrained
from a3t.errors import InputError
from training.corpora import Clip
from training.corpora.shared_split import listed_split
from training.features.split_list import (
    HELD_OUT,
    SPLIT_FILE,
    ListedClip,
    SplitList,
    read_split,
    refuse_trained_on,
)

SHIPPED_MODELS = Path(pretrained.__file__).resolve().parent


def refuse_heard(name: str, folder: Path, clips: Iterable[Clip]) -> None:
    """Raise InputError unless a model's own list holds out all of these clips.

    Shipped models have no list: the rule of `training.corpora.shared_split` is theirs.

    Parameters
    ----------
    name : str
        The model's name, for the message.
    folder : Path
        A shipped model, a packed one, or a run of a training.
    clips : iterable of Clip
        The clips to measure.

    Raises
    ------
    InputError
        If there is no list, if it isn't the one that the model was trained with, or if it doesn't
        hold out a clip.
    """
    clips = list(clips)
    if SHIPPED_MODELS in folder.resolve().parents:
        held_out = (clip for clip in clips if listed_split(clip) in HELD_OUT)
        split = SplitList.of(ListedClip(clip.name, "test", clip.voice) for clip in held_out)
    else:
        split = own_split(name, folder)
    refuse_trained_on(split, [clip.name for clip in clips], name)


def own_split(name: str, folder: Path) -> SplitList:
    """Return the list of clips of a run or a packed model; InputError without the one it had."""
    split = read_split(folder)
    if split is None:
        raise InputError(
            f"{name}: {folder} has no {SPLIT_FILE}, so that nobody can tell which clips it was "
            "trained on: train it again, or pack its run again."
        )
    written = pretrained.read_config(folder / "config.yaml").get("split", split.digest)
    if written != split.digest:
        raise InputError(f"{name}: {folder / SPLIT_FILE} is not the list that it was trained with.")
    return split
