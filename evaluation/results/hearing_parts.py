"""The parts of RESULTS.md that say how well the editor hears and reads."""

from __future__ import annotations

import time

import numpy as np

from alignment import AlignmentError
from evaluation.results.setting import Figures, Setting, percent, share


def boundaries(setting: Setting) -> Figures:
    """The aligner's boundaries against voices whose times are exact."""
    from alignment.aligners.network_aligner import NetworkAligner
    from evaluation.hearing.boundary_errors import measure, spoken
    from training.alignment.distortions import CONDITIONS as DISTORTIONS
    from training.alignment.flite import VOICES

    utterances, aligner = spoken(VOICES, setting.some(10)), NetworkAligner()
    found: Figures = {}
    for name, condition in (("clean", "clean"), ("noise", "noise 10 dB"), ("room", "room")):
        figures = measure(aligner, utterances, DISTORTIONS[condition]).to_json()
        found |= {f"{name}.{key}": figures[key] for key in ("boundaries", "mean", "median")}
        found[f"{name}.speed"] = figures["x real time"]
    return found


def spreads(setting: Setting) -> Figures:
    """The share of boundaries within their stated spreads: of synthetic speech, if flite is
    installed, and beside pauses of real speech."""
    from evaluation.hearing.calibration import REPORTED, pause_boundaries, phone_boundaries

    beside = pause_boundaries(setting.some(40), reported=True)
    within = [error <= spread for _, _, spread, error in beside]
    found: Figures = {"pauses": share(sum(within), len(within)), "pauses.count": len(within)}
    try:
        rows = phone_boundaries(REPORTED, setting.some(8))
    except AlignmentError:
        return found
    inside = int((rows[:, 1] <= rows[:, 0]).sum())
    return found | {"phones": share(inside, len(rows)), "phones.count": len(rows)}


def errors(setting: Setting) -> Figures:
    """Wrong texts: doubted? Right ones: trusted?"""
    from evaluation.hearing.planted_errors import ONE, WHOLE, align_with_texts, detected
    from evaluation.hearing.planting import held_out_clips

    clips = held_out_clips(setting.some(48), 6)
    begun = time.process_time()
    rows = list(align_with_texts(clips, 6))
    aligned = sum(clip.clip.seconds for clip in clips) * len({row.kind for row in rows})
    found: Figures = {"clips": len(clips), "speed": (time.process_time() - begun) / aligned}
    for name, kind in zip(("wrong", "added", "missing"), ONE[1:], strict=True):
        found[name] = share(*detected(rows, kind, "found", "all"))
    found["alarms"] = share(*detected(rows, ONE[0], "words doubted", "all"))
    refused = [detected(rows, kind, "refused", "all") for kind in WHOLE]
    found["refused"] = percent(sum(hits for hits, _ in refused), sum(of for _, of in refused))
    return found


def sounds(setting: Setting) -> Figures:
    """Sound that nobody wrote: named, and its neighbours left where they are?"""
    from evaluation.hearing.planted_sounds import FAR, align_planted
    from evaluation.hearing.planting import held_out_clips

    clips = held_out_clips(setting.some(36), 6)
    rows = [row for row in align_planted(clips) if row.kind != "room tone"]
    far = [max(abs(row.before), abs(row.after)) > FAR for row in rows]
    return {
        "places": len(rows),
        "named": share(sum(row.named for row in rows), len(rows)),
        "far": percent(sum(far), len(far)),
    }


