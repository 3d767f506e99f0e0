"""Train the machine in PyTorch. The site needs neither this nor PyTorch: it has the numbers.

    python3.11 -m venv /tmp/torch && /tmp/torch/bin/pip install torch==2.13.0 numpy
    .venv/bin/python -m training.texts /tmp/texts.npz
    nice /tmp/torch/bin/python training/train.py as_built /tmp/texts.npz

and so on for each of RUNS. By hand, and seldom: docs/machine.md has the recipe and the results.
A run writes its record; the first also writes the learnt numbers, and PyTorch's logits from them,
with which a test compares the core.
"""

import argparse
import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, layer_norm, relu

ROOT = Path(__file__).parents[1]
LEARNT = ROOT / "attention_core" / "machine" / "learnt"
LOGITS = ROOT / "tests" / "attention_core" / "machine" / "logits.npz"
NOTHING = -1
SEED = 1
# The weights are stored as float16; the core computes with them in float64.
KEPT_AS = np.float16


@dataclass(frozen=True)
class Run:
    """The settings of a training run. Each of the booleans is left out by one of the runs."""

    scaled: bool = True
    causal: bool = True
    positions: bool = True
    layers: int = 3
    heads: int = 4
    width: int = 64
    inner: int = 128
    steps: int = 10_000
    batch: int = 64
    rate: float = 3e-3
    warm: int = 200
    decay: float = 0.5
    # The weight in the loss of words that are rare and hard: who has what, sums.
    counted: float = 10.0
    # Until this step texts leave out small words: all at first, then fewer and fewer.
    short_until: int = 4000


RUNS = {
    "as_built": Run(),
    "without_the_scale": Run(scaled=False),
    "without_the_mask": Run(causal=False),
    "without_positions": Run(positions=False),
}
# The steps at which maps are recorded; the loss is at these, and every so many steps.
MAP_STEPS = (0, 50, 100, 200, 400, 700, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 10_000)
LOSS_EVERY = 100
# How many texts, and how many held-out sentences, measure the loss during training.
MEASURED_TEXTS = 300


def sinusoidal(longest: int, width: int) -> Tensor:
    """Return sines and cosines in turn, (longest, width), as in the paper."""
    rates = 10_000 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.arange(longest, dtype=torch.float64)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


