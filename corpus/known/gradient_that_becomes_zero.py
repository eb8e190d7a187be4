# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: what is differentiated together has one node in autograd's graph: a leaf on which the root does not depend gets zeros, where eager leaves its gradient None.
# note: in plain Python: script `z = torch.addmm(y, y, y); return x / z, z`, `f(x, y)[1].sum().backward()` from the second run on: x.grad is 0, eager's None.
# expect: torch:aot_eager NoneBecameZero
# expect: torch:aot_eager_decomp_partition NoneBecameZero
# expect: torch:aot_function Unsupported
# expect: ts Differs/gradient_presence/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((1,), torch.bfloat16, (seed, 1), kind).requires_grad_()
    m = torch.nn.Module()
    m.weight = torch.nn.Parameter(data((1, 1), torch.float32, (seed, 1), kind))
    return (w0, m), ()


def program(x0, m):
    p0 = m.weight
    y1 = torch.addmm(p0, p0, p0, beta=1, alpha=1)
    y3 = x0 / y1
    return y3, y1


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[1]),
    dict(inputs="inputs", seed=2, backward=[1]),
]
