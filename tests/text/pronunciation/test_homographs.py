"""Homographs decided by neighbouring words, and the forms of function words."""

import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.text.phones import ARPABET
from a3t.text.pronunciation import homographs
from a3t.text.pronunciation.homographs import features, senses, shipped
from a3t.text.pronunciation.lexicon import lookup
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from training.text.train_homographs import learn, measure, read

# sentence, word, how it is said there.
SENTENCES = [
    ("I have read the book.", "read", "R EH1 D"),
    ("I will read it tomorrow.", "read", "R IY1 D"),
    ("They like to read.", "read", "R IY1 D"),
    ("He broke the world record.", "record", "R EH1 K ER0 D"),
    ("Please record the song.", "record", "R AH0 K AO1 R D"),
    ("They record music in the studio.", "record", "R AH0 K AO1 R D"),
    ("She gave me a present.", "present", "P R EH1 Z AH0 N T"),
    ("The content of the page changed.", "content", "K AA1 N T EH0 N T"),
    ("She was content with her life.", "content", "K AH0 N T EH1 N T"),
    ("He described it in minute detail.", "minute", "M AY0 N UW1 T"),
    ("You must wind the clock.", "wind", "W AY1 N D"),
    ("A tear ran down her cheek.", "tear", "T IH1 R"),
    ("Do not tear the paper.", "tear", "T EH1 R"),
    ("She shot an arrow with her bow.", "bow", "B OW1"),
    ("He wound up the toy.", "wound", "W AW1 N D"),
    ("The house is old.", "house", "HH AW1 S"),
    ("The camp can house a hundred people.", "house", "HH AW1 Z"),
    ("My estimate was wrong.", "estimate", "EH1 S T AH0 M AH0 T"),
    ("A moderate wind.", "moderate", "M AA1 D ER0 AH0 T"),
    ("He will moderate the debate.", "moderate", "M AA1 D ER0 EY2 T"),
    ("The project failed.", "project", "P R AA1 JH EH0 K T"),
    ("They project a loss.", "project", "P R AH0 JH EH1 K T"),
    ("We buy fresh produce.", "produce", "P R OW1 D UW0 S"),
    ("What is the use of it?", "use", "Y UW1 S"),
    ("I use it every day.", "use", "Y UW1 Z"),
    ("A man.", "a", "AH0"),
    ("The apple.", "the", "DH IY0"),
    ("The man.", "the", "DH AH0"),
    ("I want to eat.", "to", "T UW1"),
    ("I want to go.", "to", "T AH0"),
    ("It is grade A.", "a", "EY1"),
    ("Metals contract when cold.", "contract", "K AH0 N T R AE1 K T"),
    ("They insult him.", "insult", "IH2 N S AH1 L T"),
    ("The rebel army.", "rebel", "R EH1 B AH0 L"),
    ("The subject is closed.", "subject", "S AH1 B JH IH0 K T"),
    ("The suspect ran.", "suspect", "S AH1 S P EH2 K T"),
    ("Sales increase every year.", "increase", "IH2 N K R IY1 S"),
    ("An increase in sales.", "increase", "IH1 N K R IY2 S"),
    ("He refused to desert his friends.", "desert", "D IH0 Z ER1 T"),
    ("The desert is dry.", "desert", "D EH1 Z ER0 T"),
    ("I refuse to go.", "refuse", "R AH0 F Y UW1 Z"),
    ("They will resume work.", "resume", "R IH0 Z UW1 M"),
    ("Send me your resume.", "resume", "R EH1 Z AH0 M EY2"),
    ("He records the songs.", "records", "R AH0 K AO1 R D Z"),
    ("Old records are rare.", "records", "R EH1 K ER0 D Z"),
    ("The dove flew away.", "dove", "D AH1 V"),
    ("He dove into the water.", "dove", "D OW1 V"),
    ("He played the bass.", "bass", "B EY1 S"),
    ("It is in use.", "use", "Y UW1 S"),
    ("The perfect day.", "perfect", "P ER1 F IH2 K T"),
    ("We need to perfect it.", "perfect", "P ER0 F EH1 K T"),
    ("They graduate in June.", "graduate", "G R AE1 JH AH0 W EY2 T"),
    ("She is a graduate.", "graduate", "G R AE1 JH AH0 W AH0 T"),
    ("A deliberate act.", "deliberate", "D IH0 L IH1 B ER0 AH0 T"),
]

