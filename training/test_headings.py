import numpy as np

from data import Question, build_paragraph, question_ids, title_prefix, without_heading
from text_base import load_tokenizer


def test_a_heading_is_taken_out_and_answers_move_with_the_passage():
    tokenizer = load_tokenizer(None)
    text = "The rent is due on the first. The deposit is two months' rent."
    with_heading = build_paragraph(tokenizer, 0, "Lease", text, 256, "Payments and deposit")
    plain = build_paragraph(tokenizer, 0, "Lease", text, 256)
    at = plain.first + 4
    shift = with_heading.first - plain.first
    assert shift > 0
    with_heading.questions.append(Question("q", "When?", question_ids(tokenizer, "When?"), at + shift, at + shift + 1, ["on the"]))
    bare = without_heading(with_heading, tokenizer)
    assert bare.first == plain.first == len(title_prefix(tokenizer, "Lease"))
    for name in ("ids", "offsets", "sentence"):
        assert np.array_equal(getattr(bare, name), getattr(plain, name))
    assert (bare.questions[0].start, bare.questions[0].end) == (at, at + 1)
    assert with_heading.questions[0].start == at + shift  # the cached paragraph is not changed


def test_a_paragraph_without_a_heading_stays_as_it_is():
    tokenizer = load_tokenizer(None)
    paragraph = build_paragraph(tokenizer, 0, "", "A short text.", 256)
    assert without_heading(paragraph, tokenizer) is paragraph
