# touchstone: 1
# torch: 2.13.0
# note: freezing leaves `detach` out: the result is the very argument.
# note: in plain Python: freeze the script of a module whose forward returns `x.detach()`: `m(x) is x`.
# expect: simple_ts_compile Differs/identity/call 0 output 0
# expect: ts_compile Differs/identity/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.detach()


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
