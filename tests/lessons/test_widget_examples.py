"""Every widget can be inserted from the author's menu, filled in with something that works."""

import pytest

from lessons import widgets
from lessons.rendering import render_markdown


@pytest.mark.parametrize("name", widgets.names())
def test_the_example_of_a_widget_renders(name):
    example = widgets.example(name)
    assert example.startswith(f"```{name}\n")
    assert render_markdown(f"Before.\n\n{example}\n\nAfter.")


@pytest.mark.parametrize("name", widgets.names())
def test_a_widget_says_in_a_line_what_it_shows(name):
    assert widgets.widget(name).about
