# touchstone: 1
# torch: 2.13.0
# note: a gradient inside the Program frees what its own nodes saved, and not what the result's node did.
# expect: ts BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager_default_partitioner BackendRejected/backward
# expect: torch:aot_eager BackendRejected/backward
# expect: torch:aot_eager_decomp_partition BackendRejected/backward
# expect: torch:inductor BackendRejected/backward
import torch


def inputs(seed, kind):
    b0 = data((2,), torch.float32, (seed, 1), kind)
    b1 = torch.ones((2, 2)).requires_grad_()
    m = torch.nn.Module()
    m.weight = torch.nn.Parameter(torch.ones((2,)))
    m.bn = torch.nn.BatchNorm1d(2, momentum=None)
    return (b0, b1, m), ()


def program(x0, x1, m):
    y1 = m.bn(x1)
    y3 = x0 @ m.weight
    torch.autograd.grad(y3 + torch.nn.functional.cross_entropy(y1, y1), [x1])
    return y3


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
