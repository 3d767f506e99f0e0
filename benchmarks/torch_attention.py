"""PyTorch's attention, timed on demand, for comparison by `benchmarks.core`.

It runs in an interpreter with torch and numpy, which needs none of the site's packages. A case
comes as a line of JSON, its figures go back as one.
"""

import ctypes
import json
import re
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention


def main() -> None:
    torch.set_num_threads(1)
    print(json.dumps({"version": torch.__version__}), flush=True)
    for line in sys.stdin:
        print(json.dumps(measure(**json.loads(line))), flush=True)


def measure(shape: list[int], dtype: str, causal: bool) -> dict[str, object]:
    rng = np.random.default_rng(0)
    given = [torch.from_numpy(rng.normal(size=shape).astype(dtype)) for _ in range(3)]
    times = []
    for _ in range(10 if shape[2] < 1000 else 1):  # as ours
        start = time.process_time()
        output = scaled_dot_product_attention(*given, is_causal=causal)
        times.append(time.process_time() - start)
    seconds = min(times)
    sample = output[0, :, 0].tolist()
    del output
    return {"seconds": seconds, "extra": extra_memory(given, causal), "sample": sample}


def extra_memory(given: list[torch.Tensor], causal: bool) -> int | None:
    """Return the peak of memory beside input and output, as Linux sees it; None elsewhere."""
    if sys.platform != "linux":
        return None
    ctypes.CDLL(None).malloc_trim(0)  # else what was freed before would be used unseen
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak
    before = resident("VmRSS")
    output = scaled_dot_product_attention(*given, is_causal=causal)
    return max(0, resident("VmHWM") - before - output.nbytes)


def resident(field: str) -> int:
    status = Path("/proc/self/status").read_text()
    return int(re.search(rf"{field}:\s+(\d+) kB", status)[1]) * 1024


if __name__ == "__main__":
    main()
