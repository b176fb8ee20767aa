"""What written signs stand for: abbreviations, units, symbols, letters of other alphabets."""

from __future__ import annotations

# Before a name, with or without a full stop.
TITLES = {
    "mr": "mister", "mrs": "missus", "ms": "miz", "dr": "doctor", "prof": "professor",
    "messrs": "messers", "st": "saint", "ste": "saint", "mme": "madam",
}  # fmt: skip

# Before a name, and only with a full stop: the bare words mean something else.
DOTTED_TITLES = {
    "gen": "general", "sen": "senator", "rep": "representative", "gov": "governor",
    "capt": "captain", "col": "colonel", "cmdr": "commander", "lt": "lieutenant",
    "sgt": "sergeant", "maj": "major", "cpl": "corporal", "pres": "president", "rev": "reverend",
    "hon": "honorable", "mt": "mount", "ft": "fort", "supt": "superintendent",
}  # fmt: skip

# After a name, with a full stop.
AFTER_NAMES = {
    "st": "street", "dr": "drive", "ave": "avenue", "blvd": "boulevard", "rd": "road",
    "hwy": "highway", "sq": "square", "co": "company", "inc": "incorporated", "ltd": "limited",
    "corp": "corporation", "bros": "brothers", "jr": "junior", "sr": "senior", "esq": "esquire",
}  # fmt: skip

# Anywhere, with a full stop (those in ALSO_BARE without one too). Keys have no last full stop.
ABBREVIATIONS = {
    "etc": "et cetera", "e.g": "for example", "i.e": "that is", "eg": "for example",
    "ie": "that is", "vs": "versus", "viz": "namely", "approx": "approximately",
    "dept": "department", "govt": "government", "vol": "volume", "ch": "chapter", "est": "estimated",
    "cf": "compare", "et al": "et al", "misc": "miscellaneous", "assn": "association",
    "intl": "international", "univ": "university", "a.k.a": "also known as", "n.b": "note well",
    "p.s": "p s", "o.k": "okay", "ph.d": "p h d",
}  # fmt: skip
ALSO_BARE = {
    "etc": "et cetera", "vs": "versus", "approx": "approximately", "govt": "government",
    "w/": "with", "w/o": "without", "aka": "also known as", "phd": "p h d", "ok": "okay",
    "messrs": "messers",
}  # fmt: skip

# Before a figure, with a full stop.
BEFORE_NUMBERS = {
    "no": "number", "nos": "numbers", "fig": "figure", "figs": "figures", "p": "page",
    "pp": "pages", "sec": "section", "eq": "equation", "art": "article", "tel": "telephone",
}  # fmt: skip

MONTH_ABBREVIATIONS = {
    "jan": "january", "feb": "february", "mar": "march", "apr": "april", "jun": "june",
    "jul": "july", "aug": "august", "sep": "september", "sept": "september", "oct": "october",
    "nov": "november", "dec": "december",
}  # fmt: skip

# unit: (one, many), after a figure. Lower case first, then as written.
UNITS = {
    "km": ("kilometer", "kilometers"), "m": ("meter", "meters"), "cm": ("centimeter", "centimeters"),
    "mm": ("millimeter", "millimeters"), "nm": ("nanometer", "nanometers"),
    "μm": ("micrometer", "micrometers"), "mi": ("mile", "miles"), "yd": ("yard", "yards"),
    "ft": ("foot", "feet"), "in.": ("inch", "inches"), "kg": ("kilogram", "kilograms"),
    "g": ("gram", "grams"), "mg": ("milligram", "milligrams"), "μg": ("microgram", "micrograms"),
    "lb": ("pound", "pounds"), "lbs": ("pound", "pounds"), "oz": ("ounce", "ounces"),
    "l": ("liter", "liters"), "ml": ("milliliter", "milliliters"), "gal": ("gallon", "gallons"),
    "s": ("second", "seconds"), "sec": ("second", "seconds"), "secs": ("second", "seconds"),
    "ms": ("millisecond", "milliseconds"), "min": ("minute", "minutes"),
    "mins": ("minute", "minutes"), "h": ("hour", "hours"), "hr": ("hour", "hours"),
    "hrs": ("hour", "hours"), "yr": ("year", "years"), "yrs": ("year", "years"),
    "hz": ("hertz", "hertz"), "khz": ("kilohertz", "kilohertz"), "mhz": ("megahertz", "megahertz"),
    "ghz": ("gigahertz", "gigahertz"), "db": ("decibel", "decibels"), "w": ("watt", "watts"),
    "kw": ("kilowatt", "kilowatts"), "mw": ("megawatt", "megawatts"),
    "kwh": ("kilowatt hour", "kilowatt hours"), "v": ("volt", "volts"),
    "kb": ("kilobyte", "kilobytes"), "mb": ("megabyte", "megabytes"),
    "gb": ("gigabyte", "gigabytes"), "tb": ("terabyte", "terabytes"),
    "mph": ("mile per hour", "miles per hour"), "kph": ("kilometer per hour", "kilometers per hour"),
    "mbps": ("megabit per second", "megabits per second"), "rpm": ("r p m", "r p m"),
    "ha": ("hectare", "hectares"), "cal": ("calorie", "calories"),
    "kcal": ("kilocalorie", "kilocalories"), "°": ("degree", "degrees"),
    "°c": ("degree celsius", "degrees celsius"), "°f": ("degree fahrenheit", "degrees fahrenheit"),
    "%": ("percent", "percent"), "‰": ("per mille", "per mille"), "¢": ("cent", "cents"),
    "x": ("times", "times"),
}  # fmt: skip
POWERS = {"²": "square", "³": "cubic"}

SYMBOLS = {
    "&": "and", "@": "at", "+": "plus", "=": "equals", "%": "percent", "×": "times", "÷": "divided by",
    "±": "plus or minus", "≈": "about", "~": "about", "<": "less than", ">": "greater than",
    "≤": "at most", "≥": "at least", "≠": "is not", "§": "section", "©": "copyright", "#": "number",
    "$": "dollars", "£": "pounds", "€": "euros", "¥": "yen", "₹": "rupees", "¢": "cents",
    "°": "degrees", "√": "square root of", "→": "to", "∞": "infinity",
}  # fmt: skip

IN_ADDRESSES = {".": "dot", "/": "slash", "-": "dash", "_": "underscore", "@": "at", "+": "plus"}
DOMAINS = frozenset(
    "com org net edu gov mil int info biz io ai app dev tv uk de fr eu us ca au co me".split()
)

# In capitals these are letters, though the lexicon has a word that looks like them.
SPELLED = frozenset("US UN EU UK AI AC DC ID IP LA MS PA AD BC CE ER VA PR HR PC QA UV MC".split())

# With an apostrophe in front these are words; elsewhere it is a quotation mark.
CLIPPED = frozenset("em til tis twas cause bout n".split())

ROMAN_AFTER = frozenset(
    "war chapter part act volume book phase type class section title article bowl appendix".split()
)
MONARCHS = frozenset(
    "henry edward george elizabeth louis charles william james richard philip frederick catherine "
    "pius benedict leo nicholas alexander napoleon".split()
)

SCRIPT_NAMES = {
    "CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean",
}  # fmt: skip

# Latin letters that Unicode does not take apart.
LETTERS = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "th", "þ": "th", "ł": "l", "ı": "i",
    "ə": "a", "ŋ": "ng",
}  # fmt: skip

CURRENCIES_AHEAD = ("$", "£", "€", "¥", "₹")
