"""How a statement names the subject of its premise again, and what it says of it."""

import re

from everyday_draws import Draws, pluralise
from everyday_pool import Pool
from everyday_premises import Premise
from everyday_words import NUMBERS, article, is_state, predicate


class Speaker:
    """Sentences about the subject of one premise; `pool` holds what other scenes offer."""

    def __init__(self, premise: Premise, pool: Pool):
        self.premise, self.pool, self.words = premise, pool, pool.words
        self.scene, self.frame = premise.scene, premise.scene.frame
        self.draws = Draws(*premise.seed)

    def who(self, general: int = 25) -> tuple[str, bool]:
        """The subject again, in `general` per cent of the cases by a more general noun; plural?"""
        subject, draws = self.scene.subject, self.draws
        names = [(subject.name, subject.plural)]
        if subject.synonyms:
            names.append((synonym := draws.pick(subject.synonyms), pluralise(synonym)))
        noun, plural = names[0] if draws.chance(85) else names[-1]
        if subject.above and draws.chance(general):
            above = draws.pick(subject.above)
            if above.startswith("="):
                return above[1:], not above.startswith(("=a ", "=one "))
            if above == "person" and draws.chance(50):
                return self.somebody()
            noun, plural = above, self.words.subjects[above].plural
        return self.counted(noun, plural), self.premise.plural

    def somebody(self) -> tuple[str, bool]:
        if self.premise.plural:
            return self.draws.pick(["people", "some people", "several people"]) if (
                self.premise.count != 2
            ) else self.draws.pick(["people", "two people"]), True
        return self.draws.pick(["someone", "somebody", "a person"]), False

    def counted(self, noun: str, plural: str) -> str:
        if not self.premise.plural:
            return f"the {noun}" if self.draws.chance(55) else article(noun)
        number = NUMBERS.get(self.premise.count, "some")
        return self.draws.pick([f"the {plural}", f"{number} {plural}", f"some {plural}"])

    def says(self, phrase: str, *, general: int = 25, negated: bool = False) -> str:
        """A whole sentence about the subject; a phrase with a capital is one already."""
        if phrase[0].isupper():
            return phrase
        who, plural = self.who(general)
        simple = not is_state(phrase) and not negated and self.draws.chance(15)
        phrase = self.fill(phrase, plural)
        return f"{who} {predicate(phrase, plural=plural, simple=simple, negated=negated)}"

    def fill(self, phrase: str, plural: bool) -> str:
        phrase = self.draws.choose(phrase)
        if plural and not self.premise.plural:
            phrase = phrase.replace("<their>", "their").replace("<they>", "they")
            phrase = re.sub(r"\bits\b", "their", phrase)
        return self.premise.fill(phrase)

    def there_is(self, where: str) -> str:
        who, plural = self.who(50)
        who = re.sub(r"^the (?=\w)", "some " if plural else "a ", who)
        who = article(who[2:]) if who.startswith("a ") else who
        return f"there {'are' if plural else 'is'} {who} {where}"

    def worn(self, text: str, noun: str) -> str:
        """One jacket or several."""
        several = pluralise(noun)
        if "<their>" in text:
            return text.format(several if self.premise.plural else noun)
        return text.format(several if self.premise.plural else article(noun))
