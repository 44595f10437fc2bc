"""The verdict as one page: self-contained HTML for a colleague, a phone, the dark or a printer.

In reading order: `page` (`to_html`), `contents` (all that a page shows), then what a reader meets:
`proof` (and points), `outcomes` (counts and unequal costs), `rows` (one row explained); `pictures`
draws, `svg` makes drawings fit the page, `names` keeps every word of the user harmless.
"""

from separatrix.report.page.page import to_html
