# touchstone: 1
# torch: 2.13.0
# note: gradients of complex numbers that overflow are not numbers or infinite by the order in which they are added.
# expect: aot_joint IllConditioned
# expect: aot_functional IllConditioned
# expect: aot_eager_default_partitioner IllConditioned
# expect: aot_eager IllConditioned
# expect: aot_eager_decomp_partition IllConditioned
# expect: aot_eager_decomp_partition_crossref IllConditioned
# expect: invoke_subgraph IllConditioned
# expect: debug_nop IllConditioned
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts IllConditioned
# expect: nnc_jit IllConditioned
# expect: memory_efficient_fusion IllConditioned
# expect: torch:aot_function IllConditioned
# expect: torch:aot_eager_default_partitioner IllConditioned
# expect: torch:aot_eager IllConditioned
# expect: torch:aot_eager_decomp_partition IllConditioned
# expect: torch:inductor IllConditioned
import torch


def inputs(seed, kind):
    x = data((30,), torch.complex64, (seed, 1), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x * x, x


CALLS = [
    dict(inputs="inputs", kind="special", backward=[0, 1]),
    dict(inputs="inputs", seed=1, kind="special", backward=[0, 1]),
]