# Written after the rules and not used to make them; KNOWN_WRONG, the weights get wrong.
HELD_OUT = [
    ("The minister will address the crowd and present the award.", "present", "P R IY0 Z EH1 N T"),
    ("Nobody could object to such a gift.", "object", "AH0 B JH EH1 K T"),
    ("The strange object floated in the sky.", "object", "AA1 B JH EH0 K T"),
    ("These farms produce milk.", "produce", "P R AH0 D UW1 S"),
    ("The police suspect him of theft.", "suspect", "S AH0 S P EH1 K T"),
    ("A new study will contrast the two methods.", "contrast", "K AH0 N T R AE1 S T"),
    ("The old convict escaped.", "convict", "K AA1 N V IH0 K T"),
    ("Her conduct was excellent.", "conduct", "K AA1 N D AH0 K T"),
    ("He wants to conduct the orchestra.", "conduct", "K AA0 N D AH1 K T"),
    ("The strong wind tore the roof off.", "wind", "W IH1 N D"),
    ("Could you close the window?", "close", "K L OW1 Z"),
    ("He is a close friend.", "close", "K L OW1 S"),
    ("Why did you use my cup?", "use", "Y UW1 Z"),
    ("Make good use of your time.", "use", "Y UW1 S"),
    ("I can't excuse such behaviour.", "excuse", "IH0 K S K Y UW1 Z"),
    ("A poor excuse.", "excuse", "IH0 K S K Y UW1 S"),
    ("The guide will lead us home.", "lead", "L IY1 D"),
    ("Old lead pipes are dangerous.", "lead", "L EH1 D"),
    ("She read to the children every night.", "read", "R EH1 D"),
    ("Keep the two things separate.", "separate", "S EH1 P ER0 IH0 T"),
    ("Can you read music?", "read", "R IY1 D"),
    ("She would have read it.", "read", "R EH1 D"),
    ("My sister lives near the station.", "lives", "L IH1 V Z"),
    ("Cats are said to have nine lives.", "lives", "L AY1 V Z"),
    ("I live alone.", "live", "L IH1 V"),
    ("The match was broadcast live.", "live", "L AY1 V"),
    ("Wait a minute.", "minute", "M IH1 N AH0 T"),
    ("The river winds through the valley.", "winds", "W AY1 N D Z"),
    ("His wound was deep.", "wound", "W UW1 N D"),
    ("She burst into tears.", "tears", "T IH1 R Z"),
    ("The actors bow to the audience.", "bow", "B AW1"),
    ("The walls separate the rooms.", "separate", "S EH1 P ER0 EY2 T"),
    ("Could you estimate the damage?", "estimate", "EH1 S T AH0 M EY2 T"),
    ("Do you have a permit for that?", "permit", "P ER1 M IH2 T"),
    ("The rules do not permit smoking.", "permit", "P ER0 M IH1 T"),
    ("The rebels attacked at dawn.", "rebels", "R EH1 B AH0 L Z"),
    ("He rebels against everything.", "rebels", "R IH0 B EH1 L Z"),
    ("We made slow progress.", "progress", "P R AA1 G R EH2 S"),
    ("As the days progress it gets warmer.", "progress", "P R AH0 G R EH1 S"),
    ("Their contract ends in June.", "contract", "K AA1 N T R AE2 K T"),
    ("The import of wine was banned.", "import", "IH1 M P AO2 R T"),
    ("They import wine from France.", "import", "IH2 M P AO1 R T"),
    ("She has a perfect record.", "record", "R EH1 K ER0 D"),
    ("Did he record the speech?", "record", "R AH0 K AO1 R D"),
    ("The advocate spoke for an hour.", "advocate", "AE1 D V AH0 K AH0 T"),
    ("They advocate reform.", "advocate", "AE1 D V AH0 K EY2 T"),
    ("Drug abuse is a problem.", "abuse", "AH0 B Y UW1 S"),
    ("The insult hurt him.", "insult", "IH1 N S AH2 L T"),
    ("Scientists extract oil from seeds.", "extract", "IH0 K S T R AE1 K T"),
]

KNOWN_WRONG = ("The children read quietly while he worked.", "read", "R EH1 D")


PRONOUNCER = Pronouncer()


def said(sentence: str, word: str) -> str:
    spoken = Transcript.from_text(sentence).spoken
    return " ".join(PRONOUNCER.pronounce(spoken)[spoken.index(word)])


def test_sentences() -> None:
    wrong = [row for row in SENTENCES + HELD_OUT if said(*row[:2]) != row[2]]
    assert not wrong


@pytest.mark.xfail(strict=True, reason="the tense is told by the next clause alone")
def test_a_known_fault() -> None:
    sentence, word, phones = KNOWN_WRONG
    assert said(sentence, word) == phones


def test_the_rules_matter() -> None:
    """Without them (the first candidate, always) much of the table is wrong."""
    first = [" ".join(lookup(word)[0]) == phones for _, word, phones in SENTENCES + HELD_OUT]
    assert sum(first) < 0.6 * len(first)


def test_what_the_tables_say_is_in_the_lexicon() -> None:
    """A misspelt pronunciation in a table would silently fall back to the first candidate."""
    for word, forms in homographs.FUNCTION_WORDS.items():
        for phones in (*forms, homographs.FULL.get(word, forms[0])):
            assert tuple(phones.split()) in lookup(word), (word, phones)
    for word, (usual, as_verb, clues) in homographs.BY_CLUE.items():
        for phones in (usual, as_verb or usual, *(clue[0] for clue in clues)):
            assert tuple(phones.split()) in lookup(word), (word, phones)


def test_voiced_pairs_are_distinguished() -> None:
    for word in homographs.VOICED - {"misuse"}:
        forms = homographs.noun_and_verb(word, lookup(word))
        assert forms is not None, word
        noun, verb = (phones[-1] if phones[-1] in "SZ" else phones[-3] for phones in forms)
        assert (noun[-1], verb[-1]) == ("S", "Z") or word in ("uses", "excuses", "abuses"), word
        assert "S" in forms[0] and "Z" in forms[1], word


