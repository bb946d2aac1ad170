"""The everyday NLI corpora, everyday_snli and everyday_multinli; EVERYDAY.md is about them.

Simple scenes in the style of picture captions (SNLI's layout) and short statements of letters,
talks, travel, shops and forums (MultiNLI's layout), byte for byte the same on every machine. A
group, one scene, is never in two splits; dev and test use only words that training knows. In their
pair ids, unseen-scene says that training has the action with other people or in another place,
unseen-action that it has no scene of it at all.
"""

import re
from dataclasses import dataclass
from functools import cache

from everyday_genres import genre_pairs
from everyday_pool import Pool
from everyday_premises import Scene, scenes_of, wordings
from everyday_statements import WEIGHTS, Statements
from everyday_words import Frame, read_words
from output import Output, json_lines
from variation import shuffled

SCENES, WORDINGS = 7, 3  # of each action, of each scene in training
HELD_OUT_SCENES = 5  # of each action that training never sees
OTHER_SCENES = 2  # of each action for dev and for test
ONE_HELD_OUT_OF = 12  # actions of a theme
OF_EACH_LABEL = 2  # statements about a premise


@dataclass(frozen=True)
class Pair:
    premise: str
    statement: str
    label: str
    file: str
    group: str
    variant: str
    kind: str
    part: str  # seen, unseen-scene or unseen-action

    @property
    def pair_id(self) -> str:
        return "#".join((self.file, self.group, self.variant, self.kind, self.part))

    def row(self, *, genre: bool, pair_id: bool) -> dict[str, str]:
        """The fields of the official files that the loaders read; its file is a pair's genre."""
        row = {"gold_label": self.label, "sentence1": self.premise, "sentence2": self.statement}
        row |= {"genre": self.file} if genre else {}
        return row | ({"pairID": self.pair_id} if pair_id else {})

    @property
    def words(self) -> set[str]:
        return set(re.findall(r"[a-z0-9'-]+", f"{self.premise} {self.statement}".lower()))


Splits = dict[str, list[Pair]]


def deal(frames: list[Frame]) -> dict[str, list[Frame]]:
    """Actions for training and, of each theme, one in twelve for dev and for test."""
    dealt: dict[str, list[Frame]] = {"train": [], "dev": [], "test": []}
    for theme in sorted({frame.theme for frame in frames}):
        members = [frame for frame in frames if frame.theme == theme]
        order = shuffled(members, "deal", theme, key=lambda frame: frame.name)
        order.sort(key=lambda frame: len(own_words(frame, frames)))
        held_out = max(2, round(2 * len(order) / (2 * ONE_HELD_OUT_OF)))
        for number, frame in enumerate(order):
            split = ("dev", "test")[number % 2] if number < held_out else "train"
            dealt[split].append(frame)
    return dealt


@cache
def words_of(frame: Frame) -> frozenset[str]:
    texts = (frame.do, *frame.so, *frame.vague, *(word for add in frame.add for word in add))
    return frozenset(re.findall(r"[a-z]+", " ".join(texts).lower()))


def own_words(frame: Frame, frames: list[Frame]) -> frozenset[str]:
    """Words of no other action: what training would never see if this one were held out."""
    return words_of(frame).difference(*(words_of(f) for f in frames if f is not frame))


def scene_pairs() -> Splits:
    """All pairs about scenes, each premise with two statements of each label."""
    words = read_words()
    dealt = deal([frame for frame in words.frames if not frame.only_pool])
    told_of_others = [frame for frame in words.frames if frame.only_pool]
    pools = {"train": Pool(words, dealt["train"] + told_of_others)}
    jobs: list[tuple[str, Scene, int, str]] = []
    for split, frames in dealt.items():
        pools.setdefault(split, Pool(words, [*dealt["train"], *told_of_others, *frames]))
        for frame in frames:
            jobs += scene_jobs(frame, split)
    found: Splits = {"train": [], "dev": [], "test": []}
    known: set[str] = set()
    premises: set[str] = set()
    for split, scene, most, part in sorted(jobs, key=lambda job: job[0] != "train"):
        for number, premise in enumerate(wordings(scene, words, most)):
            pool = pools[split] if part == "unseen-action" else pools["train"]
            pairs = [
                Pair(
                    premise=premise.text,
                    statement=text,
                    label=label,
                    file=scene.frame.theme,
                    group=scene.name,
                    variant=f"P{number + 1}{label[0].upper()}{at + 1}",
                    kind=kind,
                    part=part,
                )
                for label in WEIGHTS
                for at, (text, kind) in enumerate(
                    Statements(premise, pool).of(label, OF_EACH_LABEL)
                )
            ]
            full = len(pairs) == len(WEIGHTS) * OF_EACH_LABEL
            full = full and len({pair.statement for pair in pairs}) == len(pairs)
            fresh = full and premise.text not in premises
            if fresh and (split == "train" or all(pair.words <= known for pair in pairs)):
                premises.add(premise.text)
                found[split] += pairs
                known |= set().union(*(pair.words for pair in pairs)) if split == "train" else set()
    return found


def scene_jobs(frame: Frame, split: str) -> list[tuple[str, Scene, int, str]]:
    """(split, scene, wordings, part): of an action of training some scenes are held out as well."""
    words = read_words()
    if split != "train":
        scenes = scenes_of(frame, words, HELD_OUT_SCENES)
        return [(split, scene, 1, "unseen-action") for scene in scenes]
    scenes = list(scenes_of(frame, words, SCENES + 2 * OTHER_SCENES))
    others = min(OTHER_SCENES, len(scenes) // 4)
    order = shuffled(scenes, "held out scenes", frame.name, key=lambda scene: scene.number)
    where = {scene.name: ("dev", "test")[at % 2] for at, scene in enumerate(order[: 2 * others])}
    return [
        (where[scene.name], scene, 1, "unseen-scene")
        if scene.name in where
        else ("train", scene, WORDINGS, "seen")
        for scene in scenes
    ]


FILES = {
    "everyday_snli": {split: f"snli_1.0_{split}.jsonl" for split in ("train", "dev", "test")},
    "everyday_multinli": {
        "train": "multinli_1.0_train.jsonl",
        "dev": "multinli_1.0_dev_matched.jsonl",
        "test": "multinli_1.0_dev_mismatched.jsonl",
    },
}


@cache
def all_pairs() -> dict[str, Splits]:
    """Corpus -> split -> its pairs, in the order of the file."""
    scenes = scene_pairs()
    known = set().union(*(pair.words for pair in scenes["train"]))
    found = {"everyday_snli": scenes, "everyday_multinli": genre_pairs(Pair, known)}
    return {
        corpus: {
            split: shuffled(pairs, "everyday rows", key=lambda pair: pair.pair_id)
            for split, pairs in splits.items()
        }
        for corpus, splits in found.items()
    }


def sentences() -> set[str]:
    """Every premise and every statement."""
    pairs = [pair for splits in all_pairs().values() for rows in splits.values() for pair in rows]
    return {text for pair in pairs for text in (pair.premise, pair.statement)}


def build(output: Output) -> None:
    """Both corpora. Training rows go without their ids, a fifth of the file."""
    for corpus, splits in all_pairs().items():
        for split, pairs in splits.items():
            genres, ids = corpus == "everyday_multinli", split != "train"
            rows = [pair.row(genre=genres, pair_id=ids) for pair in pairs]
            output.add(f"{corpus}/{FILES[corpus][split]}", json_lines(rows), len(rows))
            output.count(corpus, split, len(rows))
            output.show(corpus, [(pair.label, pair.premise, pair.statement) for pair in pairs])
