"""Statements about a premise: what follows, what may be true, what cannot be true.

Every kind of statement is made for several labels, so that its words alone tell little: "The man is
wearing a red hat" follows where the premise says so, is open where it says nothing of clothes, and
is false where his hat is blue.
"""

from collections.abc import Callable, Iterator

from everyday_avoid import is_avoided
from everyday_premises import fitting_attributes, fitting_conditions
from everyday_speaker import Speaker
from everyday_words import NUMBERS, Subject, predicate
from templates import capitalise

STATEMENT_WORDS = range(4, 10)
TELLING = {"it", "them", "soon", "later", "tomorrow", "tonight"}
POSES = {
    "sit": (
        ("be sitting down", "be seated", "be not standing"),
        ("be standing up", "be lying down"),
    ),
    "stand": (
        ("be standing up", "be not sitting"),
        ("be sitting down", "be lying down", "be seated"),
    ),
    "lie": (("be lying down", "be not standing"), ("be standing up", "be on <their> feet")),
    "move": (("be moving", "be in motion"), ("be sitting down", "be standing still")),
}
# How often each kind of statement is tried, per label.
WEIGHTS = {
    "entailment": {
        **{"so": 22, "do": 34, "place": 18, "attribute": 24, "clothes": 24, "more": 62},
        **{"condition": 24, "number": 8, "pose": 14, "not": 3},
    },
    "neutral": {
        **{"more": 58, "attribute": 13, "clothes": 3, "place": 50, "condition": 6, "not": 3},
    },
    "contradiction": {
        **{"other": 72, "object": 8, "place": 15, "subject": 4, "number": 8, "attribute": 22},
        **{"clothes": 12, "condition": 14, "pose": 26, "not": 3, "opposite": 6},
    },
}


