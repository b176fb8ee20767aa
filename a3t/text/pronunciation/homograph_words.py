"""The words that `homographs` decides about, and the words that it decides by."""

from __future__ import annotations

# word: (before a consonant or a pause, before a vowel)
FUNCTION_WORDS: dict[str, tuple[str, str]] = {
    "the": ("DH AH0", "DH IY0"), "to": ("T AH0", "T UW1"), "an": ("AH0 N", "AH0 N"),
    "and": ("AE1 N D", "AE1 N D"), "of": ("AH1 V", "AH1 V"), "for": ("F ER0", "F AO1 R"),
    "or": ("AO1 R", "AO1 R"), "are": ("AA1 R", "AA1 R"), "was": ("W AH0 Z", "W AH0 Z"),
    "can": ("K AH0 N", "K AH0 N"), "your": ("Y UH1 R", "Y UH1 R"), "our": ("AA1 R", "AA1 R"),
    "that": ("DH AE1 T", "DH AE1 T"), "as": ("AE1 Z", "AE1 Z"), "has": ("HH AE1 Z", "HH AE1 Z"),
    "than": ("DH AH0 N", "DH AE1 N"), "will": ("W AH0 L", "W AH0 L"),
    "with": ("W IH1 TH", "W IH1 TH"), "into": ("IH0 N T AH0", "IH1 N T UW0"),
    "because": ("B IH0 K AH1 Z", "B IH0 K AH1 Z"), "every": ("EH1 V R IY0", "EH1 V R IY0"),
}  # fmt: skip

# At the end of a text, and as a noun after an article.
FULL = {
    "to": "T UW1", "for": "F AO1 R", "can": "K AE1 N", "was": "W AA1 Z", "will": "W IH1 L",
    "into": "IH1 N T UW0",
}  # fmt: skip
ARTICLES = frozenset("a the my your his her its our their this that of free good".split())

# Nouns (or adjectives) stressed on the first syllable and verbs on a later one.
SHIFTED = frozenset(
    "abstract addict address ally annex attribute combat combine commune compact compound compress "
    "concert conduct confine conflict conscript console construct contest contract contrast "
    "converse convert convict default defect desert detail digest discard discharge discount "
    "escort excerpt export extract ferment frequent impact implant import impress imprint incense "
    "incline increase insert insult interchange invalid object offset overlap perfect permit "
    "pervert present proceed produce progress project protest purport rebel recall record refund "
    "refuse reject research retard segment subject survey suspect torment transfer transform "
    "transplant transport update upgrade".split()
)
USUALLY_VERBS = frozenset(
    "produce refuse permit combine convert insert reject transform recall confine compress "
    "discard impress use excuse separates suspects".split()
)
# Nouns (or adjectives) that end in S and verbs that end in Z.
VOICED = frozenset("use uses close excuse excuses abuse abuses house diffuse misuse".split())

RARELY_VERBS = frozenset("house present concert import minute".split())

VERBAL = frozenset(
    "i you we they will would can could shall should may might must do does did don't doesn't "
    "didn't can't cannot couldn't won't wouldn't shouldn't mustn't let's please who'll gonna "
    "wanna needn't daren't".split()
)
AUXILIARIES = frozenset(
    "will would can could shall should may might must do does did don't doesn't didn't can't "
    "cannot couldn't won't wouldn't shouldn't let help make".split()
)
CAUSATIVES = frozenset(
    "let lets make makes made help helps helped see saw hear heard watch watched".split()
)
OBJECT_PRONOUNS = frozenset("me him her us them it you".split())
PERFECT = frozenset(
    "have has had having haven't hasn't hadn't i've you've we've they've be been being was were is "
    "are get got".split()
)
BE = frozenset(
    "is are was were be been being am isn't aren't wasn't weren't feel feels felt seem seems "
    "seemed stay stayed remain remains remained became become looked looks stood lay".split()
)
NOMINAL = frozenset(
    "a an the this that these those my your his her its our their whose no some any each every "
    "another either neither both all many much few several what which such more most less very too "
    "quite rather of in on at for with by from into about without under over after before between "
    "against during through like as upon near one two three four five six seven eight nine ten "
    "first second third last next new old good great big small little own best worst long short "
    "high low poor rich young early late full only same other whole main public private free "
    "daily".split()
)
ADVERBS = frozenset(
    "not never always also often still just now then even soon ever really finally sometimes "
    "already once again usually better first".split()
)
TO_NOUN = frozenset(
    "due according next close closer similar related prior addition regard response contrast "
    "access thanks compared opposed reference devoted equal back".split()
)
OBJECT_STARTS = frozenset(
    "the a an this these those my your his her its our their him them us me it you each every "
    "any what how everything something anything himself herself themselves himself".split()
)
NOUN_AFTERWARDS = frozenset(
    "of is was are were has had will would can could may might which who that".split()
)
NOT_SUBJECTS = frozenset(["", *"a the good please let's us me him them".split()])
PAST_SIGNS = frozenset(
    "yesterday ago was were had did said went took came saw told made got last found "
    "once knew felt wrote thought gave".split()
)

