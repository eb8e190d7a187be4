# touchstone: 1
# torch: 2.13.0
# note: a hook on what leads to nothing that is wanted: autograd asks it all the same, where there is no gradient with None.
# expect: torch:eager BackendAccepts
# expect: torch:aot_eager BackendAccepts
# expect: torch:aot_eager_decomp_partition BackendAccepts
# expect: torch:aot_function Unsupported
# expect: torch:inductor BackendAccepts
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    w4 = data((30,), torch.float32, (seed, 1), kind).requires_grad_()
    x4 = torch.as_strided(w4, (3, 1, 1, 3, 1), (1, 1, 1, 1, 1), 1)
    return (x4,), (w0, w4)


def negate_gradient(g):
    return -g


def program(x4):
    y5, y6, y7 = x4 * 2
    y6.register_hook(negate_gradient)
    return y5, y6 + 1


CALLS = [
    dict(inputs="inputs", seed=2, backward=[1], wrt=[0]),
    dict(inputs="inputs", seed=3, backward=[0, 1]),
    dict(inputs="inputs", backward=[0], wrt=[0]),
    dict(inputs="inputs", seed=1, backward=[0], wrt=[0]),
]