class Machine(nn.Module):
    """The machine in PyTorch: causal pre-norm blocks, with tied embeddings.

    Vectors are rows: x W, as in the core.
    """

    def __init__(self, run: Run, vocabulary: int, longest: int) -> None:
        super().__init__()
        self.run = run
        self.positions = sinusoidal(longest, run.width)
        d, inner = run.width, run.inner

        def matrix(rows: int, columns: int, deviation: float) -> nn.Parameter:
            return nn.Parameter(torch.randn(rows, columns) * deviation)

        self.numbers = nn.ParameterDict(
            {
                "embedding": matrix(vocabulary, d, d**-0.5),
                "norm_gain": nn.Parameter(torch.ones(d)),
                "norm_shift": nn.Parameter(torch.zeros(d)),
            }
        )
        for n in range(run.layers):
            of_layer = {
                **{f"W_{symbol}": matrix(d, d, d**-0.5) for symbol in "QKVO"},
                "W_1": matrix(d, inner, d**-0.5),
                "b_1": nn.Parameter(torch.zeros(inner)),
                "W_2": matrix(inner, d, inner**-0.5),
                "b_2": nn.Parameter(torch.zeros(d)),
                "first_gain": nn.Parameter(torch.ones(d)),
                "first_shift": nn.Parameter(torch.zeros(d)),
                "second_gain": nn.Parameter(torch.ones(d)),
                "second_shift": nn.Parameter(torch.zeros(d)),
            }
            for name, value in of_layer.items():
                self.numbers[f"layer_{n}_{name}"] = value

    def forward(self, tokens: Tensor, padding: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Return (B, T, V) logits, and (B, h, T, T) weights of each layer, for (B, T) words."""
        run, numbers = self.run, self.numbers
        T = tokens.shape[1]
        x = numbers["embedding"][tokens] * run.width**0.5
        if run.positions:
            x = x + self.positions[:T].to(x.dtype)
        hidden = padding[:, None, None, :].expand(-1, 1, T, -1)
        if run.causal:
            hidden = torch.ones(T, T, dtype=torch.bool).triu(1)
        scale = (run.width / run.heads) ** -0.5 if run.scaled else 1.0
        kept = []
        for n in range(run.layers):
            own = {key: numbers[f"layer_{n}_{key}"] for key in _OF_LAYER}
            normed = layer_norm(x, x.shape[-1:], own["first_gain"], own["first_shift"])
            Q, K, V = (self._heads(normed @ own[f"W_{symbol}"]) for symbol in "QKV")
            scores = (Q @ K.transpose(-1, -2) * scale).masked_fill(hidden, -math.inf)
            weights = scores.softmax(-1)
            kept.append(weights)
            x = x + (weights @ V).transpose(1, 2).flatten(2) @ own["W_O"]
            normed = layer_norm(x, x.shape[-1:], own["second_gain"], own["second_shift"])
            x = x + relu(normed @ own["W_1"] + own["b_1"]) @ own["W_2"] + own["b_2"]
        x = layer_norm(x, x.shape[-1:], numbers["norm_gain"], numbers["norm_shift"])
        return x @ numbers["embedding"].T, kept

    def _heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.run.heads, -1)).transpose(1, 2)


_OF_LAYER = (
    *("W_Q", "W_K", "W_V", "W_O", "W_1", "b_1", "W_2", "b_2"),
    *("first_gain", "first_shift", "second_gain", "second_shift"),
)


def losses_of(model: Machine, rows: Tensor) -> Tensor:
    """Return the losses of the next word at every place: (B, T - 1)."""
    given, wanted = rows[:, :-1], rows[:, 1:]
    logits, _ = model(given.clamp(min=0), given == NOTHING)
    flat = cross_entropy(
        logits.flatten(0, 1), wanted.flatten(), ignore_index=NOTHING, reduction="none"
    )
    return flat.view(wanted.shape)


@torch.no_grad()
def loss_of(model: Machine, rows: Tensor) -> float:
    """Return the mean loss, as in training: without the mask, the answers are in sight."""
    return float(losses_of(model, rows).sum() / (rows[:, 1:] != NOTHING).sum())


def shorten_texts(
    rows: Tensor, counted: Tensor, small: Tensor, *, share: float
) -> tuple[Tensor, Tensor]:
    """Return the texts, and which words count more, with small words left out.

    Names and their things then stand side by side, as in repetitions. That is soon learnt, and
    carries over while the small words come back. With all of them from the start it was still a
    guess after 4,500 steps.

    Args:
        share: each text leaves out its own share of them, drawn between this less 1 and this: from
            2, which is all of them, down to 0, which is none.
    """
    leaves = (torch.rand(len(rows), 1) + share - 1).clamp(0, 1)
    left_out = small & (torch.rand(rows.shape) < leaves)
    rows = rows.masked_fill(left_out, NOTHING)
    order = (rows == NOTHING).to(torch.uint8).argsort(dim=1, stable=True)
    return rows.gather(1, order), counted.gather(1, order)


@torch.no_grad()
def measure_held_out(model: Machine, rows: Tensor, whose: Tensor) -> tuple[float, float]:
    """Return the loss on held-out sentences, and the share of `whose` words predicted first.

    The words ahead are really missing. With a causal mask all words are predicted at once; without
    one each beginning is read by itself.
    """
    given, wanted, asked = rows[:, :-1], rows[:, 1:], whose[:, 1:]
    if model.run.causal:
        logits, _ = model(given.clamp(min=0), given == NOTHING)
    else:
        logits = torch.zeros(*given.shape, len(model.numbers["embedding"]))
        for T in range(1, rows.shape[1]):
            there = rows[:, T] != NOTHING
            if there.any():
                beginning = given[there, :T]
                logits[there, T - 1] = model(beginning, beginning == NOTHING)[0][:, -1]
    loss = cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=NOTHING)
    first = (logits.argmax(-1) == wanted)[asked]
    return float(loss), float(first.float().mean())


@torch.no_grad()
def maps(model: Machine, shown: Tensor) -> np.ndarray:
    """Return the weights in ten-thousandths: (texts, layers, heads, T, T)."""
    _, weights = model(shown.clamp(min=0), shown == NOTHING)
    found = torch.stack(weights, 1).numpy()
    nothing = (shown == NOTHING).numpy()
    found[np.broadcast_to(nothing[:, None, None, :, None], found.shape)] = 0
    return np.rint(np.nan_to_num(found) * 10_000).astype(np.uint16)


def train(run: Run, texts: dict[str, Tensor], vocabulary: int) -> tuple[Machine, dict]:
    torch.manual_seed(SEED)
    model = Machine(run, vocabulary, texts["training"].shape[1])
    matrices = [value for value in model.parameters() if value.ndim > 1]
    others = [value for value in model.parameters() if value.ndim < 2]
    optimiser = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": run.decay}, {"params": others, "weight_decay": 0}],
        lr=run.rate,
        betas=(0.9, 0.98),
        fused=True,
    )
    steps, losses, honest, whose, shown = [], [], [], [], []
    held_out = [texts[name][:MEASURED_TEXTS] for name in ("held_out", "held_out_whose")]
    began = time.time()
    asked = texts["training"][:MEASURED_TEXTS]
    order = torch.randperm(len(texts["training"]))
    for step in range(run.steps + 1):
        if step in MAP_STEPS:
            shown.append(maps(model, texts["shown"]))
        start = step * run.batch % (len(order) - run.batch)
        batch = order[start : start + run.batch]
        rows, counted = shorten_texts(
            *(texts[name][batch] for name in ("training", "training_counted", "training_small")),
            share=2 - 2 * step / run.short_until,
        )
        counts = (rows[:, 1:] != NOTHING) * (1 + (run.counted - 1) * counted[:, 1:])
        loss = (losses_of(model, rows) * counts).sum() / counts.sum()
        if step % LOSS_EVERY == 0 or step in MAP_STEPS:
            steps.append(step)
            losses.append(loss_of(model, asked))
            figures = measure_held_out(model, *held_out)
            honest.append(figures[0])
            whose.append(figures[1])
        if step % 500 == 0:
            line = f"{losses[-1]:.3f} {honest[-1]:.3f} {whose[-1]:.1%}"
            print(f"{step}: {line} {time.time() - began:.0f} s", flush=True)
        rate = min(1, (step + 1) / run.warm) * (0.5 + 0.5 * math.cos(math.pi * step / run.steps))
        for group in optimiser.param_groups:
            group["lr"] = run.rate * rate
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    record = {
        "kept": np.array(MAP_STEPS, np.int32),
        "shown": texts["shown"].numpy().astype(np.int16),
        "steps": np.array(steps, np.int32),
        "loss": np.array(losses, np.float32),
        "held_out_loss": np.array(honest, np.float32),
        "whose": np.array(whose, np.float32),
        "maps": np.stack(shown),
    }
    return model, record


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("run", choices=RUNS)
    options.add_argument("texts", type=Path)
    args = options.parse_args()
    torch.set_num_threads(1)
    stored = np.load(args.texts)
    texts = {
        name: torch.from_numpy(rows if rows.dtype == bool else rows.astype(np.int64))
        for name, rows in stored.items()
        if name != "vocabulary"
    }
    model, record = train(RUNS[args.run], texts, len(stored["vocabulary"]))
    np.savez_compressed(LEARNT / f"{args.run}.npz", **record)
    if args.run == "as_built":
        write(model, texts, stored["vocabulary"])


@torch.no_grad()
def write(model: Machine, texts: dict[str, Tensor], vocabulary: np.ndarray) -> None:
    """Write the numbers, rounded once, and PyTorch's logits from the rounded ones in float64."""
    kept = {name: value.numpy().astype(KEPT_AS) for name, value in model.numbers.items()}
    settings = {"heads": np.array(model.run.heads), "vocabulary": vocabulary}
    np.savez_compressed(LEARNT / "weights.npz", **settings, **kept)
    model = model.double()
    for name, value in model.numbers.items():
        value.copy_(torch.from_numpy(kept[name].astype(np.float64)))
    rows = torch.cat([texts["shown"], texts["held_out"][:6]])
    logits, _ = model(rows.clamp(min=0), rows == NOTHING)
    np.savez_compressed(
        LOGITS, rows=rows.numpy().astype(np.int16), logits=logits.numpy().astype(np.float32)
    )
    loss, whose = measure_held_out(model, texts["held_out"], texts["held_out_whose"])
    print(f"held out, with the rounded numbers: {loss:.4f} {whose:.1%}")


if __name__ == "__main__":
    main()
