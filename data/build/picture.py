"""Draw the README's picture, data/results/raw_and_tuned.png, with the models in data/models."""

from sbert_lab.course.nb00 import THEMES, TWELVE, raw_beside_tuned
from sbert_lab.encoder import SentenceEncoder
from sbert_lab.paths import data_dir


def main() -> None:
    cosines = []
    for name in ("mini-bert-2", "mini-sbert"):
        vectors = SentenceEncoder.load(name).encode(TWELVE, normalize=True)
        cosines.append(vectors @ vectors.T)
    figure = raw_beside_tuned(*cosines, TWELVE, THEMES)
    path = data_dir("results", "raw_and_tuned.png")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, bbox_inches="tight", metadata={"Software": None})
    print(path.name)


if __name__ == "__main__":
    main()
