"""LaTeX that is made to cost time or memory: each kind in any size, for tests and benchmarks.

`Hard.files(n)` are the files of one paper, `main.tex` first; twice the `n` is twice the input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Hard:
    """One kind of hard input, and an `n` at which it takes some tens of milliseconds."""

    name: str
    size: int
    body: Callable[[int], str]
    preamble: Callable[[int], str] = lambda n: ""
    others: Callable[[int], dict[str, str]] = lambda n: {}

    def files(self, n: int) -> dict[str, str]:
        """The files of the paper of size `n`."""
        head = f"\\documentclass{{article}}\n{self.preamble(n)}\n\\begin{{document}}\n"
        return {"main.tex": f"{head}{self.body(n)}\n\\end{{document}}\n", **self.others(n)}


def word(number: int) -> str:
    """A name of letters for a number; of ten letters, which make no command of TeX."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def each(n: int, text: Callable[[int], str]) -> str:
    """`text` of each number below `n`, joined."""
    return "".join(map(text, range(n)))


def figure(inside: str, name: str = "a") -> str:
    """A figure with an image, a caption and a label, and `inside`."""
    return (
        f"\\begin{{figure}}\n\\includegraphics{{a}}\n{inside}\n\\caption{{C.}}\\label{{fig:{name}}}\n\\end{{figure}}\n"
    )


def numbered(number: int) -> str:
    """A small figure of its own."""
    return figure("", str(number))


def doubling(depth: int, last: str) -> str:
    """Macros \\xa, \\xb, ...: each is the one before it twice, so that the last one is `last` 2**depth times."""
    start = f"\\def\\x{word(0)}{{{last}}}\n"
    return start + each(depth, lambda i: f"\\def\\x{word(i + 1)}{{\\x{word(i)}\\x{word(i)}}}\n")


