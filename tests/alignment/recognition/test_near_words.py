"""Words that sound nearly like others."""

from alignment.recognition.ngrams import known_ways, words_one_phone_apart


def test_words_one_phone_apart() -> None:
    """One phone replaced, left out or put in; no homophone, and both ways."""
    near = words_one_phone_apart(known_ways("see"))
    assert {"say", "he", "seat", "seen"} <= set(near)
    assert not {"sea", "see", "city", "saying"} & set(near)
    assert all("see" in words_one_phone_apart(ways) for ways in near.values())
    assert words_one_phone_apart([("Z",) * 12]) == {} and known_ways("zzzz") == frozenset()
