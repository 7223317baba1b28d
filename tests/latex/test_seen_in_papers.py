"""What real papers do and small inputs of our own did not: each reduced to a few lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.latex.papers import document, figure, read_folder, read_text

IMAGE = "\\includegraphics{a}"
CITES = "Figure \\ref{fig:a} shows it."


def test_a_document_whose_class_and_beginning_stand_in_what_it_reads(tmp_path: Path) -> None:
    files = {
        "paper.tex": "\\input{preamble}\n\\begin{document}\n\\input{sec/one}\n\\end{document}\n",
        "preamble.tex": "\\documentclass{article}\n",
        "sec/one.tex": CITES + "\n\n" + figure(),
        "poster.tex": document("A poster.", document_class="beamer"),
    }
    found = read_folder(tmp_path / "1", files)
    assert found.main_file == "paper.tex"
    assert found.figures[0].context == [CITES]
    body = f"\\begin{{document}}\n{CITES}\n\n{figure()}\\end{{document}}\n"
    files = {
        "thesis.tex": "\\documentclass{book}\n\\input{main}\n",
        "main.tex": body,
        "test.tex": document("One drawing."),
    }
    assert read_folder(tmp_path / "2", files).main_file == "thesis.tex"
    files = {"final.tex": "\\input{parts/header}\n\\input{parts/body}\n"}
    files |= {"parts/header.tex": "\\documentclass{article}\n", "parts/body.tex": body}
    found = read_folder(tmp_path / "3", files)
    assert (found.main_file, len(found.figures)) == ("final.tex", 1)


def test_the_final_version_is_the_paper(tmp_path: Path) -> None:
    text = document(figure())
    assert read_folder(tmp_path, {"x_final.tex": text, "x_for_review.tex": text}).main_file == "x_final.tex"


def test_tables_in_a_figure_are_its_panels(tmp_path: Path) -> None:
    table = "\\begin{subtable}{5cm}\\caption{T}\\label{t}\\begin{tabular}{l}1\\end{tabular}\\end{subtable}"
    (found,) = read_text(tmp_path, document(f"\\begin{{figure}}{table}\\caption{{Whole.}}\\end{{figure}}"))
    assert (found.caption, found.labels, found.number) == ("Whole.", ["t"], "1")


def test_a_figure_that_only_holds_an_algorithm_is_none(tmp_path: Path) -> None:
    inside = "\\begin{minipage}{5cm}\\begin{algorithm}[H]\\caption{Steps}\\label{alg}\\end{algorithm}\\end{minipage}"
    assert read_text(tmp_path, document(f"\\begin{{figure}}{inside}\\end{{figure}}")) == []


@pytest.mark.parametrize("declare", ["\\newfloat{note}{p}{lob}[chapter]", "\\DeclareFloatingEnvironment[name=N]{note}"])
def test_a_float_of_the_papers_own_is_no_paragraph(tmp_path: Path, declare: str) -> None:
    note = "\\begin{note}\n\nText.\n\n\\caption{On Figure \\ref{fig:a}.}\n\\end{note}"
    (found,) = read_text(tmp_path, document(f"{figure()}\n{CITES}\n{note}\nIt ends.", declare))
    assert found.context == [f"{CITES}\nIt ends."]


@pytest.mark.parametrize("name", ["suppfigure", "efigure*"])
def test_a_figure_float_of_an_unknown_class(tmp_path: Path, name: str) -> None:
    (found,) = read_text(tmp_path, document(f"\\begin{{{name}}}{IMAGE}\\caption{{C}}\\label{{s}}\\end{{{name}}}"))
    assert (found.label, found.caption, found.image_sources) == ("s", "C", ["a"])


@pytest.mark.parametrize(
    ("caption", "plain"),
    [
        ("As in Eq.~(\\ref{eq:x}) and \\cref{sec:y}.", "As in Eq. ([ref.]) and [ref.]."),
        ("\\replaced[id=kg]{The new}{An old} text\\added[id=kg]{ goes on}\\deleted{ away}.", "The new text goes on."),
        ("Of \\species, and \\species\\ here; \\species too.", "Of E. coli, and E. coli here; E. coli too."),
    ],
)
def test_captions(tmp_path: Path, caption: str, plain: str) -> None:
    text = document(figure(caption=caption), "\\newcommand{\\species}{\\textit{E. coli}\\xspace}")
    assert read_text(tmp_path, text)[0].caption == plain


def test_a_class_that_forbids_a_command_does_not_spoil_the_text(tmp_path: Path) -> None:
    own_class = "\\providecommand\\text[1]{\\ClassError{own}{To use \\string\\text load amsmath}{}}\n"
    text = document(f"Since $a=b_{{\\text{{c}}}}$, see Figure \\ref{{fig:a}}.\n\n{figure()}", document_class="own")
    found = read_folder(tmp_path, {"paper.tex": text, "own.cls": own_class})
    assert found.figures[0].context == ["Since $a=b_{\\text{c}}$, see Figure \\ref{fig:a}."]


@pytest.mark.parametrize("begin", ["\\begin{declaration}", "\\begin{remark}[On it]", "\\begin{multicols}{2}"])
def test_a_paragraph_starts_at_its_first_word(tmp_path: Path, begin: str) -> None:
    name = begin[7 : begin.index("}")]
    (found,) = read_text(tmp_path, document(f"{figure()}\n\n{begin}\n  {CITES}\n\\end{{{name}}}\n"))
    assert found.context[0].startswith(CITES)


def test_a_paragraph_may_start_with_an_equation(tmp_path: Path) -> None:
    body = f"{figure()}\n\n\\begin{{align}}a\\end{{align}}\n{CITES}\n\nMore."
    assert read_text(tmp_path, document(body))[0].context == [f"\\begin{{align}}a\\end{{align}}\n{CITES}"]


def test_one_image_over_two_captions_is_shown_by_both(tmp_path: Path) -> None:
    parts = "".join(f"\\begin{{minipage}}{{5cm}}\\caption{{Of {x}.}}\\label{{{x}}}\\end{{minipage}}" for x in "xy")
    found = read_text(tmp_path, document(f"\\begin{{figure}}{IMAGE}{parts}\\end{{figure}}"))
    assert [(each.label, each.image_sources) for each in found] == [("x", ["a"]), ("y", ["a"])]


@pytest.mark.parametrize(
    ("body", "preamble", "document_class", "numbers"),
    [
        (figure("a") + "\\chapter{One}" + figure("b"), "", "book", ["1", "1.1"]),
        ("\\chapter{One}" + figure("a") + figure("b"), "", "ownthesis", ["1.1", "1.2"]),
        ("\\chapter{One}" + figure("a") + "\\appendix\\chapter{Two}" + figure("b"),
         "\\titleformat{\\chapter}[display]{\\large}{}{}{}", "ownthesis", ["1.1", "A.1"]),
        (figure("a") + figure("b"), "\\renewcommand{\\thefigure}{Fig~S\\arabic{figure}}", "article", ["S1", "S2"]),
        (figure("a") + f"\\begin{{figure}}{IMAGE}\\contcaption{{It goes on.}}\\end{{figure}}", "", "mnras", ["1", "1"]),
        (figure("a") + f"\\begin{{figure}}{IMAGE}\\appendcaption{{A1}}{{In appendix A.}}\\end{{figure}}" + figure("b"),
         "", "ametsoc", ["1", "", "2"]),
    ],
)  # fmt: skip
def test_numbers(tmp_path: Path, body: str, preamble: str, document_class: str, numbers: list[str]) -> None:
    found = read_text(tmp_path, document(body, preamble, document_class))
    assert [each.number for each in found] == numbers


def test_a_panel_is_named_by_its_letter(tmp_path: Path) -> None:
    panel = f"\\begin{{subfigure}}{{5cm}}{IMAGE}\\label{{p}}\\end{{subfigure}}"
    body = f"\\begin{{figure}}{panel}\\caption{{\\subcaptionref{{p}} Up.}}\\end{{figure}}"
    (found,) = read_text(tmp_path, document(body))
    assert found.caption == "(a, p) Up."


def test_a_percent_sign_before_a_bracket(tmp_path: Path) -> None:
    found = read_text(tmp_path, document(figure(caption="In most cases (68\\%) it holds , or not $x$ .")))
    assert found[0].caption == "In most cases (68%)\nit holds, or not x."


def test_asking_for_a_file_outside_the_paper(tmp_path: Path) -> None:
    text = document(figure(), "\\IfFileExists{/dev/null}{\\input{a}}{\\IfFileExists{../b}{\\input{b}}{}}")
    assert len(read_folder(tmp_path, {"paper.tex": text}).figures) == 1


@pytest.mark.parametrize("inside", ["\\begin{enumerate}\\item\\label{line}\\end{enumerate}",
                                    "\\begin{algorithmic}\\State x\\label{line}\\end{algorithmic}",
                                    "\\begin{align}x\\label{line}\\end{align}"])  # fmt: skip
def test_what_counts_on_its_own_in_a_figure(tmp_path: Path, inside: str) -> None:
    body = f"{figure('a', inside)}\nIn line \\ref{{line}} it ends.\n\n{CITES}"
    (found,) = read_text(tmp_path, document(body))
    assert (found.labels, found.context) == (["fig:a"], [CITES])


@pytest.mark.parametrize(
    ("preamble", "branch"),
    [
        ("\\newboolean{long}\\setboolean{long}{true}", "\\ifthenelse{\\boolean{long}}{\n%s\n}{}"),
        ("\\newcommand{\\said}[1]{\n  \\textcolor{red}{#1} (Figure \\ref{fig:a})\n}", "\\said{%s}"),
    ],
)
def test_a_paragraph_goes_on_in_a_branch_or_macro(tmp_path: Path, preamble: str, branch: str) -> None:
    body = f"{figure()}\nA beginning.\n{branch % CITES}\nIts end.\n\nMore."
    (found,) = read_text(tmp_path, document(body, preamble))
    assert len(found.context) == 1
    assert found.context[0].startswith("A beginning.") and found.context[0].endswith("Its end.")


def test_a_figure_in_the_papers_own_title(tmp_path: Path) -> None:
    preamble = (
        "\\makeatletter\n\\let\\@oldmaketitle\\@maketitle\n\\renewcommand{\\@maketitle}{\\@oldmaketitle\n"
        f"{IMAGE}\\captionof{{figure}}{{In front.}}\\label{{fig:a}}}}\n\\makeatother"
    )
    (found,) = read_text(tmp_path, document(f"\\maketitle\n{CITES}\n", preamble))
    assert (found.caption, found.image_sources, found.context) == ("In front.", ["a"], [CITES])


def test_an_alias_means_what_the_command_meant_then(tmp_path: Path) -> None:
    preamble = (
        "\\newcommand{\\see}[1]{\\ref{fig:#1}}\n\\let\\oldsee\\see\n\\renewcommand{\\see}[1]{Figure~\\oldsee{#1}}"
    )
    (found,) = read_text(tmp_path, document(f"{figure()}\n\\see{{a}} shows it.", preamble))
    assert found.context == ["Figure~\\ref{fig:a} shows it."]


@pytest.mark.parametrize("end", ["\\par\n", "\n\n"])
def test_arguments_that_blanks_end(tmp_path: Path, end: str) -> None:
    preamble = (
        "\\def\\FIG #1 #2 [#3] #4\\par{\\begin{figure}\\includegraphics[#3]{#2}\\caption{#4}\\label{#1}\\end{figure}}"
    )
    body = f"\\FIG fig:a plots/one.pdf [width=5cm] What it shows.{end}{CITES}\n"
    (found,) = read_text(tmp_path, document(body, preamble))
    assert (found.label, found.image_sources, found.caption) == ("fig:a", ["plots/one.pdf"], "What it shows.")
    assert found.context == [CITES]


def test_a_table_beside_a_figure(tmp_path: Path) -> None:
    inside = (
        f"\\begin{{floatrow}}\\ffigbox{{{IMAGE}}}{{\\caption{{Drawn.}}\\label{{fig:a}}}}"
        "\\capbtabbox{\\begin{tabular}{l}1\\end{tabular}}{\\caption{Told.}\\label{tab}}\\end{floatrow}"
    )
    (found,) = read_text(tmp_path, document(f"\\begin{{figure}}{inside}\\end{{figure}}"))
    assert (found.caption, found.labels, found.image_sources) == ("Drawn.", ["fig:a"], ["a"])


def test_a_figure_that_is_given_its_number(tmp_path: Path) -> None:
    given = f"\\begin{{figure}}\\figurenum{{7}}{IMAGE}\\caption{{C.}}\\end{{figure}}"
    body = figure("a") + given + figure("b")
    assert [each.number for each in read_text(tmp_path, document(body))] == ["1", "7", "2"]


def test_what_stands_in_a_figure_set_is_no_paragraph(tmp_path: Path) -> None:
    figure_set = "\\figsetstart\n\\figsetplot{a.pdf}\n\\figsetgrpnote{Of a.}\n\\figsetend"
    assert read_text(tmp_path, document(f"{figure()}\n\n{figure_set}\n{CITES}"))[0].context == [CITES]


def test_a_braced_label_in_brackets(tmp_path: Path) -> None:
    body = f"{figure()}\n\\hyperref[{{fig:a}}]{{The figure}} shows it."
    assert read_text(tmp_path, document(body))[0].context == ["\\hyperref[{fig:a}]{The figure} shows it."]


def test_notes_under_a_caption_are_no_figure(tmp_path: Path) -> None:
    inside = f"{IMAGE}\\caption{{Title.}}\\caption*{{Notes: what is shown.}}\\label{{fig:a}}"
    (found,) = read_text(tmp_path, document(f"\\begin{{figure}}{inside}\\end{{figure}}"))
    assert (found.caption, found.labels, found.image_sources) == ("Title.", ["fig:a"], ["a"])


@pytest.mark.parametrize(("options", "shown"), [("print", True), ("print, chapter", False), ("fast", True)])
def test_options_of_a_class(tmp_path: Path, options: str, shown: bool) -> None:
    own_class = (
        "\\newif\\ifonechapter\\newif\\iflong\n"
        "\\DeclareOption{chapter}{\\onechaptertrue}\\DeclareOption{fast}{\\longfalse}\\DeclareOption{slow}{\\longtrue}\n"
        "\\DeclareOption*{\\onechaptertrue}\\ExecuteOptions{slow}\\ProcessOptions\\relax\n"
    )
    text = (
        f"\\documentclass[{options}]{{own}}\n\\ifonechapter\\includeonly{{two}}\\fi\n\\begin{{document}}\n"
        "\\include{one}\n\\iflong Long.\\else Short.\\fi{} See Figure \\ref{fig:a}.\n\\end{document}\n"
    )
    found = read_folder(tmp_path, {"main.tex": text, "own.cls": own_class, "one.tex": figure(), "two.tex": "Two."})
    told = "Short." if options == "fast" else "Long."
    assert [each.context for each in found.figures] == ([[f"{told}{{}} See Figure \\ref{{fig:a}}."]] if shown else [])


def test_tests_of_texts(tmp_path: Path) -> None:
    preamble = "\\newcommand{\\see}[2][]{\\ifstrequal{#1}{}{Figure}{\\ifblank{#1}{No}{#1}}~\\ref{fig:#2}}"
    (found,) = read_text(tmp_path, document(f"{figure()}\n\\see{{a}} and \\see[Plot]{{a}}.", preamble))
    assert found.context == ["Figure~\\ref{fig:a} and Plot~\\ref{fig:a}."]


def test_a_class_that_writes_figures_to_a_file(tmp_path: Path) -> None:
    own_class = (
        "\\AtBeginEnvironment{figure}{\\newcommand{\\figsupp}[3][]{#1\\addtostream{out}{\\protect\\begin{figure}"
        "\\protect #3\\noexpand\\par #2\\protect\\end{figure}}}}\n"
    )
    inside = f"{IMAGE}\\caption{{C.}}\\label{{fig:a}}\\figsupp[S]{{More of it.}}{{\\includegraphics{{b}}}}"
    text = document(f"\\begin{{figure}}{inside}\\end{{figure}}\n{CITES}", document_class="own")
    (found,) = read_folder(tmp_path, {"paper.tex": text, "own.cls": own_class}).figures
    assert (found.caption, found.context) == ("C.", [CITES])


def test_an_option_that_executes_itself(tmp_path: Path) -> None:
    own_class = "\\DeclareOption{a}{" + "\\ExecuteOptions{a}" * 20 + "}\\ExecuteOptions{a}\\ProcessOptions\n"
    found = read_folder(tmp_path, {"paper.tex": document(figure(), document_class="own"), "own.cls": own_class})
    assert len(found.figures) == 1


@pytest.mark.parametrize(
    "cites",
    ["\\FIG{a} shows it.", "\\FIGSUPP[a]{more} shows it.", "See \\Fig{fig:a}.", "In \\fig{a} it is.", "\\figs{a, b}."],
)
def test_wrappers_of_a_class_that_is_not_there(tmp_path: Path, cites: str) -> None:
    body = f"{figure()}\n{cites}\n\nNothing \\figurename{{}} or \\figwidth{{3cm}} here."
    assert read_text(tmp_path, document(body))[0].context == [cites]


def test_drafts_of_a_chapter_in_a_class_that_is_not_there(tmp_path: Path) -> None:
    text = document("\\include{one}\n\\include{two}", "\\ifdefineChapter\n  \\includeonly{two}\n\\fi", "gone")
    files = {"main.tex": text, "one.tex": figure("a"), "two.tex": figure("b")}
    assert len(read_folder(tmp_path, files).figures) == 2
