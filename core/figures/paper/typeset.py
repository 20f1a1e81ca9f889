"""The page's labels for paper: "V / V_max" with a real index, in Matplotlib's mathematics and in LaTeX."""

from __future__ import annotations

import re

from core.numerals import readable

INDEX = re.compile(r"(?<![A-Za-z0-9_.])([A-Za-zΑ-ωᾱ])_([A-Za-z0-9]+)(?![A-Za-z0-9_.])")
"""One letter with an index, such as ρ_ul; names of fields (snr_offset_db) and files are no such thing."""
LATEX = {
    **{c: rf"\{c}" for c in "#$%&{}"},
    "_": r"\_",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\u00a0": "~",
    "–": "--",
    "—": "---",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "…": r"\dots{}",
    "·": r"$\cdot$",
    "°": r"$^\circ$",
    "−": "$-$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≠": r"$\ne$",
    "≈": r"$\approx$",
    "→": r"$\to$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "∞": r"$\infty$",
    "√": r"$\surd$",
    "∈": r"$\in$",
    "✓": r"$\surd$",
    "✗": r"$\times$",
    "′": r"$'$",
    "§": r"\S{}",
    **{c: f"$^{n}$" for n, c in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{c: f"$_{n}$" for n, c in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    "⁻": "$^-$",
    **{
        letter: f"${name}$"
        for letter, name in zip(
            "αβγδεζηθκλμνξπρστφχψωΓΔΘΛΞΠΣΦΨΩ",
            (rf"\{n}" for n in ["alpha", "beta", "gamma", "delta", "varepsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega"]),
            strict=True,
        )
    },
    "ᾱ": r"$\bar{\alpha}$",
    "ẑ": r"$\hat{z}$",
    "⁺": "$^+$",
    "⊗": r"$\otimes$",
    "⪰": r"$\succeq$",
}  # fmt: skip
"""Characters that LaTeX reads as something else, or not at all."""


ACCENTS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar"}
"""Marks that stand over the letter before them."""


def typeset(text: str) -> str:
    """A label in Matplotlib's mathematics where it has an index, dollars in it kept as dollars."""
    return INDEX.sub(lambda m: rf"${m[1]}_\mathrm{{{m[2]}}}$", text.replace("$", r"\$"))


def latex(text: str) -> str:
    """A text as LaTeX: everything escaped, indices and Greek letters as mathematics, other characters by their code."""
    text = readable(text)
    parts, end = [], 0
    for found in INDEX.finditer(text):
        base = LATEX.get(found[1], found[1]).strip("$")
        parts += [_escaped(text[end : found.start()]), rf"${base}_{{\mathrm{{{found[2]}}}}}$"]
        end = found.end()
    return "".join([*parts, _escaped(text[end:])])


def _escaped(text: str) -> str:
    found: list[str] = []
    for c in text:
        if c in ACCENTS and found:
            found[-1] = rf"$\{ACCENTS[c]}{{{found[-1].strip('$')}}}$"
        else:
            found.append(LATEX.get(c, c if c.isascii() or "À" <= c <= "ſ" else f"[U+{ord(c):04X}]"))
    return "".join(found)
