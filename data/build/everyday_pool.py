"""What the other scenes offer for contradictions: other actions and places of the same subject."""

from collections import Counter
from functools import cache

from everyday_draws import Draws
from everyday_premises import Scene, subjects_of
from everyday_words import Frame, Place, Words, is_state

DULL = (
    *("have", "get", "want", "need", "plan", "look", "feel", "help", "give", "care", "move"),
    *(
        "show",
        "touch",
        "see",
        "become",
        "remember",
        "work",
        "ask",
        "find",
        "speak",
        "talk",
        "prepare",
    ),
)
VAGUE = {"someone", "something", "somebody", "person", "it", "them"}
TOGETHER = ("each other", "one another", "together", "with others", "in a group")


GROWN_UPS = {
    *("role", "performing", "artist", "visitor", "sporty", "walker", "champion", "student"),
}


class Pool:
    """The actions of some frames, by who can do them."""

    def __init__(self, words: Words, frames: list[Frame]):
        self.words, self.frames = words, frames
        self.doers = {
            frame.name: {s.name for s, _ in subjects_of(frame, words)} for frame in frames
        }
        self.needs_many = {
            frame.name
            for frame in frames
            if all(many or s.pronoun == "they" for s, many in subjects_of(frame, words))
        }
        classes = {(phrase, f.action) for f in frames for phrase in (*f.so, *f.vague)}
        shared = Counter(phrase for phrase, _ in classes)
        self.shared = {phrase for phrase, count in shared.items() if count >= 3} | words.generic

    @cache  # noqa: B019 - one pool for each split
    def rivals(self, action: str, subject: str) -> list[Frame]:
        """Frames that cannot happen at the same time and that suit this subject."""
        kinds = kin(self.words, subject)
        return [
            frame
            for frame in self.frames
            if self.words.exclude(action, frame.action) and self.doers[frame.name] & kinds
        ]

    def usual_places(self, scene: Scene) -> list[Place]:
        """Where subjects of this sort are found in any scene."""
        frames = [
            f for f in self.frames if self.doers[f.name] & kin(self.words, scene.subject.name)
        ]
        return [self.words.places[name] for name in sorted({n for f in frames for n in f.at})]

    def other_action(
        self, scene: Scene, draws: Draws, *, many: bool, with_place: bool = False
    ) -> str:
        """What this subject does in a scene that excludes this one."""
        alone = not many and scene.subject.pronoun != "they"
        own = {*scene.frame.so, *scene.frame.vague, scene.frame.do}
        own |= {text for _, text in scene.frame.add}
        while True:
            frame = draws.pick(self.rivals(scene.frame.action, scene.subject.name))
            if alone and frame.name in self.needs_many:
                continue
            options = [p for p in self.actions(frame) if p not in own]
            if alone:
                options = [p for p in options if not any(t in p for t in TOGETHER)]
            phrase = draws.choose(draws.pick(options))
            if "<" in phrase:
                for slot, (members, general) in self.words.objects.items():
                    phrase = phrase.replace(f"<{slot}>", draws.pick([*members, general[0]]))
            if with_place and not frame.only_pool:
                return f"{phrase} {self.words.places[draws.pick(frame.at)].phrase}"
            return phrase

    @cache  # noqa: B019
    def actions(self, frame: Frame) -> list[str]:
        """Phrases that tell the main action of a frame, its own words twice as often."""
        main = [frame.do, *(p for p in frame.so if self.is_action(p))]
        verbs = {first_verb(phrase) for phrase in main}
        more = [t for _, t in frame.add if t and first_verb(t) in verbs - {"be"}]
        more = [text for text in more if self.is_action(text)]
        longer = [f"{frame.do} {words}" for words, _ in frame.add if words]
        return [*main, frame.do, *more, *longer]

    def is_action(self, phrase: str) -> bool:
        words = set(phrase.split())
        dull = first_verb(phrase) in DULL or words & VAGUE
        dull = dull or (first_verb(phrase) == "be" and phrase.split()[1] not in ("in", "on"))
        return not (phrase in self.shared or dull or is_state(phrase) or phrase[0].isupper())


def first_verb(phrase: str) -> str:
    return phrase.strip("{").split("|")[0].split()[0]


def kin(words: Words, name: str) -> set[str]:
    """Subjects whose actions also suit this one: people like people, dogs like dogs."""
    subject = words.subjects[name]
    if {"role", "performing", "artist", "visitor", "sporty", "walker", "champion", "student"} & set(
        subject.kinds
    ):
        return {"man", "woman", name}
    if {"parent", "old", "pair"} & set(subject.kinds):
        return {name, "man" if subject.pronoun == "he" else "woman"}
    if {"small", "baby"} & set(subject.kinds):
        return {"toddler", "baby", "child"}
    kinds = set(subject.kinds) - {"animal", "wild", "vehicle", "people", "bird"}
    return {s.name for s in words.subjects.values() if kinds & set(s.kinds)} | {name}
