"""Views: the style guide, which shows staff every component on one page."""

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.shortcuts import render
from django.views.decorators.http import require_safe

from design.matrix import Cell, Matrix, number_matrix
from design.verdicts import SIGNS

WORDS = ("the", "cat", "sat", "on", "the", "mat")


class Sample(forms.Form):
    """A form that is shown with errors."""

    name = forms.CharField(label="Name", required=False)
    email = forms.EmailField(label="Email", help_text="We write to you about nothing else.")
    level = forms.ChoiceField(label="Level", choices=[("b", "Beginner"), ("a", "Advanced")])


@require_safe
@login_required
def styleguide(request):
    """Show the design system in both colour schemes."""
    if not request.user.is_staff:
        raise PermissionDenied
    return render(
        request,
        "design/styleguide.html",
        {
            "verdicts": [kind for kind in SIGNS if kind != "unreadable"],
            "form": Sample({"email": "ada at example", "level": "b"}),
            "schemes": ("light", "dark"),
            "surfaces": ("paper", "paper-sunk", "paper-field", "accent-tint"),
            "roles": ("prose", "lede", "meta", "eyebrow"),
            "spaces": (1, 2, 3, 4, 5, 6, 8, 10, 12, 16),
            **matrices(),
        },
    )


def matrices():
    """Return a matrix of each kind."""
    return {
        "given": number_matrix(
            [[0.9, -0.2, 0.5], [-12, 0.85, 0.4]],
            caption="Queries Q",
            rows=("Thinking", "Machines"),
            columns=("q₁", "q₂", "q₃"),
            given="q",
        ),
        "vector": number_matrix([0.3, 2.1, 1.2, 1.6], caption="Scores", given="scores"),
        "heat": number_matrix(
            [
                [1, 0, 0, 0, 0, 0],
                [0.34, 0.66, 0, 0, 0, 0],
                [0.11, 0.62, 0.27, 0, 0, 0],
                [0.08, 0.16, 0.52, 0.24, 0, 0],
                [0.05, 0.1, 0.1, 0.45, 0.3, 0],
                [0.03, 0.4, 0.2, 0.07, 0.1, 0.2],
            ],
            caption="Where each word looks, under a causal mask",
            rows=WORDS,
            columns=WORDS,
            decimals=2,
            heat=True,
        ),
        "scale": number_matrix(
            [i / 10 + 0.05 for i in range(10)], caption="The heat scale", heat=True, decimals=2
        ),
        "answer": Matrix(
            caption="Attention weights A, to three decimals",
            row_labels=("Thinking", "Machines"),
            column_labels=("Thinking", "Machines", "rest"),
            rows=(
                (
                    Cell(input="item-1-weights-0-0", text="0.572"),
                    Cell(input="item-1-weights-0-1", text="0.4x", note="“0.4x” is not a number."),
                    Cell(text="0", value=0, fixed=True),
                ),
                (
                    Cell(input="item-1-weights-1-0"),
                    Cell(input="item-1-weights-1-1"),
                    Cell(text="−∞", fixed=True),
                ),
            ),
        ),
        "marked": Matrix(
            caption="Your answer",
            row_labels=("Thinking", "Machines"),
            column_labels=("Thinking", "Machines"),
            rows=(
                (
                    Cell(text="0.572", value=0.572, mark="right"),
                    Cell(text="0.218", value=0.218, mark="wrong"),
                ),
                (Cell(mark="blank"), Cell(text="0,5,1", mark="unreadable", note="Two commas.")),
            ),
        ),
        "large": number_matrix(
            [[((3 * i + 5 * j) % 11) / 11 for j in range(14)] for i in range(4)],
            caption="Fourteen tokens",
            rows=WORDS[:4],
            columns=[f"token{j}" for j in range(14)],
            decimals=2,
            heat=True,
        ),
    }
