"""The exercise checks, one module per notebook: `from sbert_lab.checks import nb02 as checks`."""
