# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: what is differentiated together has one node in autograd's graph: of one of its results, on which another is built, hooks and torch.autograd.grad see only what does not flow through the other; where all does, the gradient raises.
# note: in plain Python: script `y = x * 2; return y, y.sin()`; from the second run on `y, z = f(x)` and `torch.autograd.grad(z.sum(), [y])` raises "appears to not have been used in the graph"; `torch.autograd.grad((y * 3).sum() + z.sum(), [y])` is 3, eager 3 + y.cos().
# note: AOT autograd's compiled function is one node, too, and Dynamo breaks in front of torch.autograd.grad: torch:aot_eager raises the same.
# expect: torch:aot_eager BackendRejected/forward
# expect: torch:aot_eager_decomp_partition BackendRejected/forward
# expect: torch:aot_function Unsupported
# expect: ts BackendRejected/forward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    return (b1,), ()


def program(x1):
    y1 = x1 * 2
    y2 = y1.sin()
    y3 = torch.autograd.grad(y2.sum(), [y1])
    return y3


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
