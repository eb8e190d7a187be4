# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: what is differentiated together has one node in autograd's graph: a hook on a value on which the root does not depend is called, with None.
# note: in plain Python: script `y = torch.frac(x); z = torch.nn.functional.leaky_relu(y, 0.125); return y, z`; `y, z = f(x); z.register_hook(print); y.sum().backward()` from the second run on prints None, eager nothing.
# expect: torch:aot_function Unsupported
# expect: ts BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((1,), torch.float32, (seed, 1), kind).requires_grad_()
    return (w1,), ()


def negate_gradient(g):
    return -g


def program(x2):
    y2 = torch.frac(x2)
    y3 = torch.nn.functional.leaky_relu(y2, 0.125)
    y3.register_hook(negate_gradient)
    return y2


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
