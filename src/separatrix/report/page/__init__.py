"""The verdict as one page: self-contained HTML for a colleague, a phone, the dark or a printer.

In reading order: `page` (`to_html`), then what a reader meets: `answer`, `line` (points),
`contradiction`, `proof`, `outcomes` (counts and unequal costs), `applicant` (one row explained),
`origin` (how it was made); `pair` chooses columns for a picture, `pictures` draws, `svg` makes
drawings fit the page, `names` keeps every word of the user harmless. The words that text and page
share are in `sections`.
"""

from separatrix.report.page.page import to_html

__all__ = ["to_html"]
