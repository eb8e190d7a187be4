# touchstone: 1
# torch: 2.13.0
# note: a region of the program in inference mode
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    with torch.inference_mode():
        y = x.mul(2)
    return x.add(1), y.clone()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
