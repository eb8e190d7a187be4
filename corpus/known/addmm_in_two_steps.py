# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: addmm becomes a product and a sum, whose result has the strides of the addend, and where all is -0 the value 0.
# note: in plain Python: script `return torch.addmm(x.t(), x, x.t())`: `f(torch.ones(2, 2)).stride()` is (1, 2), eager's (2, 1). Script `return torch.addmm(x, x, x + 1)`: with x = -0.0 of sizes 1, 1 it is 0, eager -0.
# expect: ts Differs/strides/call 0 output 0
# expect: simple_ts_compile Differs/strides/call 0 output 0
# expect: ts_compile Differs/strides/call 0 output 0
import torch


def inputs(seed, kind):
    b0 = data((2, 2), torch.float32, (seed, 1), kind)
    return (b0,), ()


def program(x0):
    y5 = x0.permute((1, 0))
    y10 = torch.addmm(y5, y5, y5)
    return y10


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
