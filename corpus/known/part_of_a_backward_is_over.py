# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: what is differentiated together has one node in autograd's graph, and a backward of a part of it frees what all of it saved.
# note: in plain Python: script `y = x.sigmoid(); z = w.tanh() * w; return y, (y * 2 + z).sum()`; from the second run on `torch.autograd.grad(s, [w])`, then `y.sum().backward()` raises.
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
    b0 = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    b1 = data((2,), torch.float32, (seed, 2), kind).requires_grad_()
    return (b0, b1), ()


def program(x0, x1):
    y0 = x0.sigmoid()
    z = x1.tanh() * x1
    torch.autograd.grad((y0 * 2 + z).sum(), [x1])
    return y0


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
