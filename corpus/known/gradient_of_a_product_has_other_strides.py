# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formulas for gradients of products lay them out in another way than eager.
# note: in plain Python: script `return x.t() @ x`, `torch.autograd.grad(f(x).sum(), [x])[0].stride()` from the second run on with x of sizes 2, 2: (1, 2), eager (2, 1).
# expect: torch:aot_function Unsupported
# expect: ts Differs/strides/call 1 output 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (b1,), ()


def program(x1):
    y2 = x1.t() @ x1
    y21 = torch.autograd.grad(y2.sum(), [x1], retain_graph=True)
    return y21


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
