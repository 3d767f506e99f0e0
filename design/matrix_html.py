"""Matrices as HTML, without templates.

A page has hundreds of cells, and a macro that is called for each takes several times as long.
"""

from django.utils.safestring import SafeString
from markupsafe import escape

from design.matrix import Cell, Matrix, PlacedCell
from design.translation import gettext as _


def render_matrix(matrix: Matrix) -> SafeString:
    """Return the matrix as a table, with the notes on its cells below."""
    rows = "".join(
        _row(escape(label) if matrix.row_labels else None, cells, matrix)
        for label, cells in matrix.lines
    )
    region = (
        f' tabindex="0" role="group" aria-label="{escape(matrix.name or matrix.caption)}"'
        if matrix.wide
        else ""
    )
    return SafeString(
        f'<div class="matrix{" matrix-dense" if matrix.dense else ""}'
        f'{" matrix-turned" if matrix.turned else ""}">\n'
        f'  <div class="matrix-scroll"{region}>\n'
        f"    <table{_attribute('id', matrix.html_id)}{_attribute('data-given', matrix.given)}>\n"
        f"      <caption>{_number(matrix)}{escape(matrix.caption)}</caption>\n"
        f"      {_head(matrix)}\n"
        f"      <tbody>\n        {rows}\n      </tbody>\n"
        f"    </table>\n"
        f"  </div>\n"
        f"  {_notes(matrix)}\n"
        f"</div>"
    )


def _number(matrix: Matrix) -> str:
    if not matrix.number:
        return ""
    step = f'<span class="visually-hidden">{escape(_("Step"))} </span>'
    return f'<span class="step-number">{step}{matrix.number}</span> '


def _attribute(name: str, value: str) -> str:
    return f' {name}="{escape(value)}"' if value else ""


def _head(matrix: Matrix) -> str:
    if not matrix.column_labels:
        return ""
    corner = "<td></td>" if matrix.row_labels else ""
    labels = "".join(
        f'<th scope="col"><span>{escape(label)}</span></th>' for label in matrix.column_labels
    )
    return f"<thead>\n        <tr>{corner}{labels}</tr>\n      </thead>"


def _row(label: str | None, cells: list[PlacedCell], matrix: Matrix) -> str:
    head = "" if label is None else f'<th scope="row">{label}</th>'
    shown = "".join(f"{_cell(placed, matrix)}\n          " for placed in cells)
    return f"<tr>\n          {head}\n          {shown}\n        </tr>"


def _cell(placed: PlacedCell, matrix: Matrix) -> str:
    cell = placed.cell
    looks = (
        f"cell{'' if cell.heat is None else f' heat-{cell.heat}'}"
        f"{' is-fixed' if cell.fixed else ''}{f' is-{escape(cell.mark)}' if cell.mark else ''}"
    )
    # Plain numbers need no escaping.
    value = f' data-value="{number}"' if (number := cell.data_value) else ""
    if cell.input:
        shown = _input(placed, matrix)
    else:
        lead = f' data-lead="{placed.lead}"' if placed.lead else ""
        trail = f' data-trail="{placed.trail}"' if placed.trail else ""
        shown = f'<span class="number"{lead}{trail}>{escape(cell.text)}</span>'
    words = _render_reading_and_mark(cell) if cell.read_as or cell.mark else ""
    return f'<td class="{looks}"{value}>{shown}{words}</td>'


def _input(placed: PlacedCell, matrix: Matrix) -> str:
    cell, name = placed.cell, escape(placed.cell.input)
    return (
        f'<label class="visually-hidden" for="{name}">{escape(matrix.label_of(placed))}</label>'
        f'<input type="text" name="{name}" id="{name}" value="{escape(cell.text)}"'
        f' maxlength="65" autocomplete="off" autocapitalize="off" spellcheck="false"'
        f"{' aria-invalid="true"' if cell.note else ''}"
        f"{_attribute('aria-describedby', matrix.described_by(cell))}>"
    )


def _render_reading_and_mark(cell: Cell) -> str:
    """Return the texts below a cell's number: its reading and its mark."""
    html = ""
    if cell.read_as:
        html = (
            f'<span class="cell-read"{_attribute("id", cell.input and f"{cell.input}-read")}>'
            f'<span class="visually-hidden">{escape(_("read as"))} </span>'
            f"{escape(cell.read_as)}</span>"
        )
    if cell.mark:
        html += (
            f'<span class="cell-mark"{_attribute("id", cell.input and f"{cell.input}-mark")}>'
            f'<span aria-hidden="true">{escape(cell.sign)}</span> {escape(cell.word)}</span>'
        )
    return html


def _notes(matrix: Matrix) -> str:
    notes = matrix.notes
    if not (notes or matrix.takes_answers):
        return ""
    lines = "".join(f"{_note(note, cells)}\n    " for note, cells in notes.items())
    live = ' aria-live="polite"' if matrix.takes_answers else ""
    return f'<ul class="matrix-notes"{live}>\n    {lines}\n  </ul>'


def _note(note: str, cells: list[PlacedCell]) -> str:
    """Return one line for all cells that share a note."""
    places = "; ".join(_place(placed) for placed in cells if placed.place)
    html_id = _attribute("id", cells[0].cell.input and f"{cells[0].cell.input}-note")
    return f"<li{html_id}>{f'{places}: ' if places else ''}{escape(note)}</li>"


def _place(placed: PlacedCell) -> str:
    return f'<span class="matrix-note-place">{escape(placed.place)}</span>'
