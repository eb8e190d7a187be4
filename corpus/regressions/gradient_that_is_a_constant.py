# touchstone: 1
# torch: 2.13.0
# note: create_graph with a gradient that depends on nothing that requires grad
# expect: torch:aot_function Differs/gradient_values
# expect: torch:aot_eager Differs/gradient_values
# expect: torch:aot_eager_decomp_partition Differs/gradient_values
# expect: torch:inductor Differs/gradient_values
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    a = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    return (a,), ()


def program(x):
    return (x * 2).sum()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], create_graph=True),
    dict(inputs="inputs", seed=2, backward=[0], create_graph=True),
]
