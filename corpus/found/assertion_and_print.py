# touchstone: 1
# torch: 2.13.0
# note: an assertion and a print in one graph
# expect: torch:inductor BackendRejected/forward
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    torch._assert_async((x < 100).all(), "x is large")
    torch.ops.aten._print("hello")
    return x + 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
