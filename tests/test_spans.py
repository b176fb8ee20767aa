"""Places of a source and of an output that differ in some spans."""

from hypothesis import given
from hypothesis import strategies as st

from a3t.spans import SpanMap

# Lengths by turns: kept, replaced, and what stands in its place.
PIECES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), max_size=6)


def map_of(pieces: list[tuple[int, int, int]], rest: int) -> tuple[SpanMap, list[int], list[int]]:
    """The map of some pieces; and the source and the output, written out."""
    source, output, replaced = [], [], []
    for kept, old, new in pieces:
        same = range(len(source), len(source) + kept)
        source += same
        output += same
        replaced.append(((len(source), len(source) + old), new))
        source += range(len(source), len(source) + old)
        output += [-1] * new
    same = range(len(source), len(source) + rest)
    return SpanMap.replacing(replaced, len(source) + rest), [*source, *same], [*output, *same]


@given(PIECES, st.integers(0, 9))
def test_kept_samples_are_mapped_in_both_directions(
    pieces: list[tuple[int, int, int]], rest: int
) -> None:
    spans, source, output = map_of(pieces, rest)
    assert spans.output_length == len(output)
    kept = [
        (pair.source[0] + k, pair.output[0] + k)
        for pair in spans.kept()
        for k in range(pair.source[1] - pair.source[0])
    ]
    assert [output[there] for _, there in kept] == [source[here] for here, _ in kept]
    assert len(kept) == sum(place >= 0 for place in output)
    for here, there in kept:
        assert spans.output_of(here) == there


@given(PIECES, st.integers(0, 9))
def test_changed_samples_map_to_the_start_of_the_change(
    pieces: list[tuple[int, int, int]], rest: int
) -> None:
    spans, source, output = map_of(pieces, rest)
    for k, change in enumerate(spans.changes):
        assert all(spans.output_of(place) == change.output[0] for place in range(*change.source))
        assert spans.shifts[k] == change.output[0] - change.source[0]
    assert spans.output_of(len(source)) == len(output)
