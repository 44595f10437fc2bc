"""The verdict as one page: self-contained HTML for a colleague, a phone, the dark or a printer.

In reading order: `page` (`to_html`), `contents` (all that a page shows), then what a reader meets:
`line` (points), `proof`, `outcomes` (counts and unequal costs), `applicant` (one row explained);
`pair` chooses columns for a picture, `pictures` draws, `svg` makes drawings fit the page, `names`
keeps every word of the user harmless. The words that text and page share are in `sections`.
"""

from separatrix.report.page.page import to_html
