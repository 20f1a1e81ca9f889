"""How tables of text look that Python writes as HTML."""

TABLE_CSS = """
:host { color: var(--mui-palette-text-primary, #222); }
a { color: var(--mui-palette-primary-main, #0072b5); }
table { border-collapse: collapse; width: 100%; font-family: var(--page-font, system-ui, sans-serif); font-size: calc(13px * var(--type, 1)); line-height: 1.35; }
th { text-align: left; border-bottom: 2px solid #808080; padding: 4px 8px; }
td { border-bottom: 1px solid #80808055; padding: 5px 8px; vertical-align: top; }
div.wide { overflow-x: auto; }
div.wide td:first-child { min-width: 15em; }
td.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
td.verdict { white-space: nowrap; font-weight: 600; }
span.chip { color: white; border-radius: 10px; padding: 2px 9px; }
small { opacity: 0.8; }
"""
