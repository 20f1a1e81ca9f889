"""What the notebooks import: exercise checks, small charts, and one live explorer per lesson."""

from app.teaching.charts import bar_chart, line_chart
from app.teaching.exercise import check
from app.teaching.start import start
from app.teaching.tables import matrix, say, table

__all__ = ["bar_chart", "check", "line_chart", "matrix", "say", "start", "table"]