def prose(length: int) -> dict[str, str]:
    """The files of a paper of about `length` characters: sections, paragraphs, equations and a figure in each."""
    said = (
        "As Figure~\\ref{fig:%d} shows, the loss $L_%d$ falls with \\emph{every} step \\cite{a,b}. "
        + "We see it again. " * 60
    )
    part = "\\section{Part %d}\n" + said + "\n\\begin{equation}\na = b + %d % a comment\n\\end{equation}\n\n"
    one = len(part) + len(numbered(1000))
    body = each(length // one, lambda i: part.replace("%d", str(i)) + numbered(i))
    return {"main.tex": f"\\documentclass{{article}}\n\\begin{{document}}\n{body}\\end{{document}}\n"}


CITED = figure("") + "Figure \\ref{fig:a} is cited.\n\n"
MANY_FIGURES = Hard("figures", 500, lambda n: each(n, lambda i: (
    f"\\begin{{figure}}\n\\includegraphics{{f{i}}}\n\\caption{{Cap {i}.}}\n\\label{{fig:{i}}}\n\\end{{figure}}\n")))  # fmt: skip

UNCLOSED = [
    Hard("unclosed \\subfigure", 2000, lambda n: "\\begin{figure}\n" + "\\subfigure{ a " * n),
    Hard("unclosed captions", 1600, lambda n: "\\begin{figure}\n" + "\\caption{abc " * n),
    Hard("unclosed captions, each in a figure", 800, lambda n: "\\begin{figure}\\caption{abc \\end{figure}\n" * n),
    Hard("unclosed figures", 2000, lambda n: "\\begin{figure}\\includegraphics{a}" * n),
    Hard("unclosed minipages", 2000, lambda n: "\\begin{minipage}{1in}\\includegraphics{a}\\caption{c}" * n),
    Hard("unclosed subfigures in a figure", 2000, lambda n: "\\begin{figure}" + "\\begin{subfigure}\\caption{c}" * n),
    Hard("ends without begins", 4000, lambda n: "\\begin{minipage}" * 200 + "\\end{figure}\\end{center}" * n),
    Hard("unclosed comments", 4000, lambda n: "\\begin{comment} a\n" * n),
    Hard("unclosed verbatim", 2000, lambda n: "\\begin{verbatim} a \\begin{lstlisting}\n" * n),
    Hard("unclosed brackets", 2000, lambda n: "\\begin{figure}" + "\\includegraphics[a\\subfloat[b" * n),
    Hard("unclosed references", 4000, lambda n: CITED + "\\ref{fig:a \\hyperref[fig:a \\cref{" * n),
    Hard("unclosed headings", 4000, lambda n: "\\section{ a \\paragraph[b " * n),
    Hard("unclosed verbs on one line", 4000, lambda n: "\\verb|a \\lstinline!b " * n),
    Hard("unclosed definitions", 2000, lambda n: "\\newcommand{\\a}{ \\def\\b{ \\newenvironment{c}{" * n),
    Hard("unclosed conditionals", 4000, lambda n: "\\iffalse a \\iftrue b \\else " * n),
    Hard("unclosed macro arguments", 2000, lambda n: "\\m{a" * n, lambda n: "\\newcommand{\\m}[2]{\\label{#1}#2}"),
]  # fmt: skip

NESTED = [
    Hard("nested braces", 20_000, lambda n: CITED + "{" * n + "}" * n),
    Hard("nested braces in a caption", 5000, lambda n: "\\begin{figure}\\caption{" + "{" * n + "}" * n + "}\\end{figure}"),
    Hard("open braces in a caption", 5000, lambda n: "\\begin{figure}\\caption{" + "{" * n + "\\end{figure}"),
    Hard("nested emphasis in captions", 100, lambda n: figure("\\caption{" + "\\emph{a " * 50 + "}" * 51) * n),
    Hard("nested conditionals", 5000, lambda n: "\\iftrue a" * n + "\\else b\\fi" * n),
    Hard("nested minipages", 3000, lambda n: "\\begin{figure}" + "\\begin{minipage}{1in}" * n + "\\end{minipage}" * n),
    Hard("nested macro arguments", 300, lambda n: "\\m{" * n + "\\label{x}" + "}" * n, lambda n: "\\newcommand{\\m}[1]{\\label{y}#1}"),
    Hard("nested \\ifthenelse", 500, lambda n: "\\ifthenelse{\\equal{a}{a}}{" * n + "x" + "}{y}" * n),
]  # fmt: skip

GROWING = [
    Hard("macros that double", 10, lambda n: CITED + f"\\x{word(n)} ", lambda n: doubling(n, "\\ref{fig:a}")),
    Hard("macros that double, many calls", 200, lambda n: CITED + f"\\x{word(20)} " * n, lambda n: doubling(20, "\\ref{fig:a}")),
    Hard("macros that double in captions", 100, lambda n: each(n, lambda i: figure(f"\\caption{{\\x{word(20)}}}")), lambda n: doubling(20, "a")),
    Hard("macros that double in paths", 200, lambda n: each(n, lambda i: figure(f"\\includegraphics{{\\x{word(20)}}}")), lambda n: doubling(20, "a")),
    Hard("arguments that double", 12, lambda n: CITED + "\\m{" * n + "x" + "}" * n, lambda n: "\\newcommand{\\m}[1]{\\ref{fig:a}#1#1}"),
    Hard("macros that call themselves", 1000, lambda n: CITED + "\\x " * n, lambda n: "\\def\\x{\\ref{fig:a}\\x\\x}"),
    Hard("a counter printed by itself", 100, lambda n: each(n, numbered), lambda n: "\\renewcommand{\\thefigure}{" + "\\thefigure" * 30 + "}"),
    Hard("counters within counters", 500, lambda n: each(n, numbered), lambda n: each(n, lambda i: f"\\counterwithin{{{word(i)}}}{{figure}}\n")),
    Hard("figures of one number and label", 1000, lambda n: figure("") * n, lambda n: "\\renewcommand{\\thefigure}{1}"),
    Hard("captions within captions", 1000, lambda n: "\\begin{figure}\\includegraphics{a}" + "\\caption{a " * n + "}" * n + "\\end{figure}"),
    Hard("panels within panels", 1000, lambda n: "\\begin{figure}" + "\\subcaptionbox{a " * n + "}{b}" * n + "\\end{figure}"),
    Hard("the same file n times", 1000, lambda n: "\\input{part}\n" * n, others=lambda n: {"part.tex": CITED * 20}),
    Hard("files that read themselves", 2000, lambda n: "\\input{part}\n" * n, others=lambda n: {"part.tex": "\\input{main}\\input{part}\n"}),
    Hard("files that double", 20, lambda n: "\\input{f0}", others=lambda n: {f"f{i}.tex": f"a\\input{{f{i + 1}}}\\input{{f{i + 1}}}" for i in range(n)}),
    Hard("files written by the paper", 200, lambda n: "\\begin{filecontents}{p}" + "\\input{p}" * 20 + "\\end{filecontents}" + "\\input{p}" * n),
    Hard("loops within loops", 50, lambda n: "\\foreach \\i in {1,...,90}{\\foreach \\j in {1,...,90}{\\includegraphics{a\\i\\j}}}\n" * n),
    Hard("definitions and calls by turns", 500, lambda n: CITED + each(n, lambda i: f"\\def\\y{word(i + 1)}{{a\\y{word(i)}}}\\y{word(i + 1)} ")),
]  # fmt: skip

MANY = [
    MANY_FIGURES,
    Hard("labels in one figure", 2000, lambda n: figure(each(n, lambda i: f"\\label{{l{i}}}")) + each(n, lambda i: f"\\ref{{l{i}}}\n\n")),
    Hard("duplicate labels", 1000, lambda n: (figure("") + "\\ref{fig:a}\n\n") * n),
    Hard("references in one paragraph", 4000, lambda n: CITED + "see \\ref{fig:a} " * n),
    Hard("figures cited in one paragraph", 400, lambda n: each(n, numbered) + "\n\n" + each(n, lambda i: f"see \\ref{{fig:{i}}} ")),
    Hard("figures cited in one list", 400, lambda n: each(n, numbered) + "\\cref{" + ",".join(f"fig:{i}" for i in range(n)) + "}"),
    Hard("ranges of figures", 400, lambda n: each(n, numbered) + f"\\crefrange{{fig:0}}{{fig:{n - 1}}}\n\n" * n),
    Hard("images in one figure", 1000, lambda n: "\\begin{figure}" + "\\includegraphics{a}" * n + "\\caption{c}\\end{figure}"),
    Hard("panels and captions in one figure", 1000, lambda n: "\\begin{figure}" + "\\subfloat[c]{\\includegraphics{a}\\label{b}}\\caption{d}" * n + "\\end{figure}"),
    Hard("side by side", 1000, lambda n: "\\begin{figure}" + "\\begin{minipage}{1in}\\includegraphics{a}\\caption{c}\\label{b}\\end{minipage}" * n + "\\end{figure}"),
    Hard("images and folders", 100, lambda n: each(n, lambda i: figure(f"\\includegraphics{{x{i}}}", str(i))), lambda n: "\\graphicspath{" + each(n, lambda i: f"{{p{i}/}}") + "}"),
    Hard("images in the running text", 2000, lambda n: "\\includegraphics{a} x \\captionof{figure}{c} " * n),
    Hard("switches", 1000, lambda n: each(n, lambda i: f"\\if{word(i)}q a\\else b\\fi\\{word(i)}qtrue "), lambda n: each(n, lambda i: f"\\newif\\if{word(i)}q\n")),
    Hard("macros of its own", 1000, lambda n: CITED + each(n, lambda i: f"\\z{word(i)} "), lambda n: each(n, lambda i: f"\\newcommand{{\\z{word(i)}}}{{\\ref{{fig:a}}}}\n")),
    Hard("environments of its own", 1000, lambda n: each(n, lambda i: f"\\begin{{z{word(i)}}}\\end{{z{word(i)}}}"), lambda n: each(n, lambda i: f"\\newenvironment{{z{word(i)}}}{{\\label{{a}}}}{{}}\n")),
    Hard("verbs", 4000, lambda n: "\\verb|a% {|, " * n),
    Hard("dollars", 10_000, lambda n: CITED + "$ a " * n),
    Hard("dollars in captions", 20, lambda n: figure("\\caption{" + "$ a_ " * 500 + "}") * n),
    Hard("math in one caption", 300, lambda n: figure("\\caption{" + "$\\frac{a}{b}$ \\textbf{x} \\ref{fig:a} \\cite{k} " * n + "}")),
    Hard("footnotes and labels in captions", 100, lambda n: figure("\\caption{a" + "\\footnote{b\\label{c}}" * 50 + "}") * n),
    Hard("comments", 10_000, lambda n: "% a comment\n x\n" * n),
    Hard("sections", 4000, lambda n: "\\section{A}\\appendix\\subsection{B}\n\n" * n),
    Hard("a huge table", 10_000, lambda n: "\\begin{table}\\begin{tabular}{ll}" + "a & \\textbf{b} \\\\\n" * n + "\\end{tabular}\\end{table}"),
    Hard("unknown captions", 1000, lambda n: "\\begin{figure}\\includegraphics{a}" + "\\panelcaption{what is seen here}" * n + "\\end{figure}"),
]  # fmt: skip

LONG = [
    Hard("one long line", 1_000_000, lambda n: CITED + "word " * (n // 5)),
    Hard("a line of backslashes", 100_000, lambda n: CITED + "\\" * n),
    Hard("a line of letters behind a backslash", 500_000, lambda n: CITED + "\\" + "a" * n),
    Hard("a line of spaces behind commands", 500_000, lambda n: CITED + ("\\begin" + " " * 500 + "\\caption" + " " * 500) * (n // 1000)),
    Hard("blank lines", 100_000, lambda n: CITED + "\n \t" * n),
    Hard("percent signs", 100_000, lambda n: CITED + "%" * n),
    Hard("one long caption", 500_000, lambda n: "\\begin{figure}\\caption{" + "word " * (n // 5) + "}\\end{figure}"),
    Hard("one long label", 500_000, lambda n: "\\begin{figure}\\label{" + "a" * n + "}\\end{figure}\\ref{" + "a" * n + "}"),
    Hard("tildes and dashes", 200_000, lambda n: CITED + "Fig~-~" * (n // 6)),
]  # fmt: skip

ALL = [*UNCLOSED, *NESTED, *GROWING, *MANY, *LONG]
