"""The words of written signs: abbreviations, units, symbols, letters of other alphabets."""

from __future__ import annotations


def _words(table: str) -> dict[str, str]:
    """ "dr doctor, e.g for example" -> the spoken form of each sign."""
    return dict(entry.split(" ", 1) for entry in table.split(", "))  # type: ignore[misc]


def _counted(table: str) -> dict[str, tuple[str, str]]:
    """ "km kilometer, ft foot|feet" -> the spoken forms after 1 and after other figures."""
    pairs = {sign: said.partition("|") for sign, said in _words(table).items()}
    return {sign: (one, more or f"{one}s") for sign, (one, _, more) in pairs.items()}


# Before a name, with or without a full stop.
TITLES = _words(
    "mr mister, mrs missus, ms miz, dr doctor, prof professor, messrs messrs, st saint, ste "
    "saint, mme madam, capt captain, sgt sergeant, lt lieutenant, cpl corporal, cmdr commander, "
    "supt superintendent, maj major, mt mount, hon honorable"
)

# Before a name, and only with a full stop: the bare words mean something else.
DOTTED_TITLES = _words(
    "gen general, sen senator, rep representative, gov governor, col colonel, pres president, rev "
    "reverend, ft fort, adm admiral, fr father, amb ambassador, det detective, insp inspector, "
    "pvt private, atty attorney"
)

# After a name; those in NAMES_ONLY_DOTTED with a full stop, the others also without.
AFTER_NAMES = _words(
    "st street, dr drive, ave avenue, blvd boulevard, rd road, hwy highway, sq square, co "
    "company, inc incorporated, ltd limited, corp corporation, bros brothers, jr junior, sr "
    "senior, esq esquire, pl place, ct court, ln lane, pkwy parkway, expy expressway, mts "
    "mountains"
)
NAMES_ONLY_DOTTED = frozenset("co sq pl ct ln corp".split())

# A comma may part these from the name.
AFTER_COMMA = frozenset("inc ltd jr sr esq".split())

# Before a name that needs a compass point, and after a house number.
COMPASS = {"n": "north", "s": "south", "e": "east", "w": "west"}
WITH_COMPASS = frozenset("korea africa america carolina dakota virginia ireland wales".split())

# Anywhere, with a full stop (those in ALSO_BARE without one too). Keys have no last full stop.
ABBREVIATIONS = _words(
    "e.g for example, i.e that is, eg for example, ie that is, viz namely, dept department, vol "
    "volume, ch chapter, est estimated, cf compare, misc miscellaneous, assn association, intl "
    "international, univ university, a.k.a also known as, n.b note well, p.s p s, o.k okay, ph.d "
    "p h d, mss manuscripts, apt apartment, blvd boulevard, incl including, max maximum, min "
    "minimum, avg average, mon monday, tues tuesday, thurs thursday, thur thursday"
)
ALSO_BARE = _words(
    "mr mister, mrs missus, etc et cetera, vs versus, approx approximately, govt government, w/ "
    "with, w/in within, w/o without, b/c because, c/o care of, aka also known as, phd p h d, phds "
    "p h d's, ok okay, oks okays, hwy highway, pkwy parkway, blvd boulevard"
)
# Words too, unless they begin with a capital: "max.", "misc." at a sentence's end are the word.
SMALL_ONLY = frozenset("max min ch est mon eg ie".split())

# Before a figure, with a full stop.
BEFORE_NUMBERS = _words(
    "no number, nos numbers, fig figure, figs figures, p page, pp pages, sec section, eq "
    "equation, art article, tel telephone, apt apartment, ste suite, est established, ch chapter, "
    "vol volume, vols volumes, ep episode, eps episodes, ext extension, bk book, v verse, c "
    "about, ca about, st street, rm room, bldg building, op opus, pt part"
)

MONTH_ABBREVIATIONS = _words(
    "jan january, feb february, mar march, apr april, jun june, jul july, aug august, sep "
    "september, sept september, oct october, nov november, dec december"
)
ONLY_MONTHS = frozenset("feb aug sept oct nov dec".split())
WEEKDAYS = _words(
    "mon monday, tue tuesday, tues tuesday, wed wednesday, weds wednesday, thu thursday, thur "
    "thursday, thurs thursday, fri friday, sat saturday, sun sunday"
)

