"""Records of training, compared with the machine that resulted."""

from pathlib import Path

import numpy as np
import pytest

from attention_core.machine.model import machine
from attention_core.machine.replays import AS_BUILT, RUNS, replay


@pytest.mark.parametrize("run", RUNS)
def test_each_run_is_recorded_from_before_the_first_step(run):
    record = replay(run)
    assert record.steps[0] == record.kept[0] == 0
    assert record.steps[-1] == record.kept[-1]
    assert (np.diff(record.steps) > 0).all()
    assert (np.diff(record.kept) > 0).all()
    assert len(record.loss) == len(record.held_out_loss) == len(record.steps)
    assert len(record.whose) == len(record.steps)
    assert set(record.kept) <= set(record.steps)
    assert record.loss[-1] < record.loss[0] / 2


@pytest.mark.parametrize("run", RUNS)
def test_each_map_is_one_of_weights(run):
    record = replay(run)
    assert len(record.maps) == len(record.sentences) > 1
    for sentence, maps in zip(record.sentences, record.maps, strict=True):
        T = len(sentence)
        layers, heads = len(machine().layers), machine().heads
        assert maps.shape == (len(record.kept), layers, heads, T, T)
        assert np.abs(maps.sum(axis=-1) - 1).max() < 0.002
        assert (maps >= 0).all()


def test_all_runs_were_shown_the_same_sentences_at_the_same_steps():
    whole = replay(AS_BUILT)
    for run in RUNS:
        record = replay(run)
        assert record.sentences == whole.sentences
        assert list(record.kept) == list(whole.kept)
        assert list(record.steps) == list(whole.steps)


def test_the_last_maps_are_those_of_the_machine_that_ships():
    record = replay(AS_BUILT)
    for sentence, maps in zip(record.sentences, record.maps, strict=True):
        # The machine's numbers were rounded to float16 afterwards.
        assert np.abs(machine().read(sentence).weights - maps[-1]).max() < 0.02


def test_who_has_what_is_learnt_between_the_steps_that_are_told():
    record = replay(AS_BUILT)
    assert record.whose[record.asked_at(1000)] < 0.6
    assert record.whose[record.asked_at(3000) :].min() > 0.98
    assert replay("without_the_mask").whose[-1] == 0


@pytest.mark.parametrize("run", RUNS)
def test_the_documents_say_how_each_run_ended(run):
    document = (Path(__file__).parents[3] / "docs" / "machine.md").read_text()
    record = replay(run)
    row = f"{record.loss[-1]:.3f} | {record.held_out_loss[-1]:.3f} | {record.whose[-1]:.1%}"
    assert f"| {run.replace('_', ' ')} | {row} |" in document


def test_only_without_the_mask_do_heads_look_ahead():
    for run in RUNS:
        ahead = max(np.triu(maps, 1).max() for maps in replay(run).maps)
        assert (ahead > 0) == (run == "without_the_mask")


def test_without_the_mask_it_learns_to_copy_and_cannot_write():
    cheating, honest = replay("without_the_mask"), replay(AS_BUILT)
    last = len(cheating.steps) - 1
    assert cheating.loss[last] < honest.loss[last] / 5
    assert cheating.held_out_loss[last] > 2 * honest.held_out_loss[last]
