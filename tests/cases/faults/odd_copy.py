# touchstone: 1
# torch: 2.13.0
# expect: fault:odd_copy_written_behind OutOfBounds
# expect: fault:tail_of_product_unwritten ReadsUninitialized
import torch


def inputs(seed, kind):
    x = data((37,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.clone() * 2, x.half()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
