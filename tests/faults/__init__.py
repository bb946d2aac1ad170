"""Accidents on purpose: `make faults` makes them happen and prints what was lost.

Each module is a section of the table and has `cases()`. An attempt that raises has lost something.
"""

SECTIONS = ("notebooks", "killed", "storage", "network", "inputs", "security")