def test_nouns_are_stressed_early_and_verbs_late() -> None:
    for word in ("record", "objects", "permit", "rebel", "suspect", "contract"):
        forms = homographs.noun_and_verb(word, lookup(word))
        assert forms is not None, word
        stress = [[phone[-1] for phone in phones if phone[-1].isdigit()] for phones in forms]
        assert stress[0][0] == "1" and stress[1][0] != "1" and "1" in stress[1], word


def test_other_words_are_no_pairs() -> None:
    for word in ("cat", "insurance", "either", "address's", "late", "plate"):
        candidates = PRONOUNCER.candidates(word)
        assert homographs.noun_and_verb(word, candidates) is None, word
        assert homographs.choose(0, [word], candidates) == candidates[0], word


some = st.sampled_from(
    "read a the to and record lead live use close her that did he dogs quickly of lives bow in "
    "wind separate estimates house i zebra x".split()
)


def test_own_pronunciations_without_a_vowel() -> None:
    for ways in ((("S", "T"), ("P", "R")), (("S", "T"), ("R", "IH0", "K", "AO1", "R", "D"))):
        assert homographs.choose(1, ["the", "record", "is"], ways) in ways


@given(st.lists(some, max_size=12))
def test_any_words_get_one_of_their_candidates(words: list[str]) -> None:
    pronouncer = Pronouncer()
    spoken = pronouncer.pronounce(words)
    assert all(
        phones in pronouncer.candidates(word) for word, phones in zip(words, spoken, strict=True)
    )
    assert spoken == pronouncer.pronounce(words)


# sentence, word, how it is said there; the senses that are always guessed alike otherwise.
LEARNT = [
    ("She speaks Polish and English.", "polish", "P OW1 L IH0 SH"),
    ("Polish the silver, please.", "polish", "P AA1 L IH0 SH"),
    ("He wants the polish in the tin.", "polish", "P AA1 L IH0 SH"),
    ("I grew up in Reading, near London.", "reading", "R EH1 D IH0 NG"),
    ("Reading is fun.", "reading", "R IY1 D IH0 NG"),
    ("We're live on air.", "live", "L AY1 V"),
    ("They live on a farm.", "live", "L IH1 V"),
    ("content creators love this", "content", "K AA1 N T EH0 N T"),
    ("I am content with it.", "content", "K AH0 N T EH1 N T"),
    ("Just hit record.", "record", "R AH0 K AO1 R D"),
    ("The record was broken.", "record", "R EH1 K ER0 D"),
    ("I sent my résumé yesterday.", "resume", "R EH1 Z AH0 M EY2"),
    ("We resume at noon.", "resume", "R IH0 Z UW1 M"),
]


@pytest.mark.parametrize(("sentence", "word", "phones"), LEARNT)
def test_learnt_senses(sentence: str, word: str, phones: str) -> None:
    transcript = Transcript.from_text(sentence)
    written = [spoken.written for spoken in transcript.words]
    said = Pronouncer().pronounce(transcript.spoken, written)
    assert " ".join(said[transcript.spoken.index(word)]) == phones


def test_every_learnt_sense_is_a_candidate() -> None:
    words = shipped().words
    assert len(words) > 150
    for word, weights in words.items():
        said = senses(word)
        assert set(weights) <= set(said)
        for phones in said.values():
            assert set(phones) <= set(ARPABET) and phones in Pronouncer().candidates(word)
        assert all(len(sense) <= 65 for sense in weights.values())


def test_no_sentence_is_shipped() -> None:
    """Features are of at most two words and classes of them."""
    for weights in [shipped().shared, *(w for s in shipped().words.values() for w in s.values())]:
        assert all(len(name) < 70 and name.count("=") <= 2 for name in weights)


def test_what_is_looked_at() -> None:
    found = set(features(2, "the old polish was good".split(), "The old Polish, was good.".split()))
    assert {"L1=old", "R1=was", "R1 is be", "capital", "before ,", "near good"} <= found
    assert "capital" not in set(features(0, ["polish"], ["POLISH"]))  # everything is in capitals


def test_learning(tmp_path: Path) -> None:
    """From forty sentences the weights find a word's senses in others like them."""
    rows = ["homograph\twordid\tsentence\tstart\tend"]
    for name in "anna bob carl dora emil fred gina hans ida jon".split():
        for sense, sentence in (
            ("bass", f"{name.title()} played the bass guitar."),
            ("bass_corp", f"{name.title()} caught a bass fish."),
        ):
            start = sentence.index("bass")
            rows.append(f"bass\t{sense}\t{sentence}\t{start}\t{start + 4}")
    path = tmp_path / "sentences.tsv.xz"
    path.write_bytes(lzma.compress("\n".join(rows).encode()))
    examples = read(path)
    assert len(examples) == 20
    model = learn(examples[::2] + examples[1:10:2])
    assert measure(model, examples[11::2])["all"] == 100
