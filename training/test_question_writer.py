import numpy as np
import pytest
import torch

from data import Paragraph, Question
from model import Shape
from question_decoder import MOST_TOKENS, Decoder, ask, encode, propose
from question_writer import MOST_ANSWER, STYLES, Batch, Writer, batch_of, epoch_batches, losses, word_likelihoods

SHAPE = Shape(vocabulary=150, hidden=24, layers=2, attention_heads=2, inner=32, positions=80)


def paragraph(rng: np.random.Generator, size: int, questions: int) -> Paragraph:
    ids = np.concatenate([[101], rng.integers(110, 150, 2), [102], rng.integers(110, 150, size), [102]])
    none = np.zeros(len(ids), dtype=np.int64)
    made = Paragraph(0, "", "", ids, 4, np.stack([none, none], 1), none)
    for number in range(questions):
        start = 4 + int(rng.integers(size - 3))
        asked = np.concatenate([[101], rng.integers(110, 150, 3 + number), [102]])
        made.questions.append(Question(f"q{number}", "", asked, start, start + int(rng.integers(3)), []))
    return made


@pytest.fixture
def writer() -> Writer:
    torch.manual_seed(3)
    made = Writer(SHAPE)
    for parameter in made.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    return made.eval()


def likelihoods(writer: Writer, batch: Batch) -> list[float]:
    """log p of every token of the questions."""
    hidden, owner = writer(batch), batch.asking // batch.ids.shape[1]
    copies = writer.copy_logits(hidden, hidden).flatten(0, 1)[batch.asking]
    all_words = word_likelihoods(writer, hidden.flatten(0, 1)[batch.asking], copies, batch.ids[owner], batch.copied[owner])
    return all_words.gather(1, batch.wanted[:, None])[:, 0].tolist()


def row_losses(writer: Writer, one: Paragraph, asked: list) -> list[float]:
    return likelihoods(writer, batch_of([one], [asked]))


def test_questions_of_a_passage_do_not_see_each_other(writer):
    one = paragraph(np.random.default_rng(1), 20, 3)
    asked = [(q, n) for n, q in enumerate(one.questions)]
    together = row_losses(writer, one, asked)
    apart = [loss for pair in asked for loss in row_losses(writer, one, [pair])]
    assert together == pytest.approx(apart, abs=1e-4)


def test_a_token_does_not_see_those_after_it(writer):
    one = paragraph(np.random.default_rng(2), 20, 1)
    before = row_losses(writer, one, [(one.questions[0], 0)])
    one.questions[0].ids[3] = 149 if one.questions[0].ids[3] != 149 else 148
    after = row_losses(writer, one, [(one.questions[0], 0)])
    assert before[:2] == pytest.approx(after[:2], abs=1e-5)
    assert abs(before[2] - after[2]) > 1e-3


def test_the_loss_is_that_of_all_words(writer):
    one = paragraph(np.random.default_rng(3), 20, 3)
    batch = batch_of([one], [[(q, n) for n, q in enumerate(one.questions)]])
    batch.wanted[0] = batch.ids[0, 6]  # one that can be copied
    found = likelihoods(writer, batch)
    assert float(losses(writer, batch, False)["question"]) == pytest.approx(-sum(found) / len(found), abs=1e-4)
    whole = writer(batch)
    words = word_likelihoods(writer, whole[0, :3], writer.copy_logits(whole[0, :3], whole[0]), batch.ids[[0, 0, 0]], batch.copied[[0, 0, 0]])
    assert words.exp().sum(1).tolist() == pytest.approx([1, 1, 1], abs=1e-4)


def test_padding_changes_nothing(writer):
    rng = np.random.default_rng(4)
    short, long = paragraph(rng, 12, 2), paragraph(rng, 30, 2)
    asked = [[(q, 1) for q in p.questions] for p in (short, long)]
    alone = row_losses(writer, short, asked[0])
    both = likelihoods(writer, batch_of([short, long], asked))
    assert both[: len(alone)] == pytest.approx(alone, abs=1e-4)


