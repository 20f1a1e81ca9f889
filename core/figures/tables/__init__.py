"""The page's tables for paper."""
