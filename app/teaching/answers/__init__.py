"""The right answers, one file per lesson, computed from core."""
