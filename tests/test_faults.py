"""The short version of `make faults`: every section, each accident once or twice."""

import pytest
from faults.__main__ import run_section
from faults.table import Case, Lost, Row, printed, run_case


@pytest.mark.parametrize("section", ["killed", "storage", "notebooks", "inputs", "security"])
def test_nothing_is_lost(section, loopback):
    rows = run_section(section, short=True)
    assert rows and not any(row.lost for row in rows), printed(rows)


def test_a_loss_is_counted_and_told():
    def lose(number: int) -> None:
        if number == 1:
            raise Lost("the second one is gone")

    row = run_case("a section", Case("an accident", lose, times=3))
    assert (row.tried, len(row.lost)) == (3, 1)
    table = printed([row, Row("another", "nothing", 5)])
    assert "the second one is gone" in table and "8     1" in table
