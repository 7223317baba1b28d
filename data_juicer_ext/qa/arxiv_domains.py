"""arXiv categories by name, for prompts ("cs.CL") and for counts ("cs").

Source: the category taxonomy that arXiv publishes; former archives are kept under today's names.
"""

# One archive per line of names; its categories follow as CODE name pairs.
_ARCHIVES = {
    "astro-ph": "astrophysics", "cond-mat": "condensed matter physics", "cs": "computer science",
    "econ": "economics", "eess": "electrical engineering and systems science",
    "gr-qc": "general relativity and quantum cosmology", "hep-ex": "experimental high energy physics",
    "hep-lat": "high energy physics on the lattice", "hep-ph": "high energy physics phenomenology",
    "hep-th": "theoretical high energy physics", "math": "mathematics", "math-ph": "mathematical physics",
    "nlin": "nonlinear sciences", "nucl-ex": "experimental nuclear physics",
    "nucl-th": "theoretical nuclear physics", "physics": "physics", "q-bio": "quantitative biology",
    "q-fin": "quantitative finance", "quant-ph": "quantum physics", "stat": "statistics",
}  # fmt: skip

_CATEGORIES = {
    "astro-ph": "CO cosmology and nongalactic astrophysics|EP earth and planetary astrophysics"
    "|GA astrophysics of galaxies|HE high energy astrophysical phenomena"
    "|IM instrumentation and methods for astrophysics|SR solar and stellar astrophysics",
    "cond-mat": "dis-nn disordered systems and neural networks|mes-hall mesoscale and nanoscale physics"
    "|mtrl-sci materials science|other other condensed matter|quant-gas quantum gases"
    "|soft soft condensed matter|stat-mech statistical mechanics|str-el strongly correlated electrons"
    "|supr-con superconductivity",
    "cs": "AI artificial intelligence|AR hardware architecture|CC computational complexity"
    "|CE computational engineering, finance, and science|CG computational geometry"
    "|CL computation and language|CR cryptography and security|CV computer vision and pattern recognition"
    "|CY computers and society|DB databases|DC distributed, parallel, and cluster computing"
    "|DL digital libraries|DM discrete mathematics|DS data structures and algorithms"
    "|ET emerging technologies|FL formal languages and automata theory|GL general literature|GR graphics"
    "|GT computer science and game theory|HC human-computer interaction|IR information retrieval"
    "|IT information theory|LG machine learning|LO logic in computer science|MA multiagent systems"
    "|MM multimedia|MS mathematical software|NA numerical analysis|NE neural and evolutionary computing"
    "|NI networking and internet architecture|OH other computer science|OS operating systems|PF performance"
    "|PL programming languages|RO robotics|SC symbolic computation|SD sound|SE software engineering"
    "|SI social and information networks|SY systems and control",
    "econ": "EM econometrics|GN general economics|TH theoretical economics",
    "eess": "AS audio and speech processing|IV image and video processing|SP signal processing|SY systems and control",
    "math": "AC commutative algebra|AG algebraic geometry|AP analysis of PDEs|AT algebraic topology"
    "|CA classical analysis and ODEs|CO combinatorics|CT category theory|CV complex variables"
    "|DG differential geometry|DS dynamical systems|FA functional analysis|GM general mathematics"
    "|GN general topology|GR group theory|GT geometric topology|HO history and overview"
    "|IT information theory|KT K-theory and homology|LO logic|MG metric geometry|MP mathematical physics"
    "|NA numerical analysis|NT number theory|OA operator algebras|OC optimization and control|PR probability"
    "|QA quantum algebra|RA rings and algebras|RT representation theory|SG symplectic geometry"
    "|SP spectral theory|ST statistics theory",
    "nlin": "AO adaptation and self-organizing systems|CD chaotic dynamics"
    "|CG cellular automata and lattice gases|PS pattern formation and solitons"
    "|SI exactly solvable and integrable systems",
    "physics": "acc-ph accelerator physics|ao-ph atmospheric and oceanic physics"
    "|app-ph applied physics|atm-clus atomic and molecular clusters|atom-ph atomic physics"
    "|bio-ph biological physics|chem-ph chemical physics|class-ph classical physics"
    "|comp-ph computational physics|data-an data analysis, statistics and probability|ed-ph physics education"
    "|flu-dyn fluid dynamics|gen-ph general physics|geo-ph geophysics"
    "|hist-ph history and philosophy of physics|ins-det instrumentation and detectors|med-ph medical physics"
    "|optics optics|plasm-ph plasma physics|pop-ph popular physics|soc-ph physics and society"
    "|space-ph space physics",
    "q-bio": "BM biomolecules|CB cell behavior|GN genomics|MN molecular networks|NC neurons and cognition"
    "|OT other quantitative biology|PE populations and evolution|QM quantitative methods"
    "|SC subcellular processes|TO tissues and organs",
    "q-fin": "CP computational finance|EC economics|GN general finance|MF mathematical finance"
    "|PM portfolio management|PR pricing of securities|RM risk management|ST statistical finance"
    "|TR trading and market microstructure",
    "stat": "AP applications|CO computation|ME methodology|ML machine learning|OT other statistics"
    "|TH statistics theory",
}

_FORMER = {
    "acc-phys": "physics.acc-ph", "adap-org": "nlin.AO", "alg-geom": "math.AG", "ao-sci": "physics.ao-ph",
    "atom-ph": "physics.atom-ph", "bayes-an": "physics.data-an", "chao-dyn": "nlin.CD",
    "chem-ph": "physics.chem-ph", "cmp-lg": "cs.CL", "comp-gas": "nlin.CG", "dg-ga": "math.DG",
    "funct-an": "math.FA", "mtrl-th": "cond-mat.mtrl-sci", "patt-sol": "nlin.PS",
    "plasm-ph": "physics.plasm-ph", "q-alg": "math.QA", "solv-int": "nlin.SI", "supr-con": "cond-mat.supr-con",
}  # fmt: skip

_NAMES = {
    f"{archive}.{code}": name
    for archive, line in _CATEGORIES.items()
    for code, _, name in (entry.partition(" ") for entry in line.split("|"))
}


def spelled_out(category: str) -> str:
    """ "cs.CL" as "computer science (computation and language)"; "" as "science".

    Of several categories (arXiv's metadata lists them with blanks between) the first is taken. What is
    no arXiv category is given back as it is.
    """
    known = _known(category)
    if not known:
        return category.strip() or "science"
    name = _ARCHIVES[known.partition(".")[0]]
    return f"{name} ({_NAMES[known]})" if known in _NAMES else name


def archive(category: str) -> str:
    """The archive that a category is counted under: "cs" for "cs.CL", "hep-th" for itself."""
    known = _known(category)
    return known.partition(".")[0] if known else category.strip()


def _known(category: str) -> str:
    """The first category in today's form, or "" if arXiv has no such archive."""
    first = (category.split() or [""])[0]
    first = _FORMER.get(first, first)
    return first if first.partition(".")[0] in _ARCHIVES else ""