def recognition(setting: Setting) -> Figures:
    """Words recognised wrongly, with the new text as a hint and without."""
    from evaluation.hearing.planting import held_out_clips
    from evaluation.hearing.recognition import interval as resampled
    from evaluation.hearing.recognition import recognise_clips

    clips = held_out_clips(setting.some(40), 3, True)
    found: Figures = {"clips": len(clips)}
    for name, prior in (("hint", "new"), ("free", "none")):
        rows, found[f"{name}.speed"] = recognise_clips(clips, 3, prior)
        for part in ("all", "librispeech", "commonvoice"):
            own = [row for row in rows if part in ("all", row.corpus)]
            words, wrong = sum(row.words for row in own), sum(row.wrong for row in own)
            low, high = resampled(own)
            found[f"{name}.{part}"] = [percent(wrong, words), 100 * low, 100 * high, len(own)]
            kept = sum(row.kept for row in own)
            found[f"{name}.{part}.untouched"] = percent(sum(row.kept_wrong for row in own), kept)
    return found


def live(setting: Setting) -> Figures:
    """Words shown while they are said, beside those of the recogniser that hears the whole."""
    from alignment.recognition.live import Pace
    from evaluation.hearing.live_words import listened, live, offline, streams
    from evaluation.hearing.planting import aligner_held_out

    heard = streams(aligner_held_out(True), setting.some(20), 3)
    rows = [listened(live(Pace()), stream) for stream in heard]
    whole = [listened(offline, stream) for stream in heard]
    words = sum(row.words for row in rows)
    final = [lag for row in rows for lag in row.final]
    return {
        "words": words,
        "wrong": percent(sum(row.wrong for row in rows), words),
        "behind": 100 * (sum(row.wrong for row in rows) - sum(row.wrong for row in whole)) / words,
        "shown": float(np.mean([lag for row in rows for lag in row.shown])),
        "final": float(np.mean(final)),
        "latest": float(np.quantile(final, 0.9)),
        "changed": 100 * sum(row.changed for row in rows) / words,
        "speed": sum(row.processor for row in rows) / sum(row.seconds for row in rows),
    }


def near_words(setting: Setting) -> Figures:
    """The edit that is planned, given only the new text."""
    from evaluation.hearing import near_words as measure

    clips = measure.as_written(measure.usable(False, None), setting.some(16), 7)
    rows = list(measure.measured(clips, 7))
    found: Figures = {"clips": len(clips)}
    for kind in ("near", "distant"):
        for name, where in (("clean", "clean"), ("home", "at home")):
            own = [row for row in rows if (row.kind, row.where) == (kind, where)]
            for verb in ("planned", "touched"):
                hits = sum(getattr(row, verb) for row in own)
                found[f"{kind}.{name}.{verb}"] = share(hits, len(own))
    return found


def cleaning(setting: Setting) -> Figures:
    """Fillers, repetitions and pauses, planted and taken out."""
    from evaluation.hearing.planted_fillers import CLIPPED, clean_planted
    from evaluation.hearing.planting import held_out_clips

    clips = held_out_clips(setting.some(24), 91, True)
    done = clean_planted(setting.editor, clips, 91)
    made = [row for row in done.rows if row.found]
    return {
        "planted": len(done.rows),
        "found": share(len(made), len(done.rows)),
        "clipped": share(sum(max(row.lost) > CLIPPED for row in made), len(made)),
        "alarms": done.alarms / done.seconds * 60,
        "minutes": done.seconds / 60,
    }


def speakers(setting: Setting) -> Figures:
    """Two people told apart by their sound."""
    from evaluation.hearing.joined_speakers import tell_apart

    rows = [row for row in tell_apart(setting.editor, setting.some(8), 2, False) if row.voices == 2]
    found: Figures = {}
    for name, known in (("known", True), ("free", False)):
        own = [row for row in rows if row.known == known]
        found["recordings"] = len(own)
        found[name] = 100 * float(np.mean([row.words for row in own]))
        found[f"{name}.number"] = percent(sum(row.number for row in own), len(own))
    return found


def reading(setting: Setting) -> Figures:
    """Scores of reading and of restored punctuation."""
    from evaluation.text_readings import measure_reading

    found: Figures = {}
    for name, figure, cases in measure_reading(
        setting.texts, setting.some(2000), setting.some(30_000)
    ):
        found |= {name.replace(" ", "-"): figure, f"{name.replace(' ', '-')}.cases": cases}
    return found
