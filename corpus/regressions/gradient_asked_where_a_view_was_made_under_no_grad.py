# touchstone: 1
# torch: 2.13.0
# note: an argument that is a view made under no_grad of what requires grad leads autograd nowhere.
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager BackendRejected/forward
# expect: torch:aot_eager_decomp_partition BackendRejected/forward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((1,), torch.complex64, (seed, 1), kind).requires_grad_()
    return (b0,), ()


def program(x2):
    with torch.no_grad():
        y0 = torch.view_as_real(x2)
    y3 = torch.sum(y0, (0, 1), keepdim=True)
    (z,) = torch.autograd.grad(y3 * y3, [y3])
    return y0, z


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
