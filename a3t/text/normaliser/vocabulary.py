"""The words of written signs: abbreviations, units, symbols, letters of other alphabets."""

from __future__ import annotations

# Before a name, with or without a full stop.
TITLES = {
    "mr": "mister", "mrs": "missus", "ms": "miz", "dr": "doctor", "prof": "professor",
    "messrs": "messrs", "st": "saint", "ste": "saint", "mme": "madam", "capt": "captain",
    "sgt": "sergeant", "lt": "lieutenant", "cpl": "corporal", "cmdr": "commander",
    "supt": "superintendent", "maj": "major", "mt": "mount", "hon": "honorable",
}  # fmt: skip

# Before a name, and only with a full stop: the bare words mean something else.
DOTTED_TITLES = {
    "gen": "general", "sen": "senator", "rep": "representative", "gov": "governor",
    "col": "colonel", "pres": "president", "rev": "reverend",
    "ft": "fort", "adm": "admiral", "fr": "father", "amb": "ambassador",
    "det": "detective", "insp": "inspector", "pvt": "private", "atty": "attorney",
}  # fmt: skip

# After a name; those in NAMES_ONLY_DOTTED with a full stop, the others also without.
AFTER_NAMES = {
    "st": "street", "dr": "drive", "ave": "avenue", "blvd": "boulevard", "rd": "road",
    "hwy": "highway", "sq": "square", "co": "company", "inc": "incorporated", "ltd": "limited",
    "corp": "corporation", "bros": "brothers", "jr": "junior", "sr": "senior", "esq": "esquire",
    "pl": "place", "ct": "court", "ln": "lane", "pkwy": "parkway",
    "expy": "expressway", "mts": "mountains",
}  # fmt: skip
NAMES_ONLY_DOTTED = frozenset("co sq pl ct ln corp".split())

# A comma may part these from the name.
AFTER_COMMA = frozenset("inc ltd jr sr esq".split())

# Before a name that needs a compass point, and after a house number.
COMPASS = {"n": "north", "s": "south", "e": "east", "w": "west"}
WITH_COMPASS = frozenset("korea africa america carolina dakota virginia ireland wales".split())

# Anywhere, with a full stop (those in ALSO_BARE without one too). Keys have no last full stop.
ABBREVIATIONS = {
    "e.g": "for example", "i.e": "that is", "eg": "for example", "ie": "that is", "viz": "namely",
    "dept": "department", "vol": "volume", "ch": "chapter", "est": "estimated", "cf": "compare",
    "misc": "miscellaneous", "assn": "association", "intl": "international",
    "univ": "university", "a.k.a": "also known as", "n.b": "note well", "p.s": "p s",
    "o.k": "okay", "ph.d": "p h d", "mss": "manuscripts", "apt": "apartment", "blvd": "boulevard",
    "incl": "including", "max": "maximum", "min": "minimum", "avg": "average",
    "mon": "monday", "tues": "tuesday", "thurs": "thursday", "thur": "thursday",
}  # fmt: skip
ALSO_BARE = {
    "mr": "mister", "mrs": "missus", "etc": "et cetera", "vs": "versus",
    "approx": "approximately", "govt": "government", "w/": "with", "w/in": "within",
    "w/o": "without", "b/c": "because", "c/o": "care of", "aka": "also known as", "phd": "p h d",
    "phds": "p h d's", "ok": "okay", "oks": "okays", "hwy": "highway", "pkwy": "parkway",
    "blvd": "boulevard",
}  # fmt: skip
# Words too, unless they begin with a capital: "max.", "misc." at a sentence's end are the word.
SMALL_ONLY = frozenset("max min ch est mon eg ie".split())

# Before a figure, with a full stop.
BEFORE_NUMBERS = {
    "no": "number", "nos": "numbers", "fig": "figure", "figs": "figures", "p": "page",
    "pp": "pages", "sec": "section", "eq": "equation", "art": "article", "tel": "telephone",
    "apt": "apartment", "ste": "suite", "est": "established", "ch": "chapter", "vol": "volume",
    "vols": "volumes", "ep": "episode", "eps": "episodes",
    "ext": "extension", "bk": "book", "v": "verse", "c": "about",
    "ca": "about", "st": "street", "rm": "room", "bldg": "building", "op": "opus", "pt": "part",
}  # fmt: skip

MONTH_ABBREVIATIONS = {
    "jan": "january", "feb": "february", "mar": "march", "apr": "april", "jun": "june",
    "jul": "july", "aug": "august", "sep": "september", "sept": "september", "oct": "october",
    "nov": "november", "dec": "december",
}  # fmt: skip
ONLY_MONTHS = frozenset("feb aug sept oct nov dec".split())
WEEKDAYS = {
    "mon": "monday", "tue": "tuesday", "tues": "tuesday", "wed": "wednesday", "weds": "wednesday",
    "thu": "thursday", "thur": "thursday", "thurs": "thursday", "fri": "friday",
    "sat": "saturday", "sun": "sunday",
}  # fmt: skip

