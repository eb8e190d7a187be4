# touchstone: 1
# torch: 2.13.0
# expect: fault:third_compile_takes_first BackendRejected/forward
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_other(seed, kind):
    x = data((5, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_third(seed, kind):
    x = data((6, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.sin(x).reshape(-1) * x.sum()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs_other", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
    dict(inputs="inputs_third", seed=5, backward=[0]),
    dict(inputs="inputs_other", seed=4, backward=[0]),
]
