# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#99455: a tensor created inside with requires_grad
# note: Dynamo leaves the region to eager and agrees; AOTAutograd without Dynamo cannot hand out an output that requires grad on its own
# expect: torch:aot_function Differs/requires_grad/call 0 output 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    w = torch.ones(4, requires_grad=True)
    return x * w


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
