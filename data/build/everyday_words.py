"""The words of the everyday scenes: parsers of sources/everyday, and the forms of verbs."""

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from templates import SourceError
from variation import shuffled

FOLDER = Path(__file__).parent / "sources" / "everyday"
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}
TAILS = 3  # for each action
SPOKEN_AN = re.compile(r"(?:[aeio]|u(?!ni|se))", re.IGNORECASE)


@dataclass(frozen=True)
class Subject:
    name: str
    plural: str
    pronoun: str  # he, she, it, they, or any: he or she, drawn for each scene
    kinds: tuple[str, ...]
    above: tuple[str, ...]  # more general nouns, the nearest first; "=two people" as it stands
    others: tuple[str, ...]
    synonyms: tuple[str, ...]

    @property
    def is_person(self) -> bool:
        return self.pronoun != "it"


@dataclass(frozen=True)
class Place:
    name: str
    phrase: str
    inside: bool
    area: str
    general: tuple[str, ...]


@dataclass(frozen=True)
class Attribute:
    """Something told of a subject, or of weather and time: what is true then, what is false."""

    kinds: tuple[str, ...]
    family: str
    text: str
    true: tuple[str, ...]
    false: tuple[str, ...]

    @property
    def after(self) -> bool:
        """True if it stands after the noun: with a backpack."""
        return self.text.split()[0] in ("with", "wearing", "on", "from", "in")


@dataclass(frozen=True)
class Frame:
    """One action: who does it where, what follows from it, what may be true besides."""

    name: str
    theme: str
    action: str  # its class, see classes.txt
    do: str
    who: tuple[str, ...]
    at: tuple[str, ...]
    so: tuple[str, ...]
    vague: tuple[str, ...]  # follows as well, but says too little to contradict other actions
    add: tuple[tuple[str, str], ...]  # (words for the premise or "", what is true with them or "")
    pose: str = ""
    known: frozenset[str] = frozenset()
    dress: bool = True
    only_pool: bool = False  # no scenes of its own: told of others only


@dataclass
class Words:
    subjects: dict[str, Subject] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    near: set[frozenset[str]] = field(default_factory=set)  # areas that may be one place
    objects: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)
    attributes: list[Attribute] = field(default_factory=list)
    conditions: list[Attribute] = field(default_factory=list)
    colours: list[str] = field(default_factory=list)
    garments: list[str] = field(default_factory=list)
    compatible: dict[str, set[str]] = field(default_factory=dict)
    excluded: dict[str, set[str]] = field(default_factory=dict)  # of classes that go with most
    known: dict[str, set[str]] = field(default_factory=dict)
    generic: set[str] = field(default_factory=set)
    tails: list[tuple[str, str, set[str]]] = field(default_factory=list)  # kind, words, not with
    frames: list[Frame] = field(default_factory=list)

    def exclude(self, first: str, second: str) -> bool:
        """True if actions of these two classes cannot be done at once."""
        if first == second:
            return False
        if first in self.excluded or second in self.excluded:
            return second in self.excluded.get(first, ()) or first in self.excluded.get(second, ())
        return second not in self.compatible[first] and first not in self.compatible[second]

    def apart(self, first: Place, second: Place) -> bool:
        """True if nobody is in both places."""
        areas = frozenset((first.area, second.area))
        return len(areas) == 2 and areas not in self.near


def lines_of(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines() if line.strip() and line[0] != "#"]


def columns(line: str) -> list[str]:
    return [part.strip() for part in line.split("|")]


def items(text: str, mark: str = ";") -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(mark) if part.strip())


@cache
def read_words() -> Words:
    """Everything in sources/everyday but the genres."""
    words = Words()
    for line in lines_of(FOLDER / "subjects.txt"):
        name, plural, pronoun, kinds, above, others, synonyms = columns(line)
        lists = [items(part, ",") for part in (above, others, synonyms)]
        words.subjects[name] = Subject(name, plural, pronoun, tuple(kinds.split()), *lists)
    read_places(words)
    for line in lines_of(FOLDER / "objects.txt"):
        head, members = line.split(" : ")
        slot, general = head.split(" = ")
        words.objects[slot] = (list(items(members)), list(items(general, ",")))
    read_attributes(words)
    read_classes(words)
    for line in lines_of(FOLDER / "tails.txt"):
        kind, tail, classes = columns(line)
        words.tails.append((kind, tail, set(classes.split())))
    for path in sorted((FOLDER / "scenes").glob("*.txt")):
        words.frames += read_frames(path, words)
    names = [(frame.theme, frame.name) for frame in words.frames]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SourceError(f"two actions of a theme have the same name: {sorted(twice)}")
    return words


def read_places(words: Words) -> None:
    for line in lines_of(FOLDER / "places.txt"):
        if line.startswith("near: "):
            words.near.add(frozenset(line.split()[1:]))
            continue
        # a choice in the phrase holds a bar as well
        name, rest = (part.strip() for part in line.split("|", 1))
        phrase, where, area, general = (part.strip() for part in rest.rsplit("|", 3))
        words.places[name] = Place(name, phrase, where == "in", area, items(general))


