"""The paper's evaluations, one module per table. Each takes encode(list[str]) -> array."""
