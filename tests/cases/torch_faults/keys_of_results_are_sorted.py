# touchstone: 1
# expect: torch:fault:keys_of_results_are_sorted Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return {"b": x + 1, "a": x + 2}


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
