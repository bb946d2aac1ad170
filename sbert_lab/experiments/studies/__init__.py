"""What notebooks show beside the paper's tables, recorded: one module per study.

`rows(profile)` lists what is measured, `data_seen(profile)` says on how much data, and, where there
is more to say, `about(profile)` says it. `sbert-lab reproduce --study NAME` records a study.
"""
