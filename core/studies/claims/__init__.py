"""Claims audit: the paper's guarantees measured at any scenario, and the ledger of what each bound costs."""

from core.studies.claims.audit import audit
from core.studies.claims.file import load_findings, save_findings
from core.studies.claims.finding import Finding
from core.studies.claims.intervals import clopper_pearson
from core.studies.claims.ledger import conservatism
from core.studies.claims.ledger_file import ledger_markdown, ledger_path, load_ledger, save_ledger
from core.studies.claims.verdict import ClaimVerdict

__all__ = [
    "ClaimVerdict",
    "Finding",
    "audit",
    "clopper_pearson",
    "conservatism",
    "ledger_markdown",
    "ledger_path",
    "load_findings",
    "load_ledger",
    "save_findings",
    "save_ledger",
]
