from data_juicer_ext.text_table import aligned, counted


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    table = [("step", "rows", "why"), ("claims", "12", "no_figure"), ("a longer name", "3", "")]
    assert aligned(table, "<><") == [
        "step           rows  why",
        "claims           12  no_figure",
        "a longer name     3",
    ]


def test_the_last_side_stands_for_the_columns_that_follow() -> None:
    assert aligned([("a", "b", "c"), ("aa", "bb", "cc")], "<>") == ["a    b   c", "aa  bb  cc"]


def test_columns_may_be_wider_than_their_cells() -> None:
    assert aligned([("a", "b", "c")], "<>", (3, 2)) == ["a     b  c"]


def test_a_table_without_rows_has_no_lines() -> None:
    assert aligned([], "<", (3,)) == []


def test_what_was_not_met_is_not_told() -> None:
    assert counted({"kept": 3, "lost": 0, "other": 7}, {"lost": "lost", "kept": "rows kept"}) == ["       3  rows kept"]
