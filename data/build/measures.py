"""What a corpus gives away to cheap methods: word counts, overlap, lengths. No trained encoder.

Every function takes plain lists, so that our corpora and the real ones are measured alike.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.stats import spearmanr
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

WORD = r"[a-z0-9]+(?:'[a-z]+)?"
Texts = Sequence[str]


def words(text: str) -> list[str]:
    return re.findall(WORD, text.lower())


def jaccard(first: str, second: str) -> float:
    """Shared words among all words of two sentences."""
    a, b = set(words(first)), set(words(second))
    return len(a & b) / max(1, len(a | b))


def tfidf_cosine(first: Texts, second: Texts, **options) -> np.ndarray:
    """Cosine of tf-idf vectors, fitted on these sentences: (B,)."""
    vectorizer = TfidfVectorizer(**options).fit([*first, *second])
    a, b = vectorizer.transform(first), vectorizer.transform(second)
    return np.asarray(a.multiply(b).sum(axis=1)).ravel()


def hypothesis_only(train: dict, test: dict) -> np.ndarray:
    """Which rows tf-idf + logistic regression gets right that never sees a premise: (B,)."""
    model = make_pipeline(TfidfVectorizer(token_pattern=WORD), LogisticRegression(max_iter=1000))
    model.fit(train["sentence2"], train["label"])
    return model.predict(test["sentence2"]) == np.array(test["label"])


def overlap_only(train: dict, test: dict) -> np.ndarray:
    """Which rows word overlap alone gets right (share of the statement, Jaccard): (B,)."""
    features = [_overlaps(rows["sentence1"], rows["sentence2"]) for rows in (train, test)]
    model = LogisticRegression(max_iter=1000).fit(features[0], train["label"])
    return model.predict(features[1]) == np.array(test["label"])


def nearest_pair(train: dict, test: dict, rows: int = 200) -> np.ndarray:
    """Which rows get the right label from the training pair whose tf-idf is nearest: (B,).

    Not a cue but a lookup: what can be had by recognising pairs, without any inference.
    """
    sides = []
    for column in ("sentence1", "sentence2"):
        vectorizer = TfidfVectorizer(token_pattern=WORD).fit(train[column])
        sides.append((vectorizer.transform(test[column]), vectorizer.transform(train[column]).T))
    nearest = []
    for start in range(0, len(test["label"]), rows):
        scores = sum((a[start : start + rows] @ b).toarray() for a, b in sides)
        nearest.extend(scores.argmax(axis=1))
    return np.array(train["label"])[nearest] == np.array(test["label"])


def accuracy_by_part(hits: Sequence[bool], parts: Sequence[str]) -> dict[str, float]:
    """Per cent right of each part of a test set, the parts by name."""
    chosen = {part: [h for h, p in zip(hits, parts, strict=True) if p == part] for part in parts}
    return {part: 100 * float(np.mean(chosen[part])) for part in sorted(chosen)}


def _overlaps(first: Texts, second: Texts) -> np.ndarray:
    found = []
    for premise, statement in zip(first, second, strict=True):
        a, b = set(words(premise)), set(words(statement))
        found.append((len(a & b) / max(1, len(b)), len(a & b) / max(1, len(a | b))))
    return np.array(found)


def cheap_scores(first: Texts, second: Texts) -> dict[str, np.ndarray]:
    """The similarities that a few methods without any training give each pair."""
    pairs = list(zip(first, second, strict=True))
    lengths = [(len(words(a)), len(words(b))) for a, b in pairs]
    counts = CountVectorizer(token_pattern=WORD).fit([*first, *second])
    components = min(50, len(pairs) - 1, len(counts.vocabulary_) - 1)
    latent = make_pipeline(TfidfVectorizer(), TruncatedSVD(components, random_state=0))
    latent.fit([*first, *second])
    u, v = latent.transform(first), latent.transform(second)
    norms = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
    return {
        "overlap": np.array([jaccard(a, b) for a, b in pairs]),
        "tf-idf": tfidf_cosine(first, second),
        "content words": tfidf_cosine(first, second, stop_words="english", use_idf=False),
        "word pairs": tfidf_cosine(first, second, ngram_range=(1, 2), token_pattern=WORD),
        "letters": tfidf_cosine(first, second, analyzer="char_wb", ngram_range=(3, 4)),
        "latent": (u * v).sum(axis=1) / np.maximum(norms, 1e-9),
        "first word": np.array([float(words(a)[:1] == words(b)[:1]) for a, b in pairs]),
        "length": np.array([min(a, b) / max(1, a, b) for a, b in lengths]),
    }


def spearman(scores: Sequence[float], gold: Sequence[float]) -> float:
    return 100 * float(spearmanr(scores, gold)[0])


def column_correlations(table: dict[str, dict[str, float]]) -> dict[tuple[str, str], float]:
    """Pearson correlation between the columns (sets) of a table over its rows (systems)."""
    names = list(next(iter(table.values())))
    columns = {name: [row[name] for row in table.values()] for name in names}
    return {
        (a, b): float(np.corrcoef(columns[a], columns[b])[0, 1]) for a, b in combinations(names, 2)
    }


def text_accuracy(train: dict, test: dict | None = None) -> tuple[float, float]:
    """tf-idf + logistic regression and the majority class; ten-fold where there is no test."""
    model = make_pipeline(
        TfidfVectorizer(token_pattern=WORD),
        LogisticRegression(C=10, max_iter=1000),
    )
    if test is None:
        folds = StratifiedKFold(10, shuffle=True, random_state=1111)
        accuracy = cross_val_score(model, train["text"], train["label"], cv=folds).mean()
        return 100 * accuracy, majority(train["label"])
    model.fit(train["text"], train["label"])
    return 100 * model.score(test["text"], test["label"]), majority(test["label"])


def pair_accuracy(train: dict, test: dict) -> tuple[float, float]:
    """As text_accuracy for pairs (MRPC): |u - v| and u * v of the tf-idf vectors, and overlap."""
    from scipy.sparse import csr_matrix, hstack

    vectorizer = TfidfVectorizer(token_pattern=WORD)
    vectorizer.fit([*train["sentence1"], *train["sentence2"]])

    def features(rows: dict):
        u, v = vectorizer.transform(rows["sentence1"]), vectorizer.transform(rows["sentence2"])
        overlaps = csr_matrix(_overlaps(rows["sentence1"], rows["sentence2"]))
        return hstack([abs(u - v), u.multiply(v), overlaps]).tocsr()

    model = LogisticRegression(C=10, max_iter=2000).fit(features(train), train["label"])
    return 100 * model.score(features(test), test["label"]), majority(test["label"])


def majority(labels: Sequence[int]) -> float:
    return 100 * Counter(labels).most_common(1)[0][1] / len(labels)


def section_cues(train: dict, test: dict) -> dict[str, float]:
    """How often a cheap cue prefers the positive to the negative; a tie counts one half."""
    differences = {
        name: _cue_differences(rows) for name, rows in (("train", train), ("test", test))
    }
    found = {
        name: float(np.mean((column > 0) + 0.5 * (column == 0)))
        for name, column in zip(CUES, differences["test"].T, strict=True)
    }
    rows = differences["train"]
    both = np.vstack([rows, -rows])
    labels = np.repeat([1, 0], len(rows))
    model = LogisticRegression(fit_intercept=False).fit(both, labels)
    margin = differences["test"] @ model.coef_[0]
    found["all together"] = float(np.mean((margin > 0) + 0.5 * (margin == 0)))
    return found


def names_of(text: str) -> set[str]:
    """Capitalised words that do not start the sentence, and numbers."""
    return set(re.findall(r"(?<=[a-z,;] )[A-Z][a-z]+|\b\d[\d,.]*\b", text))


CUES = {
    "overlap": jaccard,
    "content words": lambda a, b: len(_content(a) & _content(b)),
    "shared names": lambda a, b: len(names_of(a) & names_of(b)),
    "similar length": lambda a, b: -abs(len(words(a)) - len(words(b))),
}


def _content(text: str) -> set[str]:
    return set(words(text)) - ENGLISH_STOP_WORDS


def _cue_differences(rows: dict) -> np.ndarray:
    triplets = zip(rows["anchor"], rows["positive"], rows["negative"], strict=True)
    return np.array(
        [[cue(a, p) - cue(a, n) for cue in CUES.values()] for a, p, n in triplets], dtype=float
    )


def topic_overlap(topics: dict[str, Texts], most: int = 300) -> dict[tuple[str, str], float]:
    """Jaccard of the most frequent content words of two topics."""
    frequent = {}
    for topic, texts in topics.items():
        counts = Counter(word for text in sorted(set(texts)) for word in sorted(_content(text)))
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        frequent[topic] = set(ranked[:most])
    return {
        (a, b): len(frequent[a] & frequent[b]) / len(frequent[a] | frequent[b])
        for a, b in combinations(frequent, 2)
    }
