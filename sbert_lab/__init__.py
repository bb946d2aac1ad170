"""SBERT Lab: the package behind the notebooks.

Importing it is cheap: torch and the other heavy libraries come in with the modules that need them.
"""

__version__ = "0.1.0"
