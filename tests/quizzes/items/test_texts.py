"""Authors' texts on the pages of quizzes: they may show images, and most show none."""

import pytest

from lessons.models import LessonImage
from quizzes.items.presenters import texts


@pytest.mark.parametrize("render", [texts.render_block, texts.render_line])
def test_a_question_may_show_an_image(db, render):
    cat = LessonImage.objects.create(
        name="cat", alt="A cat", format="png", width=6, height=4, digest="0a" * 32
    )
    assert f'src="{cat.get_absolute_url()}"' in render("Whom does ![our cat](image:cat) watch?")


@pytest.mark.parametrize("render", [texts.render_block, texts.render_line, texts.strip_markup])
def test_a_text_without_images_asks_the_database_nothing(db, render, django_assert_num_queries):
    with django_assert_num_queries(0):
        render("Why is $d_k$ under a root?")
