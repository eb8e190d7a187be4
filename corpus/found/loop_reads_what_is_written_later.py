# touchstone: 1
# torch: 2.13.0
# note: a backward of a loop reads what it was given as it is then: eager refuses no write in between.
# expect: aot_joint Limit/A16
# expect: aot_functional Limit/A16
# expect: aot_eager_default_partitioner Limit/A16
# expect: aot_eager Limit/A16
# expect: aot_eager_decomp_partition Limit/A16
# expect: aot_eager_decomp_partition_crossref Limit/A16
# expect: invoke_subgraph Limit/A16
# expect: debug_nop Limit/A16
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts Limit/A16
# expect: nnc_jit Limit/A16
# expect: memory_efficient_fusion Limit/A16
import torch


def inputs(seed, kind):
    x = data((2, 2), torch.float32, (seed, 1), kind)
    y = x.t().requires_grad_()
    return (y,), ()


def program(x):
    return torch.while_loop(lambda n, t: n < 1, lambda n, t: (n + 1, t * 0.5), (torch.zeros((), dtype=torch.int64), x))[1]


def touch(args, outs):
    args[0].mul_(2)


CALLS = [
    dict(inputs="inputs", backward=[0], between="touch"),
    dict(inputs="inputs", seed=1, backward=[0], between="touch"),
]
