# touchstone: 1
# expect: torch:fault:keys_are_not_guarded Differs
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    y = data((3,), torch.float32, (seed, 1), kind)
    d = {"a": x, "b": y}
    return (d,), ()


def inputs_2(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    y = data((3,), torch.float32, (seed, 1), kind)
    d = {"b": x, "a": y}
    return (d,), ()


def program(d):
    return d["a"] * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
