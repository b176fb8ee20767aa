"""The page RESULTS.md: `parts` measures, `pages` keeps and fills in, page.md is the template.

Beside them lie the figures of the comparison with other systems.
"""
