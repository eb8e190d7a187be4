# touchstone: 1
# torch: 2.13.0
# note: the program itself writes, behind a graph break, to what eager has saved as an _unsafe_view, which does not share its version.
# expect: aot_joint Limit/A16
# expect: aot_functional Differs/gradient_values
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager BackendRejected/backward
# expect: torch:aot_eager_decomp_partition BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    return (w1,), ()


def program(x1):
    y4 = torch.kron(x1, x1)
    with torch.no_grad():
        if x1:
            x1.neg_()
    return y4


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
    dict(inputs="inputs", seed=4, backward=[0]),
]
