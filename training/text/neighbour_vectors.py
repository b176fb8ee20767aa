"""First vectors of words, by the words that stand beside them, in seconds.

Words are alike that have the same neighbours: positive pointwise mutual information of a word and
the frequent words one and two places before and after it, reduced to its largest singular vectors
(Bullinaria & Levy, Extracting semantic representations from word co-occurrence statistics, 2012).
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import svds

_PLACES = (-2, -1, 1, 2)
_SMOOTH = 0.75  # power of the neighbours' frequencies (Levy, Goldberg & Dagan 2015)


def neighbour_vectors(ids: np.ndarray, words: int, size: int, neighbours: int = 2000) -> np.ndarray:
    """Return vectors (words, size) with a standard deviation of 1, of a text of word ids (N).

    The ids are in the order of frequency: the first ``neighbours`` of them are looked for beside
    each word, each place by itself.
    """
    rows, columns = [], []
    for number, place in enumerate(_PLACES):
        here = ids[max(0, -place) : len(ids) - max(0, place)]
        beside = ids[max(0, place) : len(ids) - max(0, -place)]
        frequent = beside < neighbours
        rows.append(here[frequent])
        columns.append(beside[frequent] + neighbours * number)
    row, column = np.concatenate(rows), np.concatenate(columns)
    shape = (words, neighbours * len(_PLACES))
    counts = coo_matrix((np.ones(len(row)), (row, column)), shape).tocsr().tocoo()
    of_words = np.bincount(counts.row, counts.data, shape[0])
    of_neighbours = np.bincount(counts.col, counts.data, shape[1]) ** _SMOOTH
    of_neighbours /= of_neighbours.sum()
    expected = of_words[counts.row] * of_neighbours[counts.col]
    counts.data = np.maximum(np.log(counts.data / expected), 0.0).astype(np.float32)
    start = np.random.default_rng(1).normal(size=min(shape)).astype(np.float32)
    left, values, _ = svds(counts.tocsr(), k=size, v0=start)
    vectors: np.ndarray = left * np.sqrt(values)
    return vectors / vectors.std()