def test_the_decoder_computes_what_training_does(writer):
    """Two questions about each of two passages; after two words, one question of the first and both of the second are left."""
    rng = np.random.default_rng(5)
    paragraphs = [paragraph(rng, size, 2) for size in (18, 9)]
    for one in paragraphs:
        one.questions[1].ids = np.concatenate([[101], rng.integers(110, 150, 3), [102]])
    asked = [(p, q) for p in paragraphs for q in p.questions]
    expected = [row_losses(writer, p, [(q, 2)]) for p, q in asked]
    with torch.no_grad():
        copied = [np.arange(q.start, q.end + 1) for _, q in asked]
        decoder = Decoder(writer, encode(writer, paragraphs), 2, 30)
        hidden = decoder.begin([p.ids[c] for (p, _), c in zip(asked, copied)], copied, torch.full((4,), 2))
        found = [[] for _ in asked]
        rows = [0, 1, 2, 3]
        for place in range(1, 5):
            if place == 3:
                decoder.keep(torch.tensor([1, 0]), torch.tensor([2, 3, 1, 1]), 2)
                hidden, rows = hidden[[2, 3, 1, 1]], [2, 3, 1]
            tokens = [int(asked[number][1].ids[place]) for number in rows]
            likelihoods = decoder.likelihoods(hidden)
            for row, (number, token) in enumerate(zip(rows, tokens)):
                found[number].append(float(likelihoods[row, token]))
            hidden = decoder.next(torch.tensor((tokens + tokens[-1:])[:4]), place)
    assert found[0] == pytest.approx(expected[0][:2], abs=1e-4)
    assert [x for row in found[1:] for x in row] == pytest.approx([x for row in expected[1:] for x in row], abs=1e-4)


def test_asks_what_reading_everything_again_for_every_word_does(writer):
    rng = np.random.default_rng(9)
    paragraphs = [paragraph(rng, size, 6) for size in (22, 12, 15)]
    with torch.no_grad():
        writer.word_bias[102] += 4  # so that questions end, at different lengths
    answers = [[(q.start, q.end, n % 3) for n, q in enumerate(p.questions[:count])] for p, count in zip(paragraphs, (6, 1, 4))]
    expected = []
    for one, spans in zip(paragraphs, answers):
        for start, end, style in spans:
            ids: list[int] = []
            while len(ids) <= MOST_TOKENS:
                batch = batch_of([one], [[(Question("", "", np.array([101, *ids, 102]), start, end, []), style)]])
                with torch.no_grad():
                    hidden = writer(batch)
                    row = hidden[0, batch.asking[-1:]]
                    likelihoods = word_likelihoods(writer, row, writer.copy_logits(row, hidden[0]), batch.ids, batch.copied)
                likelihoods[:, 0] = -1e9
                token = int(likelihoods.argmax())
                if token == 102:
                    break
                ids.append(token)
            if ids and len(ids) < MOST_TOKENS:
                expected.append((start, end, style, tuple(ids)))
    with torch.no_grad():
        asked = ask(writer, encode(writer, paragraphs), paragraphs, answers, temperature=0, mass=1, generator=torch.Generator())
    assert sorted((q.start, q.end, q.style, q.ids) for some in asked for q in some) == sorted(expected)
    assert len({len(ids) for *_, ids in expected}) > 2  # rows were dropped at different times


def test_answers_are_in_the_passage_and_differ(writer):
    rng = np.random.default_rng(6)
    paragraphs = [paragraph(rng, size, 0) for size in (25, 8)]
    wanted = np.zeros((2, len(STYLES)), dtype=int)
    wanted[:, 0], wanted[:, 3] = 4, 2
    passages = encode(writer, paragraphs)
    with torch.no_grad():
        answers = propose(writer, passages, wanted, 0.7, torch.Generator().manual_seed(1))
        asked = ask(writer, passages, paragraphs, answers, temperature=0.8, mass=0.9, generator=torch.Generator().manual_seed(1))
    for one, spans, questions in zip(paragraphs, answers, asked):
        assert [sum(style == wanted_style for _, _, style in spans) for wanted_style in (0, 3)] == [4, 2]
        assert len({(start, end) for start, end, _ in spans}) == 6
        assert all(one.first <= start <= end < len(one.ids) - 1 and end - start < MOST_ANSWER for start, end, _ in spans)
        assert {(q.start, q.end, q.style) for q in questions} <= set(spans)


def test_learns_to_ask(writer):
    one = paragraph(np.random.default_rng(7), 20, 3)
    batch = batch_of([one], [[(q, 0) for q in one.questions]])
    optimiser = torch.optim.Adam(writer.parameters(), lr=3e-3)
    before = {name: float(loss) for name, loss in losses(writer, batch, False).items()}
    for _ in range(60):
        optimiser.zero_grad()
        sum(losses(writer, batch, False).values()).backward()
        optimiser.step()
    after = losses(writer, batch, False)
    assert float(after["question"]) < 0.2 * before["question"] and float(after["end"]) < before["end"]


def test_an_epoch_has_every_paragraph_once():
    rng = np.random.default_rng(8)
    styled = [(paragraph(rng, int(rng.integers(6, 40)), 12), "squad") for _ in range(30)]
    batches = epoch_batches(styled, {}, {"most_questions": 8, "batch_tokens": 900}, 1)
    assert sorted(id(p) for batch in batches for p, _ in batch) == sorted(id(p) for p, _ in styled)
    assert all(len(asked) == 8 for batch in batches for _, asked in batch)