# unit: (one, many), after a figure. Lower case first, then as written.
UNITS = _counted(
    "km kilometer, m meter, cm centimeter, mm millimeter, nm nanometer, μm micrometer, mi mile, "
    "yd yard, yds yard, ft foot|feet, in. inch|inches, kg kilogram, g gram, mg milligram, μg "
    "microgram, lb pound, lbs pound, oz ounce, l liter, ml milliliter, cl centiliter, gal gallon, "
    "pt pint, tsp teaspoon, tbsp tablespoon, s second, sec second, secs second, ms millisecond, "
    "μs microsecond, min minute, mins minute, h hour, hr hour, hrs hour, yr year, yrs year, mo "
    "month, mos month, wk week, wks week, hz hertz|hertz, khz kilohertz|kilohertz, mhz "
    "megahertz|megahertz, ghz gigahertz|gigahertz, db decibel, w watt, kw kilowatt, mw megawatt, "
    "gw gigawatt, kwh kilowatt hour, hp horsepower|horsepower, v volt, kv kilovolt, ma milliamp, "
    "mah milliamp hour, ω ohm, kω kilohm, kj kilojoule, kpa kilopascal, hpa hectopascal, psi p s "
    "i|p s i, kb kilobyte, mb megabyte, gb gigabyte, tb terabyte, kbps kilobit per "
    "second|kilobits per second, mbps megabit per second|megabits per second, gbps gigabit per "
    "second|gigabits per second, mph mile per hour|miles per hour, mpg mile per gallon|miles per "
    "gallon, kph kilometer per hour|kilometers per hour, kmh kilometer per hour|kilometers per "
    "hour, rpm r p m|r p m, bpm beat per minute|beats per minute, fps frame per second|frames per "
    "second, bit bit, bits bit, px pixel, ha hectare, cal calorie, kcal kilocalorie, ° degree, °c "
    "degree celsius|degrees celsius, °f degree fahrenheit|degrees fahrenheit, % percent|percent, "
    "‰ per mille|per mille, ¢ cent, x times|times, sq square|square, cu cubic|cubic"
)
NOT_UNITS = frozenset("G S H K P X C F MO Bit".split())
"""Capitals that mean something else than the small letter: 5G, 4K."""

# currency code after or before an amount: (one, many)
CURRENCY_CODES = _counted(
    "USD u s dollar, GBP pound, EUR euro, JPY yen|yen, CHF swiss franc, CAD canadian dollar, INR "
    "rupee, AUD australian dollar, CNY yuan|yuan, SEK swedish krona|swedish kronor, NOK norwegian "
    "krone|norwegian kroner, DKK danish krone|danish kroner, MXN mexican peso, Rs rupee, BTC "
    "bitcoin|bitcoin"
)
DOLLARS = {"A": "australian", "C": "canadian", "CA": "canadian", "HK": "hong kong",
           "NZ": "new zealand", "S": "singapore", "AU": "australian", "US": "u s"}  # fmt: skip

SYMBOLS = _words(
    "& and, @ at, + plus, = equals, % percent, × times, ÷ divided by, ± plus or minus, ≈ about, ~ "
    "about, < less than, > greater than, ≤ at most, ≥ at least, ≠ is not, § section, §§ sections, "
    "© copyright, # number, № number, $ dollars, £ pounds, € euros, ¥ yen, ₹ rupees, ₩ won, ₽ "
    "rubles, ₪ shekels, ₱ pesos, ₺ lira, ₿ bitcoin, ¢ cents, ° degrees, √ square root of, → to, ∞ "
    "infinity"
)
BEFORE_FIGURES = frozenset("§~≈≤≥±√<>©№≠")
"""Signs that say something only where a figure follows at once: "~5", not "~/home"."""

IN_ADDRESSES = {
    ".": "dot", "/": "slash", "-": "dash", "_": "underscore", "@": "at", "+": "plus",
    "=": "equals", "?": "question mark", "&": "and", "#": "hash", ":": "colon", "~": "tilde",
}  # fmt: skip
DOMAINS = frozenset(
    "com org net edu gov mil int info biz io ai app dev tv uk de fr eu us ca au co me fm ly gg be "
    "to sh im cc xyz blog shop store online live news page cloud site nz ie in jp ch nl se".split()
)
EXTENSIONS = frozenset(
    "txt pdf doc docx xls xlsx csv jpg jpeg png gif wav mp3 mp4 zip py js html json exe md".split()
)

# In capitals these are letters, though the lexicon has a word that looks like them.
SPELLED = frozenset(
    "US UN EU UK AI AC DC ID IP LA MS PA AD BC CE ER VA PR HR PC QA UV MC SAT UPS OT GED SEC RIP "
    "SOS MA DA LED IRA RAF ET OS PM".split()
)
SAID_AS = _words(
    "json jason, jpeg jay peg, jpg jay peg, gif gif, wwi world war one, wwii world war two"
)

