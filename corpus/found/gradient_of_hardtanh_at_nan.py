# touchstone: 1
# torch: 2.13.0
# note: a decomposition asks the opposite of what the vectorized kernel asks, so NaN takes the other branch.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_eager_decomp_partition Differs/gradient_values
import torch


def inputs(seed, kind):
    x = torch.full((32,), float("nan")).requires_grad_()
    return (x,), ()


def program(x):
    return torch.nn.functional.hardtanh(x)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
]