_LIVE_AFTER = (
    "music show shows audience broadcast concert television tv stream performance ammunition "
    "coverage stock animals wire recording video event bait"
)


def _clue(phones: str, before: str, after: str) -> tuple[str, frozenset[str], frozenset[str]]:
    return phones, frozenset(before.split()), frozenset(after.split())


Clues = tuple[tuple[str, frozenset[str], frozenset[str]], ...]

# word: (usually, as a verb or "" for no difference, senses told by a word just before or after)
BY_CLUE: dict[str, tuple[str, str, Clues]] = {
    "lead": ("L IY1 D", "L IY1 D", (
        _clue("L EH1 D", "molten melted of like", "pipe pipes paint poisoning bullet bullets "
              "weight weights acid battery ore mine mines pencil"),
    )),
    "live": ("L IH1 V", "L IH1 V", (
        _clue("L AY1 V", "a went going broadcast broadcasting performed streamed playing recorded",
              _LIVE_AFTER),
    )),
    "lives": ("L IH1 V Z", "L IH1 V Z", (
        _clue("L AY1 V Z", "our their your his her my the many human nine past of own other all "
              "whose save saved two three these those private", "of were are"),
    )),
    "minute": ("M IH1 N AH0 T", "", (
        _clue("M AY0 N UW1 T", "very most so", "detail details particles amount amounts "
              "quantities differences examination inspection description"),
    )),
    "wind": ("W IH1 N D", "W AY1 N D", (
        _clue("W IH1 N D", "the a this strong cold north south east west high", ""),
        _clue("W AY1 N D", "", "up down around"),
    )),
    "winds": ("W IH1 N D Z", "W AY1 N D Z", (
        _clue("W AY1 N D Z", "road river path it he she", "up down its through around"),
    )),
    "wound": ("W UW1 N D", "W UW1 N D", (
        _clue("W AW1 N D", "", "up down around round through tight tightly in it"),
        _clue("W AW1 N D", "he she i we they tightly", ""),
        _clue("W UW1 N D", "to", ""),
    )),
    "tear": ("T IH1 R", "T EH1 R", (
        _clue("T EH1 R", "wear and", "up down apart off out away in it them the him her"),
    )),
    "tears": ("T IH1 R Z", "T EH1 R Z", (
        _clue("T EH1 R Z", "he she it", "up down apart off away"),
    )),
    "bow": ("B OW1", "B AW1", (
        _clue("B OW1", "", "and tie ties string window"),
        _clue("B AW1", "low deep slight took take polite stiff profound", "of to before"),
    )),
    "bass": ("B EY1 S", "", (
        _clue("B AE1 S", "sea largemouth striped caught", "fishing fish"),
    )),
    "does": ("D AH1 Z", "", ()),
    "dove": ("D AH1 V", "D OW1 V", (
        _clue("D OW1 V", "he she they we it", "into under in down"),
    )),
    "sow": ("S OW1", "S OW1", (_clue("S AW1", "old fat", "and"),)),
    "resume": ("R IH0 Z UW1 M", "R IH0 Z UW1 M", (
        _clue("R EH1 Z AH0 M EY2", "my your his her their our the a", ""),
    )),
    "content": ("K AH0 N T EH1 N T", "K AH0 N T EH1 N T", (
        _clue("K AA1 N T EH0 N T", "the this that its their his her some any web video good new "
              "of", "of"),
    )),
    "contents": ("K AA1 N T EH0 N T S", "", ()),
    "polish": ("P AA1 L IH0 SH", "", ()),
    "invalid": ("IH2 N V AE1 L AH0 D", "", (
        _clue("IH1 N V AH0 L AH0 D", "an the poor old his her", "chair"),
    )),
    "learned": ("L ER1 N D", "", (_clue("L ER1 N IH0 D", "the most very", "men man"),)),
    "aged": ("EY1 JH D", "", (_clue("EY1 JH IH0 D", "the an", "man woman father mother men"),)),
    "refuse": ("R AH0 F Y UW1 Z", "R AH0 F Y UW1 Z", (
        _clue("R EH1 F Y UW2 Z", "the of household", "collection collector heap dump"),
    )),
}  # fmt: skip