# unit: (one, many), after a figure. Lower case first, then as written.
UNITS = {
    "km": ("kilometer", "kilometers"), "m": ("meter", "meters"),
    "cm": ("centimeter", "centimeters"), "mm": ("millimeter", "millimeters"),
    "nm": ("nanometer", "nanometers"), "μm": ("micrometer", "micrometers"),
    "mi": ("mile", "miles"), "yd": ("yard", "yards"), "yds": ("yard", "yards"),
    "ft": ("foot", "feet"), "in.": ("inch", "inches"), "kg": ("kilogram", "kilograms"),
    "g": ("gram", "grams"), "mg": ("milligram", "milligrams"), "μg": ("microgram", "micrograms"),
    "lb": ("pound", "pounds"), "lbs": ("pound", "pounds"), "oz": ("ounce", "ounces"),
    "l": ("liter", "liters"), "ml": ("milliliter", "milliliters"),
    "cl": ("centiliter", "centiliters"),
    "gal": ("gallon", "gallons"), "pt": ("pint", "pints"), "tsp": ("teaspoon", "teaspoons"),
    "tbsp": ("tablespoon", "tablespoons"),
    "s": ("second", "seconds"), "sec": ("second", "seconds"), "secs": ("second", "seconds"),
    "ms": ("millisecond", "milliseconds"), "μs": ("microsecond", "microseconds"),
    "min": ("minute", "minutes"), "mins": ("minute", "minutes"), "h": ("hour", "hours"),
    "hr": ("hour", "hours"), "hrs": ("hour", "hours"), "yr": ("year", "years"),
    "yrs": ("year", "years"), "mo": ("month", "months"), "mos": ("month", "months"),
    "wk": ("week", "weeks"), "wks": ("week", "weeks"),
    "hz": ("hertz", "hertz"), "khz": ("kilohertz", "kilohertz"), "mhz": ("megahertz", "megahertz"),
    "ghz": ("gigahertz", "gigahertz"), "db": ("decibel", "decibels"), "w": ("watt", "watts"),
    "kw": ("kilowatt", "kilowatts"), "mw": ("megawatt", "megawatts"),
    "gw": ("gigawatt", "gigawatts"), "kwh": ("kilowatt hour", "kilowatt hours"),
    "hp": ("horsepower", "horsepower"), "v": ("volt", "volts"), "kv": ("kilovolt", "kilovolts"),
    "ma": ("milliamp", "milliamps"), "mah": ("milliamp hour", "milliamp hours"),
    "ω": ("ohm", "ohms"), "kω": ("kilohm", "kilohms"), "kj": ("kilojoule", "kilojoules"),
    "kpa": ("kilopascal", "kilopascals"), "hpa": ("hectopascal", "hectopascals"),
    "psi": ("p s i", "p s i"), "kb": ("kilobyte", "kilobytes"), "mb": ("megabyte", "megabytes"),
    "gb": ("gigabyte", "gigabytes"), "tb": ("terabyte", "terabytes"),
    "kbps": ("kilobit per second", "kilobits per second"),
    "mbps": ("megabit per second", "megabits per second"),
    "gbps": ("gigabit per second", "gigabits per second"),
    "mph": ("mile per hour", "miles per hour"), "mpg": ("mile per gallon", "miles per gallon"),
    "kph": ("kilometer per hour", "kilometers per hour"),
    "kmh": ("kilometer per hour", "kilometers per hour"), "rpm": ("r p m", "r p m"),
    "bpm": ("beat per minute", "beats per minute"),
    "fps": ("frame per second", "frames per second"), "bit": ("bit", "bits"),
    "bits": ("bit", "bits"), "px": ("pixel", "pixels"),
    "ha": ("hectare", "hectares"), "cal": ("calorie", "calories"),
    "kcal": ("kilocalorie", "kilocalories"), "°": ("degree", "degrees"),
    "°c": ("degree celsius", "degrees celsius"), "°f": ("degree fahrenheit", "degrees fahrenheit"),
    "%": ("percent", "percent"), "‰": ("per mille", "per mille"), "¢": ("cent", "cents"),
    "x": ("times", "times"), "sq": ("square", "square"), "cu": ("cubic", "cubic"),
}  # fmt: skip
NOT_UNITS = frozenset("G S H K P X C F MO Bit".split())
"""Capitals that mean something else than the small letter: 5G, 4K."""

# currency code after or before an amount: (one, many)
CURRENCY_CODES = {
    "USD": ("u s dollar", "u s dollars"), "GBP": ("pound", "pounds"), "EUR": ("euro", "euros"),
    "JPY": ("yen", "yen"), "CHF": ("swiss franc", "swiss francs"),
    "CAD": ("canadian dollar", "canadian dollars"), "INR": ("rupee", "rupees"),
    "AUD": ("australian dollar", "australian dollars"), "CNY": ("yuan", "yuan"),
    "SEK": ("swedish krona", "swedish kronor"), "NOK": ("norwegian krone", "norwegian kroner"),
    "DKK": ("danish krone", "danish kroner"), "MXN": ("mexican peso", "mexican pesos"),
    "Rs": ("rupee", "rupees"), "BTC": ("bitcoin", "bitcoin"),
}  # fmt: skip
DOLLARS = {"A": "australian", "C": "canadian", "CA": "canadian", "HK": "hong kong",
           "NZ": "new zealand", "S": "singapore", "AU": "australian", "US": "u s"}  # fmt: skip

