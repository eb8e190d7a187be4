# touchstone: 1
# torch: 2.13.0
# note: the formula asks how many elements are zero; traced, it takes the general way. The gradient is NaN where eager has 0.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Differs/gradient_values
# expect: torch:aot_eager Differs/gradient_values
# expect: torch:aot_eager_decomp_partition Differs/gradient_values
import torch


def inputs(seed, kind):
    x = torch.tensor([0.0, 0.0, float("inf")]).requires_grad_()
    return (x,), ()


def program(x):
    return x.prod()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
]
