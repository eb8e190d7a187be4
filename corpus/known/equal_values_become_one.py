# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: three equal values, of which two are returned and one is not, become one tensor: two results share memory.
# note: in plain Python: `f = torch.jit.script(...)` of `a = x.clone(); b = x.clone(); c = x.clone(); return c, torch.stack([a, a]), b`: `r = f(x); r[0].data_ptr() == r[2].data_ptr()`.
# expect: ts Differs/partition/call 0 output 2
# expect: simple_ts_compile Differs/partition/call 0 output 2
# expect: ts_compile Differs/partition/call 0 output 2
import torch


def inputs(seed, kind):
    b1 = data((1, 1), torch.int32, (seed, 1), kind)
    return (b1,), ()


def program(x1):
    if 0:
        pass
    else:
        y8 = x1.clone()
        y9 = x1.clone()
        y11 = x1.clone()
    y14 = torch.stack([y8, y8])
    return y11, y14, y9


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
