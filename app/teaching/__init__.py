"""What the notebooks import: exercise checks, formulas, words, small charts, and one live explorer per lesson."""

from app.teaching.charts import bar_chart, histogram, line_chart
from app.teaching.exercise import check, hint
from app.teaching.formulas import formula
from app.teaching.glossary import glossary
from app.teaching.results import hand_in
from app.teaching.start import start
from app.teaching.tables import matrix, say, table

__all__ = [
    "bar_chart",
    "check",
    "formula",
    "glossary",
    "hand_in",
    "hint",
    "histogram",
    "line_chart",
    "matrix",
    "say",
    "start",
    "table",
]
