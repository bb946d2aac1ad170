"""Grading a folder of submitted notebooks: `sbert-lab grade FOLDER`.

Of a submission only the answers run, each in a process of its own, and our own check after each.
Nothing is trained again. A bad file, an endless loop or a crash costs that answer and no other.

    submissions.py   which file is which notebook, which cell which answer
    lesson.py        what an exercise needs of the lesson
    harness.py       runs an answer and its check, in a process that can be killed
    suspicion.py     answers that a person should look at
    tables.py        the results on disk
"""