def read_attributes(words: Words) -> None:
    for line in lines_of(FOLDER / "attributes.txt"):
        if line.startswith(("colours:", "garments:")):
            key, values = line.split(": ")
            setattr(words, key, values.split())
            continue
        kinds, family, text, true, false = columns(line)
        words.attributes.append(
            Attribute(tuple(kinds.split()), family, text, items(true), items(false))
        )
    for line in lines_of(FOLDER / "conditions.txt"):
        family, where, text, true, false = columns(line)
        words.conditions.append(Attribute((where,), family, text, items(true), items(false)))


def read_classes(words: Words) -> None:
    for line in lines_of(FOLDER / "classes.txt"):
        key, _, rest = line.partition(":")
        if key == "generic":
            words.generic = set(items(rest))
        elif key.startswith("known "):
            words.known[key.removeprefix("known ")] = set(rest.split())
        elif "* except" in rest:
            words.excluded[key] = set(rest.split("* except")[1].split())
        else:
            words.compatible[key] = set(rest.split())


def read_frames(path: Path, words: Words) -> list[Frame]:
    """The blocks of one theme."""
    found = []
    for block in re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, *lines = [line.strip() for line in block.splitlines() if line.strip()]
        name, action = head.split()
        fields = dict(line.split(": ", 1) for line in lines)
        so, _, vague = fields["so"].partition(" / ")
        add = [tuple(part.split(" = ")) for part in items(fields["add"])]
        unknown = set(fields["at"].split()) - set(words.places)
        if unknown or action not in {*words.compatible, *words.excluded}:
            raise SourceError(f"{path.name}, {name}: unknown {unknown or action}")
        known = set(fields.get("known", "").split()) | words.known.get(action, set())
        found.append(
            Frame(
                name=name,
                theme=path.stem,
                action=action,
                do=fields["do"],
                who=tuple(who.replace("-", " ") for who in fields["who"].split()),
                at=tuple(fields["at"].split()),
                so=items(so),
                vague=items(vague),
                add=(
                    *((a[0], a[1]) if len(a) == 2 else ("", a[0]) for a in add),
                    *((tail, "") for tail in tails_of(name, action, fields, words)),
                ),
                pose=fields.get("pose", ""),
                known=frozenset(known),
                dress=fields.get("dress") != "no",
                only_pool=fields.get("use") == "pool",
            )
        )
    return found


def tails_of(name: str, action: str, fields: dict[str, str], words: Words) -> list[str]:
    """A few details that may be added to this action: open unless the premise tells them."""
    first = fields["who"].split()[0].rstrip("+").replace("-", " ")
    doer = next(s for s in words.subjects.values() if first in (s.name, *s.kinds))
    kind = "vehicle" if "vehicle" in doer.kinds else "people" if doer.is_person else "animal"
    told = " ".join((fields["do"], fields["add"]))
    fitting = [
        tail
        for of, tail, classes in words.tails
        if of == kind and action not in classes and tail.split()[-1] not in told
    ]
    return shuffled(fitting, "tails", name)[:TAILS] if fields.get("use") != "pool" else []


@cache
def verb_table() -> tuple[dict[str, tuple[str, str]], set[str], tuple[str, ...]]:
    """Irregular forms, the verbs of states, and phrases in which those happen after all."""
    forms, states, events = {}, set(), ()
    for line in lines_of(FOLDER / "verbs.txt"):
        if line.startswith("stative: "):
            states = set(line.split()[1:])
        elif line.startswith("event: "):
            events = items(line.removeprefix("event: "))
        else:
            base, ing, third = line.split()
            forms[base] = (ing, third)
    return forms, states, events


def ing_form(verb: str) -> str:
    if verb in verb_table()[0]:
        return verb_table()[0][verb][0]
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + "ing"
    return verb + "ing"


def third_person(verb: str) -> str:
    if verb in verb_table()[0]:
        return verb_table()[0][verb][1]
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + ("es" if re.search(r"(?:s|sh|ch|x|z|o)$", verb) else "s")


def inflect(phrase: str, form) -> str:
    """The first word and each word after a plus sign in another form: sit and +talk."""
    first, *rest = phrase.split()
    marked = [form(word[1:]) if word[0] == "+" else word for word in rest]
    return " ".join([form(first), *marked])


def plain(phrase: str) -> str:
    return phrase.replace("+", "")


def is_state(phrase: str) -> bool:
    _, states, events = verb_table()
    return phrase.split()[0] in states and not phrase.startswith(events)


def predicate(phrase: str, *, plural: bool, simple: bool = False, negated: bool = False) -> str:
    """play the guitar -> is playing the guitar, are not playing, plays; be old -> is old."""
    verb, _, rest = phrase.partition(" ")
    be, do = ("are", "do") if plural else ("is", "does")
    no = " not" if negated else ""
    if phrase.split()[-1] in ("soon", "later", "tomorrow", "tonight"):
        return f"will{no} {plain(phrase)}"
    if verb == "be":
        return f"{be}{no} {rest}".replace("not not ", "")
    if is_state(phrase) or simple:
        if negated:
            return f"{do} not {plain(phrase)}"
        return plain(phrase) if plural else inflect(phrase, third_person)
    return f"{be}{no} {inflect(phrase, ing_form)}"


def article(noun: str) -> str:
    return f"an {noun}" if SPOKEN_AN.match(noun) else f"a {noun}"
