# touchstone: 1
# torch: 2.13.0
# note: a storage of no bytes that resize_ gives some stays the storage of all who share it
# expect: torch:aot_function BackendRejected/forward
import torch


def inputs(seed, kind):
    b = data((4,), torch.float32, (seed, 0), kind)
    return (b[0:0],), (b,)


def inputs_1(seed, kind):
    b = data((0,), torch.float32, (seed, 0), kind)
    return (b.view((0,)),), (b,)


def program(x):
    x.resize_((2,))
    x.fill_(3)
    return (x + 1,)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_1", seed=2),
    dict(inputs="inputs", seed=3),
]