SYMBOLS = {
    "&": "and", "@": "at", "+": "plus", "=": "equals", "%": "percent", "×": "times",
    "÷": "divided by", "±": "plus or minus", "≈": "about", "~": "about", "<": "less than",
    ">": "greater than", "≤": "at most", "≥": "at least", "≠": "is not", "§": "section",
    "§§": "sections", "©": "copyright", "#": "number", "№": "number", "$": "dollars",
    "£": "pounds", "€": "euros", "¥": "yen", "₹": "rupees", "₩": "won", "₽": "rubles",
    "₪": "shekels", "₱": "pesos", "₺": "lira", "₿": "bitcoin", "¢": "cents", "°": "degrees",
    "√": "square root of", "→": "to", "∞": "infinity",
}  # fmt: skip
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
SAID_AS = {
    "json": "jason", "jpeg": "jay peg", "jpg": "jay peg", "gif": "gif", "wwi": "world war one",
    "wwii": "world war two",
}  # fmt: skip

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

# Not the first word of a name, nor a noun: what a sentence or a phrase goes on with.
FUNCTION_WORDS = frozenset(
    "a an the he she it they we i you his her its their our my your this that these those there "
    "here then when where what who why how which whose but and or nor so if because although "
    "while since until in on at for from to as after before by with without of into onto over "
    "under about near than off out up down is was are were be been am has have had do does did "
    "will would can could shall should may might must not no yes one some many most all every "
    "each both several yesterday today tomorrow tonight now later soon once ago per more less "
    "only just also too him them me us".split()
) - {"may", "one", "will"}

STATES = {
    "AL": "alabama", "AK": "alaska", "AZ": "arizona", "AR": "arkansas", "CA": "california",
    "CO": "colorado", "CT": "connecticut", "DE": "delaware", "FL": "florida", "GA": "georgia",
    "HI": "hawaii", "ID": "idaho", "IL": "illinois", "IN": "indiana", "IA": "iowa",
    "KS": "kansas", "KY": "kentucky", "LA": "louisiana", "ME": "maine", "MD": "maryland",
    "MA": "massachusetts", "MI": "michigan", "MN": "minnesota", "MS": "mississippi",
    "MO": "missouri", "MT": "montana", "NE": "nebraska", "NV": "nevada", "NH": "new hampshire",
    "NJ": "new jersey", "NM": "new mexico", "NY": "new york", "NC": "north carolina",
    "ND": "north dakota", "OH": "ohio", "OK": "oklahoma", "OR": "oregon", "PA": "pennsylvania",
    "RI": "rhode island", "SC": "south carolina", "SD": "south dakota", "TN": "tennessee",
    "TX": "texas", "UT": "utah", "VT": "vermont", "VA": "virginia", "WA": "washington",
    "WV": "west virginia", "WI": "wisconsin", "WY": "wyoming",
}  # fmt: skip

SCRIPT_NAMES = {
    "CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean",
}  # fmt: skip

# Latin letters that Unicode does not take apart.
LETTERS = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "th", "þ": "th", "ł": "l", "ı": "i",
    "ə": "a", "ŋ": "ng",
}  # fmt: skip

CURRENCIES_AHEAD = tuple("$£€¥₹₩₽₪₱₺₿")

NUMBERED_IN_PARTS = frozenset(
    "table figure fig exhibit chart listing equation problem exercise appendix schedule".split()
)
"""Before figures with a dash that are one number: Table 2-1."""

# Books of the Bible by their abbreviations, before a chapter.
BIBLE_BOOKS = {
    "gen": "genesis", "ex": "exodus", "exod": "exodus", "lev": "leviticus", "num": "numbers",
    "deut": "deuteronomy", "josh": "joshua", "judg": "judges", "sam": "samuel", "kgs": "kings",
    "chr": "chronicles", "chron": "chronicles", "neh": "nehemiah", "ps": "psalm", "pss": "psalms",
    "prov": "proverbs", "eccl": "ecclesiastes", "eccles": "ecclesiastes", "isa": "isaiah",
    "jer": "jeremiah", "lam": "lamentations", "ezek": "ezekiel", "hos": "hosea", "mic": "micah",
    "hab": "habakkuk", "zeph": "zephaniah", "zech": "zechariah", "mal": "malachi",
    "matt": "matthew", "mt": "matthew", "mk": "mark", "lk": "luke", "jn": "john", "rom": "romans",
    "cor": "corinthians", "gal": "galatians", "eph": "ephesians", "phil": "philippians",
    "col": "colossians", "thess": "thessalonians", "tim": "timothy", "heb": "hebrews",
    "jas": "james", "pet": "peter", "rev": "revelation",
}  # fmt: skip
BIBLE = frozenset(BIBLE_BOOKS.values()) | frozenset(
    "psalm mark luke john acts titus philemon jude ruth ezra esther job daniel joel amos obadiah "
    "jonah nahum haggai corinthians".split()
)