# With an apostrophe in front these are words; elsewhere it is a quotation mark.
CLIPPED = frozenset("em til tis twas cause bout n twere twould tisn't twasn't neath gainst".split())

ROMAN_AFTER = frozenset(
    "war chapter part act volume book phase type class section title article bowl appendix "
    "scene canto vol ch pt olympiad".split()
)
MONARCHS = frozenset(
    "henry edward george elizabeth louis charles william james richard philip frederick catherine "
    "pius benedict leo nicholas alexander napoleon paul john mary ferdinand ivan wilhelm ramses "
    "ludwig otto gustav carl felipe leopold albert gregory clement innocent urban julius boniface "
    "constantine ptolemy cleopatra francis joseph robert peter harald philippe xavier "
    "isabella margaret anne christian".split()
)
CALLED_IN_PAIRS = frozenset(
    "boeing highway route room flight interstate area suite hwy freeway".split()
)
"""Before a number of three or four figures that is read in pairs: Room 101, Boeing 747."""
DIALLED = frozenset(
    "call dial called dialed dialled calling dialing dialling code zip pin passcode ending serial "
    "extension".split()
)
"""Before a number that is read figure by figure."""

# Not the first word of a name, nor a noun: a sentence or a phrase continues with these.
FUNCTION_WORDS = frozenset(
    "a an the he she it they we i you his her its their our my your this that these those there "
    "here then when where what who why how which whose but and or nor so if because although "
    "while since until in on at for from to as after before by with without of into onto over "
    "under about near than off out up down is was are were be been am has have had do does did "
    "will would can could shall should may might must not no yes one some many most all every "
    "each both several yesterday today tomorrow tonight now later soon once ago per more less "
    "only just also too him them me us".split()
) - {"may", "one", "will"}

STATES = _words(
    "AL alabama, AK alaska, AZ arizona, AR arkansas, CA california, CO colorado, CT connecticut, "
    "DE delaware, FL florida, GA georgia, HI hawaii, ID idaho, IL illinois, IN indiana, IA iowa, "
    "KS kansas, KY kentucky, LA louisiana, ME maine, MD maryland, MA massachusetts, MI michigan, "
    "MN minnesota, MS mississippi, MO missouri, MT montana, NE nebraska, NV nevada, NH new "
    "hampshire, NJ new jersey, NM new mexico, NY new york, NC north carolina, ND north dakota, OH "
    "ohio, OK oklahoma, OR oregon, PA pennsylvania, RI rhode island, SC south carolina, SD south "
    "dakota, TN tennessee, TX texas, UT utah, VT vermont, VA virginia, WA washington, WV west "
    "virginia, WI wisconsin, WY wyoming"
)

SCRIPT_NAMES = {
    "CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean",
}  # fmt: skip

# Latin letters that Unicode does not take apart.
LETTERS = _words("ß ss, æ ae, œ oe, ø o, đ d, ð th, þ th, ł l, ı i, ə a, ŋ ng")

CURRENCIES_AHEAD = tuple("$£€¥₹₩₽₪₱₺₿")

NUMBERED_IN_PARTS = frozenset(
    "table figure fig exhibit chart listing equation problem exercise appendix schedule".split()
)
"""Before figures with a dash that are one number: Table 2-1."""

# Books of the Bible by their abbreviations, before a chapter.
BIBLE_BOOKS = _words(
    "gen genesis, ex exodus, exod exodus, lev leviticus, num numbers, deut deuteronomy, josh "
    "joshua, judg judges, sam samuel, kgs kings, chr chronicles, chron chronicles, neh nehemiah, "
    "ps psalm, pss psalms, prov proverbs, eccl ecclesiastes, eccles ecclesiastes, isa isaiah, jer "
    "jeremiah, lam lamentations, ezek ezekiel, hos hosea, mic micah, hab habakkuk, zeph "
    "zephaniah, zech zechariah, mal malachi, matt matthew, mt matthew, mk mark, lk luke, jn john, "
    "rom romans, cor corinthians, gal galatians, eph ephesians, phil philippians, col colossians, "
    "thess thessalonians, tim timothy, heb hebrews, jas james, pet peter, rev revelation"
)
BIBLE = frozenset(BIBLE_BOOKS.values()) | frozenset(
    "psalm mark luke john acts titus philemon jude ruth ezra esther job daniel joel amos obadiah "
    "jonah nahum haggai corinthians".split()
)
