# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: the schema of broadcast_tensors does not say that its results are views, so equal operands become one, and the results share memory.
# note: in plain Python: script `a = x * x; b = x * x; r = torch.broadcast_tensors(a.t(), b); return r[0], r[1]` of a 2 by 2 tensor: `f(x)[0].data_ptr() == f(x)[1].data_ptr()`.
# expect: ts Differs/partition/call 0 output 1
# expect: simple_ts_compile Differs/partition/call 0 output 1
# expect: ts_compile Differs/partition/call 0 output 1
import torch


def inputs(seed, kind):
    w1 = data((3,), torch.float32, (seed, 1), kind)
    x1 = torch.as_strided(w1, (1, 2), (1, 2), 0)
    return (x1,), ()


def program(x1):
    y7 = torch.addcmul(x1, x1, x1)
    y8 = torch.addcmul(x1, x1, x1)
    y10 = y8.transpose(1, 0)
    y11, y12 = torch.broadcast_tensors(y10, y7)
    return y11, y12


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
