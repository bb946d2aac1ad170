"""Scenes and their premises: an action, somebody who does it, a place, and details around them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, zip_longest

from everyday_avoid import is_avoided
from everyday_draws import Draws, content, pluralise
from everyday_words import (
    NUMBERS,
    Attribute,
    Frame,
    Place,
    Subject,
    Words,
    article,
    inflect,
    ing_form,
    is_state,
    predicate,
)
from templates import capitalise
from variation import shuffled

PREMISE_WORDS = range(8, 15)
HOT_OR_COLD = ("weather", "season")


@dataclass(frozen=True)
class Scene:
    """What all wordings of one group share; `pronoun` and `do` are settled."""

    frame: Frame
    number: int
    subject: Subject
    must_be_many: bool
    place: Place
    thing: str  # what stands for the slot of the action, or nothing
    slot: str
    do: str
    pronoun: str

    @property
    def name(self) -> str:
        return f"{self.frame.name}-{self.number}"


@dataclass
class Premise:
    """One wording of a scene and the facts it tells."""

    scene: Scene
    count: int  # 0: several
    text: str = ""
    place: Place | None = None
    place_text: str = ""
    attribute: Attribute | None = None
    colour: str = ""
    garment: str = ""
    ext: tuple[str, str] = ("", "")
    condition: Attribute | None = None
    seed: tuple = field(default=())

    @property
    def plural(self) -> bool:
        """Does a verb take its plural form? A couple is, two men are."""
        return self.count != 1

    @property
    def their(self) -> str:
        return "their" if self.plural else possessive(self.scene.pronoun)

    def fill(self, phrase: str) -> str:
        """A phrase of the sources with pronouns that fit the subject."""
        they = "they" if self.plural else self.scene.pronoun
        if self.plural:
            phrase = re.sub(r"\b(its|itself)\b", lambda m: PLURAL_ITS[m[1]], phrase)
        return phrase.replace("<their>", self.their).replace("<they>", they)

    def tells(self, phrase: str) -> bool:
        """True if the phrase speaks of something that the premise or its subject decides."""
        told = [self.attribute, self.condition]
        texts = [" ".join((a.text, *a.true, *a.false)) for a in told if a]
        if self.garment:
            texts.append(f"{self.garment} wear shoes clothes")
        return bool(content(" ".join(texts)) & content(phrase))


PLURAL_ITS = {"its": "their", "itself": "themselves"}


def possessive(pronoun: str) -> str:
    return {"he": "his", "she": "her", "it": "its", "they": "their"}[pronoun]


def subjects_of(frame: Frame, words: Words) -> list[tuple[Subject, bool]]:
    """Who does this; True where it takes more than one."""
    found: list[list[tuple[Subject, bool]]] = []
    for who in frame.who:
        name, many = who.rstrip("+"), who.endswith("+")
        if name in words.subjects and not in_kind(words, name):
            found.append([(words.subjects[name], many)])
        else:
            every = [s for s in words.subjects.values() if s.kinds]
            members = [s for s in every if name in (*s.kinds, s.name)]
            found.append([(s, many) for s in members])
    return [one for turn in zip_longest(*found) for one in turn if one]


def in_kind(words: Words, name: str) -> bool:
    """True if the name is also a kind with several members: dog, child."""
    return any(name in s.kinds and s.name != name for s in words.subjects.values())


def scenes_of(frame: Frame, words: Words, most: int) -> Iterator[Scene]:
    """Different combinations of who, where and what; each is used before it comes again."""
    draws = Draws("scene", frame.name)
    subjects = subjects_of(frame, words)
    places = shuffled(frame.at, "places", frame.name)
    slot = match[1] if (match := re.search(r"<(?!their)(\w+)>", frame.do)) else ""
    things = shuffled(words.objects[slot][0], "things", frame.name) if slot else [""]
    seen = set()
    for number in range(60):
        # The step after a full round keeps the lists from running in parallel.
        subject, many = subjects[number % len(subjects)]
        place = places[(number + number // max(len(subjects), len(places))) % len(places)]
        thing = things[(number + number // len(places)) % len(things)]
        if (subject.name, many, place, thing) in seen:
            continue
        seen.add((subject.name, many, place, thing))
        pronoun = draws.pick(["he", "she"]) if subject.pronoun == "any" else subject.pronoun
        do = draws.choose(frame.do).replace(f"<{slot}>", thing)
        yield Scene(frame, len(seen), subject, many, words.places[place], thing, slot, do, pronoun)
        if len(seen) == most:
            return


def fitting_attributes(premise_subject: Subject, many: bool, words: Words) -> list[Attribute]:
    """Those that can be told of it."""
    kinds = {*premise_subject.kinds, premise_subject.name}
    if premise_subject.pronoun == "they":
        kinds = set()
    elif many:
        vehicle = "vehicle" in kinds
        kinds = {"plural"} if premise_subject.is_person else {"fleet" if vehicle else "herd"}
        kinds -= {"plural"} if {"small", "baby"} & set(premise_subject.kinds) else set()
    elif premise_subject.is_person and not {"role", "small", "baby"} & kinds:
        kinds |= {"people"} | ({"adult"} & kinds)
    grown = "adult" in premise_subject.kinds or "plural" not in kinds
    fitting = [attribute for attribute in words.attributes if kinds & set(attribute.kinds)]
    return [attribute for attribute in fitting if grown or attribute.family != "age"]


def fitting_conditions(scene: Scene, words: Words) -> list[Attribute]:
    """Weather and times that may be told of the scene."""
    frame, place = scene.frame, scene.place
    return [
        condition
        for condition in words.conditions
        if condition.family not in frame.known
        and (condition.kinds == ("any",) or not place.inside)
        and not (place.area in ("snow", "sky", "pool") and condition.family in HOT_OR_COLD)
        and not (
            frame.action in ("swim", "dive", "surf", "aswim", "sunbathe", "play", "vfly", "afly")
            and condition.family in HOT_OR_COLD
            and condition.text in ("in the snow", "on a cold day", "in winter", "in thick fog")
        )
    ]


def draw_count(scene: Scene, draws: Draws) -> int:
    if scene.subject.pronoun == "they":
        return 1
    if scene.must_be_many:
        return draws.weighted({2: 40, 3: 25, 4: 10, 0: 25})
    return draws.weighted({1: 70, 2: 14, 3: 7, 4: 3, 0: 6})


def noun_phrase(premise: Premise, noun: str, plural: str, draws: Draws) -> str:
    """a tired man in a red hat; two small dogs; several women."""
    before, after = "", ""
    if premise.attribute and premise.attribute.after:
        after = " " + premise.fill(premise.attribute.text)
    elif premise.attribute:
        before = premise.attribute.text + " "
    if premise.garment:
        worn = pluralise(premise.garment) if premise.plural else premise.garment
        worn = f"{premise.colour} {worn}"
        after += f" in {worn if premise.plural else article(worn)}"
    if premise.count == 1:
        return article(before + noun) + after
    number = NUMBERS.get(premise.count) or draws.pick(["several", "some", "a few"])
    return f"{number} {before}{plural}{after}"


def wordings(scene: Scene, words: Words, most: int) -> Iterator[Premise]:
    """Different premises for one scene, all of the right length."""
    found = set()
    tries = (draw_premise(scene, words, Draws("wording", scene.name, n)) for n in range(300))
    for premise in islice((p for p in tries if p), 100):
        if premise.text not in found and not is_avoided(premise.text):
            found.add(premise.text)
            premise.seed = ("statements", scene.name, len(found))
            yield premise
            if len(found) == most:
                return


def draw_premise(scene: Scene, words: Words, draws: Draws) -> Premise | None:
    """One try; None if the sentence is too short or too long."""
    premise = Premise(scene, draw_count(scene, draws))
    frame, subject = scene.frame, scene.subject
    if draws.chance(80):
        premise.place = scene.place
        premise.place_text = draws.choose(scene.place.phrase)
    if draws.chance(45):
        fitting = fitting_attributes(subject, premise.plural, words)
        fitting = [one for one in fitting if one.family not in frame.known]
        premise.attribute = draws.pick(fitting) if fitting else None
    dressed = subject.is_person and frame.dress and subject.pronoun != "they"
    clothes_free = not (premise.attribute and (premise.attribute.after or premise.plural))
    if dressed and clothes_free and subject.name != "baby" and draws.chance(30):
        fitting = [g for g in words.garments if g != "dress" or scene.pronoun == "she"]
        if not (premise.place and premise.place.area in ("pool", "sea")):
            premise.colour, premise.garment = draws.pick(words.colours), draws.pick(fitting)
    longer = [add for add in frame.add if add[0]]
    if longer and draws.chance(30):
        premise.ext = draws.pick(longer)
    elif (clauses := told_besides(premise)) and draws.chance(60):
        clause = draws.pick(clauses)
        state = is_state(clause) or clause.startswith("be ")
        free = state and not has_tail(premise) and draws.chance(50)
        premise.ext = ("who" if free else "and", clause)
    elif draws.chance(25) and (conditions := fitting_conditions(scene, words)):
        premise.condition = draws.pick(conditions)
    premise.text = render_premise(premise, draws)
    return premise if len(premise.text.split()) in PREMISE_WORDS else None


def told_besides(premise: Premise) -> list[str]:
    """What may be true besides and reads well as a clause: a man who is late for work."""
    frame = premise.scene.frame
    verbs = {phrase.strip("{").split()[0].split("|")[0] for phrase in (frame.do, *frame.so)}
    more = [text for words, text in frame.add if not words and not premise.tells(text)]
    more = [text for text in more if not {"it", "them", "soon", "later"} & set(text.split())]
    return [text for text in more if text.split()[0] not in verbs]


def has_tail(premise: Premise) -> bool:
    """True if something stands after the noun already."""
    return bool(premise.garment or (premise.attribute and premise.attribute.after))


def render_premise(premise: Premise, draws: Draws) -> str:
    """The facts of a premise as one sentence."""
    scene, subject = premise.scene, premise.scene.subject
    noun, plural = subject.name, subject.plural
    if subject.synonyms and draws.chance(20):
        noun = draws.pick(subject.synonyms)
        plural = pluralise(noun)
        if premise.attribute and not premise.attribute.after and noun.split()[0] in CLASHING:
            noun, plural = subject.name, subject.plural
    who = noun_phrase(premise, noun, plural, draws)
    phrase = premise.fill(scene.do)
    end = [premise.fill(premise.ext[0]), premise.place_text]
    clause = ""
    if premise.ext[0] in ("who", "and"):
        end[0], clause = "", predicate(premise.fill(premise.ext[1]), plural=premise.plural)
    if premise.ext[0] == "who":
        who += f" {'who' if subject.is_person else 'that'} {clause}"
    if premise.condition:
        end.append(premise.condition.text)
    form = draws.weighted({"is": 40, "plain": 20, "front": 15, "caption": 0 if clause else 25})
    front = ""
    if form == "front":
        front = end.pop() if end[-1] else ""
        front = f"{front}, " if front else ""
    if form == "caption":
        middle = (
            phrase.removeprefix("be ") if phrase.startswith("be ") else inflect(phrase, ing_form)
        )
    else:
        simple = form == "plain" and not is_state(phrase)
        middle = predicate(phrase, plural=premise.plural, simple=simple)
    if premise.ext[0] == "and":
        they = "they" if premise.plural else scene.pronoun
        be = "are" if they == "they" else "is"
        end[-1] += f", and {they} {re.sub(r'^(?:is|are) ', f'{be} ', clause)}"
    text = " ".join(f"{front}{who} {middle} {' '.join(end)}".split())
    return capitalise(text.replace(" ,", ",") + ".")


CLASHING = ("little", "young", "small")
