# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: a transposition of a transposition becomes the operand: the result is the argument itself, no view of it.
# note: in plain Python: script `return x.t().t()`: `f(x) is x`.
# expect: ts Differs/identity/call 0 output 0
# expect: simple_ts_compile Differs/identity/call 0 output 0
# expect: ts_compile Differs/identity/call 0 output 0
import torch


def inputs(seed, kind):
    b0 = data((1,), torch.float32, (seed, 1), kind)
    return (b0,), ()


def program(x0):
    y9 = torch.t(x0)
    y10 = y9.t()
    return y10


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
