"""What a training run leaves to look at: losses, learning rates and scores over the steps."""

from dataclasses import dataclass, field


@dataclass
class History:
    """Losses every few steps, scores at every evaluation. Plain lists, ready to plot."""

    steps: list[int] = field(default_factory=list)
    rows_seen: list[int] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    score_steps: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)

    def log(self, *, step: int, rows_seen: int, loss: float, rate: float) -> None:
        self.steps.append(step)
        self.rows_seen.append(rows_seen)
        self.losses.append(loss)
        self.rates.append(rate)

    def log_score(self, step: int, score: float) -> None:
        self.score_steps.append(step)
        self.scores.append(score)

    @property
    def best_score(self) -> float | None:
        return max(self.scores) if self.scores else None
