"""LaTeX that is made to cost time or memory: each kind in any size, for tests and benchmarks.

A kind is written as a template: «...» stands as often as asked, in it <i> for 0, 1, 2, ..., <w> for the
same in letters and <w+> for the one after; <last> is the last <i>. Twice as often is twice the input.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_REPEATED = re.compile("«(.*?)»", re.DOTALL)


@dataclass(frozen=True)
class Hard:
    """One kind of hard input, and how often its parts stand for some tens of milliseconds."""

    name: str
    size: int
    body: str
    preamble: str = ""
    others: dict[str, str] = field(default_factory=dict)

    def files(self, n: int) -> dict[str, str]:
        """The files of a paper with the parts `n` times."""
        main = f"\\documentclass{{article}}\n{self.preamble}\n\\begin{{document}}\n{self.body}\n\\end{{document}}\n"
        return {"main.tex": written_out(main, n), **{name: written_out(text, n) for name, text in self.others.items()}}


def written_out(template: str, n: int) -> str:
    """A template with its parts `n` times."""
    text = _REPEATED.sub(lambda match: _repeated(match.group(1), n), template)
    return text.replace("<last>", str(n - 1)).replace("<w>", word(n))


def _repeated(part: str, n: int) -> str:
    if "<" not in part:
        return part * n
    return "".join(
        part.replace("<i>", str(i)).replace("<w>", word(i)).replace("<w+>", word(i + 1)) for i in range(n)
    )  # fmt: skip


def word(number: int) -> str:
    """A number in letters; of ten letters, which make no command of TeX."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def figure(image: str = "a", caption: str = "C.", name: str = "a") -> str:
    """A figure with an image, a caption and a label."""
    image, caption = f"\\includegraphics{{{image}}}", f"\\caption{{{caption}}}"
    return f"\\begin{{figure}}\n{image}\n{caption}\\label{{fig:{name}}}\n\\end{{figure}}\n"


