# touchstone: 1
# expect: torch:fault:dropout_is_training Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((16,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.nn.functional.dropout(x, 0.5, training=False) * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
