# touchstone: 1
# torch: 2.13.0
# note: the function of a checkpoint updates running statistics, which no version counts: a backward reads them updated.
# expect: ts Differs/values
# expect: simple_ts_compile Differs/values
# expect: ts_compile Differs/values
# expect: aot_ts Differs/values
# expect: nnc_jit Differs/values
# expect: memory_efficient_fusion Differs/values
# expect: torch:aot_function Differs/gradient_values
# expect: torch:aot_eager_default_partitioner Differs/gradient_values
# expect: torch:aot_eager Differs/gradient_values
# expect: torch:aot_eager_decomp_partition Differs/gradient_values
# expect: torch:inductor Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((2, 1), torch.float32, (seed, 1), kind).requires_grad_()
    return (x,), ()


def helper_0(x, m, v):
    y = torch.nn.functional.batch_norm(x, m, v)
    return torch.nn.functional.batch_norm(x, m, v, training=True), y


def program(x):
    m, v = torch.ones((2, 1))
    y, z = torch.utils.checkpoint.checkpoint(helper_0, x, m, v, use_reentrant=False)
    return z


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