class Statements(Speaker):
    """All statements about one premise, by label and kind."""

    def of(self, label: str, most: int) -> Iterator[tuple[str, str]]:
        """(text, kind): different ones of the right length, of different kinds if possible."""
        texts, kinds = {self.premise.text}, set()
        for attempt in range(200):
            kind = self.draws.weighted(WEIGHTS[label])
            if attempt == 0 and label == "entailment" and self.scene.slot and self.draws.chance(70):
                kind = "do"  # an apple is fruit: told often enough to be learned
            if kind in kinds and kind not in ("so", "more", "other") and attempt < 100:
                continue
            make: Callable[[], str | None] = getattr(self, f"{label}_{kind}")
            text = make()
            if text is None:
                continue
            text = capitalise(" ".join(text.split()).rstrip(".") + ".")
            fits = len(text.split()) in STATEMENT_WORDS and not is_avoided(text)
            if fits and text not in texts:
                texts.add(text)
                kinds.add(kind)
                yield text, kind
                if len(texts) > most:
                    return

    # -- what follows ---------------------------------------------------------------------------

    def entailment_so(self) -> str:
        vague = self.frame.vague and self.draws.chance(20)
        return self.says(self.draws.pick(self.frame.vague if vague else self.frame.so), general=38)

    def entailment_do(self) -> str:
        phrase = self.scene.do
        if self.scene.slot and self.draws.chance(65):
            general = self.draws.pick(self.words.objects[self.scene.slot][1])
            phrase = phrase.replace(self.scene.thing, general)
        if self.premise.place and self.draws.chance(25):
            phrase = f"{phrase} {self.premise.place_text}"
        return self.says(phrase, general=42)

    def entailment_place(self) -> str | None:
        place = self.premise.place
        if place is None:
            return None
        if self.draws.chance(30):
            return self.there_is(self.premise.place_text)
        return self.says(f"be {self.draws.pick(place.general)}", general=40)

    def entailment_attribute(self) -> str | None:
        attribute = self.premise.attribute
        return self.says(self.draws.pick(attribute.true)) if attribute else None

    def entailment_clothes(self) -> str | None:
        if not self.premise.garment:
            return None
        garment, colour = self.premise.garment, self.premise.colour
        options = [self.worn("wear {}", garment), f"wear something {colour}"]
        options += [self.worn("have {} on", garment)]
        if garment in ("hat", "cap"):
            options.append(self.worn("have something on <their> {}", "head"))
        return self.says(self.draws.pick(options))

    def entailment_more(self) -> str | None:
        words, text = self.premise.ext
        if not words:
            return None
        if words not in ("who", "and") and (not text or self.draws.chance(50)):
            text = f"{self.scene.do} {words}"
        return self.says(text, general=35)

    def entailment_condition(self) -> str | None:
        condition = self.premise.condition
        return self.draws.pick(condition.true) if condition else None

    def entailment_number(self) -> str | None:
        if not self.premise.plural:
            return None
        subject, draws = self.scene.subject, self.draws
        above = [name for name in subject.above if name[0] != "="] or [subject.name]
        noun = self.words.subjects[draws.pick([subject.name, above[-1]])]
        if self.premise.count and draws.chance(50):
            return f"there are {NUMBERS[self.premise.count]} {noun.plural}"
        return draws.pick(
            [f"there is more than one {noun.name}", f"there are at least two {noun.plural}"]
        )

    def entailment_pose(self) -> str | None:
        return self.says(self.draws.pick(POSES[self.frame.pose][0])) if self.frame.pose else None

    def entailment_not(self) -> str | None:
        phrase = self.pool.other_action(self.scene, self.draws, many=self.premise.plural)
        return self.says(phrase, negated=True)

    # -- what may be true -----------------------------------------------------------------------

    def neutral_more(self) -> str | None:
        told = self.premise.ext
        open_ones = [a for a in self.frame.add if a[0] != told[0] and a[1] != (told[1] or None)]
        open_ones = [a for a in open_ones if not self.premise.tells(a[1] or a[0])]
        # "it" and "later" would be said of open things only, and so give them away.
        open_ones = [a for a in open_ones if not TELLING & set(a[1].split())] or open_ones
        if not open_ones:
            return None
        details = [a for a in open_ones if a[0]]
        if details and self.draws.chance(65):  # near the premise: what it says, and a little more
            open_ones = details
        words, text = self.draws.pick(open_ones)
        if words and (not text or self.draws.chance(60)):  # the same action with a detail more
            return self.says(f"{self.scene.do} {words}", general=25)
        return self.says(text, general=25)

    def neutral_attribute(self) -> str | None:
        attribute = self.open_attribute()
        if attribute is None:
            return None
        return self.says(self.draws.pick(attribute.true + attribute.false), general=15)

    def open_attribute(self):
        """One of which the premise says nothing."""
        told = set(self.frame.known) | (
            {self.premise.attribute.family} if self.premise.attribute else set()
        )
        told |= {"company", "relation"} if self.premise.ext[0] else set()
        fitting = fitting_attributes(self.scene.subject, self.premise.plural, self.words)
        fitting = [one for one in fitting if one.family not in told]
        return self.draws.pick(fitting) if fitting else None

    def neutral_clothes(self) -> str | None:
        subject = self.scene.subject
        clothed = self.premise.garment or not self.frame.dress or not subject.is_person
        if clothed or subject.pronoun == "they" or subject.name == "baby":
            return None
        garment = self.draws.pick([g for g in self.words.garments if g != "dress"])
        colour = self.draws.pick(self.words.colours)
        noun = f"{colour} {garment}" if self.draws.chance(50) else garment
        return self.says(self.worn("wear {}", noun))

    def neutral_place(self) -> str | None:
        """Where the premise says no place, each usual one is open."""
        if self.premise.place is not None or len(self.frame.at) < 3:
            return None
        place = self.words.places[self.draws.pick(self.frame.at)]
        where = self.draws.choose(place.phrase)
        form = self.draws.weighted({"be": 40, "there": 20, "do": 40})
        if form == "there":
            return self.there_is(where)
        return self.says(f"{self.scene.do if form == 'do' else 'be'} {where}", general=40)

    def neutral_condition(self) -> str | None:
        if self.premise.ext[0]:
            return None
        told = self.premise.condition.family if self.premise.condition else ""
        linked = {"weather": {"season"}, "season": {"weather"}}.get(told, set()) | {told}
        fitting = fitting_conditions(self.scene, self.words)
        fitting = [one for one in fitting if one.family not in linked]
        if not fitting:
            return None
        condition = self.draws.pick(fitting)
        return self.draws.pick(condition.true + condition.false)

    def neutral_not(self) -> str | None:
        attribute = self.open_attribute()
        if attribute is None:
            return None
        phrase = self.draws.pick(attribute.true)
        return None if phrase.startswith("have ") else self.says(phrase, negated=True)

    # -- what cannot be true --------------------------------------------------------------------

    def contradiction_other(self) -> str:
        phrase = self.pool.other_action(
            self.scene, self.draws, many=self.premise.plural, with_place=self.draws.chance(30)
        )
        return self.says(phrase, general=30)

    def contradiction_object(self) -> str | None:
        if not self.scene.slot:
            return None
        members = self.words.objects[self.scene.slot][0]
        other = self.draws.pick([one for one in members if one != self.scene.thing])
        return self.says(self.scene.do.replace(self.scene.thing, other), general=40)

    def contradiction_place(self) -> str | None:
        here = self.premise.place
        if here is None:
            return None
        far = [
            place
            for place in self.pool.usual_places(self.scene)
            if self.words.apart(here, place) and place.inside != here.inside
        ]
        if not far:
            return None
        place = self.draws.pick(far)
        form = self.draws.below(4)
        if form in (0, 3):
            return self.says(
                self.draws.pick(
                    ["be inside", "be indoors"] if place.inside else ["be outside", "be outdoors"]
                ),
                general=40,
            )
        where = self.draws.choose(place.phrase)
        return self.there_is(where) if form == 1 else self.says(f"be {where}", general=40)

    def contradiction_subject(self) -> str | None:
        others = self.scene.subject.others
        if not others:
            return None
        other: Subject = self.words.subjects[self.draws.pick(others)]
        who = self.counted(other.name, other.plural)
        phrase = self.fill(self.scene.do, self.premise.plural)
        return f"{who} {predicate(phrase, plural=self.premise.plural)}"

    def contradiction_number(self) -> str | None:
        subject, draws = self.scene.subject, self.draws
        if subject.pronoun == "they":
            return None
        if self.premise.plural and draws.chance(50):
            return draws.pick(
                [
                    f"there is only one {subject.name}",
                    f"the {subject.name} is alone",
                    f"there is just one {subject.name}",
                ]
            )
        near = 5 - self.premise.count if self.premise.count in (2, 3) and draws.chance(50) else 0
        number = near or draws.pick([n for n in (2, 3, 4, 5) if n != self.premise.count])
        if self.premise.count == 0 or "company" in self.frame.known:
            return None
        phrase = self.fill(draws.pick([self.scene.do, *self.frame.so]), True)
        return f"{NUMBERS[number]} {subject.plural} {predicate(phrase, plural=True)}"

    def contradiction_attribute(self) -> str | None:
        attribute = self.premise.attribute
        return self.says(self.draws.pick(attribute.false)) if attribute else None

    def contradiction_clothes(self) -> str | None:
        if not self.premise.garment:
            return None
        colour = self.draws.pick([c for c in self.words.colours if c != self.premise.colour])
        return self.says(self.worn("wear {}", f"{colour} {self.premise.garment}"))

    def contradiction_condition(self) -> str | None:
        condition = self.premise.condition
        return self.draws.pick(condition.false) if condition else None

    def contradiction_pose(self) -> str | None:
        return self.says(self.draws.pick(POSES[self.frame.pose][1])) if self.frame.pose else None

    def contradiction_opposite(self) -> str | None:
        """Fast asleep, where the premise tells of something that takes open eyes."""
        person, vehicle = self.scene.subject.is_person, "vehicle" in self.scene.subject.kinds
        asleep = "sleep" if person else "asleep"
        if vehicle or not self.words.exclude(self.frame.action, asleep):
            return None
        phrases = ["sleep", "be asleep", "be fast asleep", "sleep deeply", "lie asleep in bed"]
        return self.says(self.draws.pick(phrases[: 5 if person else 4]), general=40)

    def contradiction_not(self) -> str | None:
        if self.draws.chance(25) and self.scene.subject.is_person:
            phrase = self.fill(self.draws.pick([self.scene.do, *self.frame.so]), False)
            nobody = self.draws.pick(["nobody", "no one"])
            return f"{nobody} {predicate(phrase.replace('<their>', 'their'), plural=False)}"
        told = [self.premise.ext[1]] * 2 if self.premise.ext[1] else []
        phrase = self.draws.pick([self.scene.do, *self.frame.so, *told])
        return None if phrase.startswith("have ") else self.says(phrase, negated=True)
