"""The live text in one piece, and where each character comes from."""

from __future__ import annotations

from data_juicer_ext.latex.expand.flat_text import Flat, FlatWriter
from data_juicer_ext.latex.expand.tex_buffer import Buffer


def test_a_word_that_was_cut_off_does_not_grow_into_the_next() -> None:
    writer = FlatWriter(100)
    for text in ("\\em", "word", "1", "\\em", "1", "word", "\\@m", "x"):
        writer.emit(Buffer.of_file(text, 0), 0, len(text))
    assert writer.finish().text == "\\em word1\\em1word\\@m x"
    assert writer.finish().mask == writer.finish().text and writer.length == len(writer.finish().text)


def test_places_hold_behind_a_blank_that_was_put_in() -> None:
    writer = FlatWriter(100)
    buffer = Buffer.of_file("\\em%\n\nword", 0)
    writer.emit(buffer, 0, 3)
    writer.emit(buffer, 6, 10)
    flat = writer.finish()
    flat.files, flat.sources = ["a.tex"], [buffer.text]
    assert flat.text == "\\em word"
    assert [flat.place(flat.text.index(part)) for part in ("\\em", "word", "d")] == ["a.tex:1", "a.tex:3", "a.tex:3"]
    assert flat.origin(4) == (0, 6) and flat.origin(7) == (0, 9)


def test_nothing_is_taken_in_past_the_limit() -> None:
    writer = FlatWriter(3)
    buffer = Buffer.of_file("abcdef", 0)
    writer.emit(buffer, 0, 2)
    assert not writer.full
    writer.emit(buffer, 2, 3)
    assert writer.full
    writer.emit(buffer, 3, 6)
    assert writer.finish().text == "abc"


def test_an_empty_stretch_changes_nothing() -> None:
    writer = FlatWriter(10)
    writer.emit(Buffer.of_file("a\n", 0), 1, 1)
    assert writer.at_line_start and writer.finish().text == "" and writer.finish().pieces == []


def test_whether_the_next_character_begins_a_line() -> None:
    writer = FlatWriter(100)
    for text, begins in (("a", False), (" ", False), ("b\n", True), (" \t", True), ("c\n  ", True), ("d ", False)):
        writer.emit(Buffer.of_file(text, 0), 0, len(text))
        assert writer.at_line_start is begins, text


def test_protected_text_is_blotted_out_of_the_mask_alone() -> None:
    writer = FlatWriter(100)
    buffer = Buffer.of_file("a\\ref{b}c", 0)
    writer.emit(buffer, 0, 1)
    writer.emit(buffer, 1, 8, protected=True)
    writer.emit(buffer, 8, 9)
    assert (writer.finish().text, writer.finish().mask) == ("a\\ref{b}c", "axxxxxxxc")


def test_lines_are_counted_right_across_long_files() -> None:
    source = "".join(f"line {number}\n" for number in range(1, 3001))
    writer = FlatWriter(10**6)
    writer.emit(Buffer.of_file(source, 0), 0, len(source))
    flat = writer.finish()
    flat.files, flat.sources = ["a.tex"], [source]
    for number in (1, 2, 341, 342, 343, 344, 1000, 2999, 3000):
        at = source.index(f"line {number}\n")
        assert flat.place(at) == f"a.tex:{number}"
        assert flat.place(at + len(f"line {number}")) == f"a.tex:{number}"
    block = source.rindex("\n", 0, 4096)
    assert flat.place(4096) == f"a.tex:{source.count(chr(10), 0, 4096) + 1}" and block < 4096


def test_the_folder_that_an_import_set_begins_with_it() -> None:
    flat = Flat(folders=[(5, "sec"), (9, "")])
    assert [flat.folder_at(offset) for offset in (0, 4, 5, 8, 9, 20)] == ["", "", "sec", "sec", "", ""]


def test_an_empty_text_has_a_place() -> None:
    assert Flat().origin(3) == (0, 0)