def prose(length: int) -> dict[str, str]:
    """The files of a paper of about `length` characters: sections with text, an equation and a figure each."""
    said = "As Figure~\\ref{fig:<i>} shows, the loss $L_<i>$ falls with \\emph{every} step \\cite{a,b}. "
    equation = "\n\\begin{equation}\na = b + <i> % a comment\n\\end{equation}\n\n"
    part = "\\section{Part <i>}\n" + said + "We see it again. " * 60 + equation + figure(name="<i>")
    return Hard("prose", 1, f"«{part}»").files(length // len(part))


CITED = figure() + "Figure \\ref{fig:a} is cited.\n\n"
NUMBERED = f"«{figure(name='<i>')}»"
DOUBLED = r"«\def\x<w+>{\x<w>\x<w>}»"
DOUBLED_20 = written_out(DOUBLED, 20)
TWENTIETH = r"\x" + word(20)
FIGURES = Hard("figures", 500, "«\\begin{figure}\n\\includegraphics{f<i>}\n\\caption{Cap <i>.}\n\\label{fig:<i>}\n"
                               "\\end{figure}\n»")  # fmt: skip

UNCLOSED = [
    Hard("unclosed subfigures", 2000, r"\begin{figure}«\subfigure{ a »"),
    Hard("unclosed captions", 1600, r"\begin{figure}«\caption{abc »"),
    Hard("unclosed captions in figures", 800, r"«\begin{figure}\caption{abc \end{figure}»"),
    Hard("unclosed figures", 2000, r"«\begin{figure}\includegraphics{a}»"),
    Hard("unclosed minipages", 2000, r"«\begin{minipage}{1in}\includegraphics{a}\caption{c}»"),
    Hard("unclosed subfigure environments", 2000, r"\begin{figure}«\begin{subfigure}\caption{c}»"),
    Hard("ends without begins", 4000, r"\begin{minipage}" * 200 + r"«\end{figure}\end{center}»"),
    Hard("unclosed comments", 8000, "«\\begin{comment} a\n»"),
    Hard("unclosed verbatim", 8000, "«\\begin{verbatim} a \\begin{lstlisting}\n»"),
    Hard("unclosed brackets", 4000, r"\begin{figure}«\includegraphics[a\subfloat[b»"),
    Hard("unclosed references", 2000, CITED + r"«\ref{fig:a \hyperref[fig:a \cref{»"),
    Hard("unclosed headings", 16_000, r"«\section{ a \paragraph[b »"),
    Hard("unclosed verbs", 8000, r"«\verb|a \lstinline!b »"),
    Hard("unclosed definitions", 2000, r"«\newcommand{\a}{ \def\b{ \newenvironment{c}{»"),
    Hard("unclosed conditionals", 2000, r"«\iffalse a \iftrue b \else »"),
    Hard("unclosed arguments", 16_000, r"«\m{a»", r"\newcommand{\m}[2]{\label{#1}#2}"),
]

NESTED = [
    Hard("braces", 320_000, CITED + "«{»«}»"),
    Hard("braces in a caption", 40_000, r"\begin{figure}\caption{«{»«}»}\end{figure}"),
    Hard("open braces in a caption", 80_000, r"\begin{figure}\caption{«{»\end{figure}"),
    Hard("emphasis in captions", 100, "«" + figure(caption="<i>" + r"\emph{a " * 50 + "}" * 50) + "»"),
    Hard("conditionals in each other", 5000, r"«\iftrue a»«\else b\fi»"),
    Hard("minipages in each other", 6000, r"\begin{figure}«\begin{minipage}{1in}»«\end{minipage}»"),
    Hard("captions in each other", 16_000, r"\begin{figure}\includegraphics{a}«\caption{a »«}»\end{figure}"),
    Hard("panels in each other", 8000, r"\begin{figure}«\subcaptionbox{a »«}{b}»\end{figure}"),
    Hard("arguments in each other", 4000, r"«\m{»\label{x}«}»", r"\newcommand{\m}[1]{\label{y}#1}"),
    Hard("tests in each other", 4000, r"«\ifthenelse{\equal{a}{a}}{»x«}{y}»"),
]

GROWING = [
    Hard("macros that double", 4096, CITED + r"\x<w> ", r"\def\xa{\ref{fig:a}}" + DOUBLED),
    Hard("calls of macros that double", 12_800, CITED + f"«{TWENTIETH} »", r"\def\xa{\ref{fig:a}}" + DOUBLED_20),
    Hard("macros that double in captions", 100, f"«{figure(caption='<i>' + TWENTIETH)}»", DOUBLED_20),
    Hard("macros that double in paths", 100, f"«{figure(TWENTIETH)}»", DOUBLED_20),
    Hard("arguments that double", 4000, CITED + "«\\m{»x«}»", r"\newcommand{\m}[1]{\ref{fig:a}#1#1}"),
    Hard("one argument many times", 4000, CITED + r"\m{«a»}", r"\newcommand{\m}[1]{\ref{fig:a}" + "#1" * 1000 + "}"),
    Hard("macros that call themselves", 4000, CITED + r"«\x »", r"\def\x{\ref{fig:a}\x\x}"),
    Hard("definitions and calls by turns", 2000, CITED + r"«\def\y<w+>{a\y<w>}\y<w+> »"),
    Hard("a counter that prints itself", 500, NUMBERED, r"\renewcommand{\thefigure}{" + r"\thefigure" * 30 + "}"),
    Hard("counters within counters", 500, NUMBERED, r"«\counterwithin{<w>}{figure}»"),
    Hard("the same file again", 1000, r"«\input{part}»", others={"part.tex": CITED * 20}),
    Hard("files that read themselves", 4000, r"«\input{part}»", others={"part.tex": r"\input{main}\input{part}"}),
    Hard("a file that the paper writes", 4000, r"\begin{filecontents}{p}\input{p}a\end{filecontents}«\input{p}»"),
    Hard("loops in loops", 800, r"«\foreach \i in {1,...,90}{\foreach \j in {1,...,90}{\includegraphics{a\i\j}}}»"),
]  # fmt: skip

MANY = [
    FIGURES,
    Hard("figures of one number and label", 500, f"«{figure()}»", r"\renewcommand{\thefigure}{1}"),
    Hard("labels in one figure", 2000, "\\begin{figure}a.pdf«\\label{l<i>}»\\end{figure}«\\ref{l<i>}\n\n»"),
    Hard("the same label", 500, f"«{figure()}\\ref{{fig:a}}\n\n»"),
    Hard("references in one paragraph", 4000, CITED + r"«see \ref{fig:a} »"),
    Hard("figures cited in one paragraph", 400, NUMBERED + "\n«see \\ref{fig:<i>} »"),
    Hard("figures cited in one list", 400, NUMBERED + r"\cref{«fig:<i>,»}"),
    Hard("ranges of figures", 400, NUMBERED + "«\\crefrange{fig:0}{fig:<last>}\n\n»"),
    Hard("images in one figure", 2000, r"\begin{figure}«\includegraphics{a}»\caption{c}\end{figure}"),
    Hard("panels in one figure", 500, r"\begin{figure}«\subfloat[c]{\includegraphics{a}\label{b}}\caption{d}»"),
    Hard("side by side", 500, r"\begin{figure}«\begin{minipage}{1in}\includegraphics{a}\caption{c}\end{minipage}»"),
    Hard("images and folders", 200, f"«{figure('x<i>')}»", r"\graphicspath{«{p<i>/}»}"),
    Hard("images in the running text", 500, r"«\includegraphics{a} x \captionof{figure}{c} »"),
    Hard("unknown captions", 500, r"\begin{figure}\includegraphics{a}«\panelcaption{what is seen here}»\end{figure}"),
    Hard("switches", 2000, r"«\if<w>q a\else b\fi\<w>qtrue »", r"«\newif\if<w>q »"),
    Hard("macros of its own", 2000, CITED + r"«\z<w> »", r"«\newcommand{\z<w>}{\ref{fig:a}}»"),
    Hard("environments of its own", 2000, r"«\begin{z<w>}\end{z<w>}»", r"«\newenvironment{z<w>}{\label{a}}{}»"),
    Hard("verbs", 8000, r"«\verb|a% {|, »"),
    Hard("dollars", 160_000, CITED + "«$ a »"),
    Hard("dollars in captions", 100, "«" + figure(caption="<i>" + "$ a_ " * 500) + "»"),
    Hard("math in one caption", 2000, figure(caption=r"«$\frac{a}{b}$ \textbf{x} \ref{fig:a} \cite{k} »")),
    Hard("footnotes in captions", 100, "«" + figure(caption="<i>" + r"\footnote{b\label{c}}" * 50) + "»"),
    Hard("comments", 10_000, "«% a comment\n x\n»"),
    Hard("sections", 8000, "«\\section{A}\\appendix\\subsection{B}\n\n»"),
    Hard("a huge table", 40_000, "\\begin{table}\\begin{tabular}{ll}«a & \\textbf{b} \\\\\n»\\end{table}"),
]  # fmt: skip

LONG = [
    Hard("a long line", 160_000, CITED + "«word »"),
    Hard("backslashes", 100_000, CITED + "«\\»"),
    Hard("a long command", 500_000, CITED + "\\«a»"),
    Hard("spaces behind commands", 500, CITED + "«\\begin" + " " * 500 + "\\caption" + " " * 500 + "»"),
    Hard("blank lines", 100_000, CITED + "«\n \t»"),
    Hard("percent signs", 6_400_000, CITED + "«%»"),
    Hard("a long caption", 100_000, r"\begin{figure}\caption{«word »}\end{figure}"),
    Hard("a long label", 1_000_000, r"\begin{figure}\label{«a»}\end{figure}\ref{«a»}"),
    Hard("numbers without references", 20_000, CITED + "«Fig~-~»"),
]

ALL = [*UNCLOSED, *NESTED, *GROWING, *MANY, *LONG]
