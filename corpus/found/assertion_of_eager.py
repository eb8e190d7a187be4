# touchstone: 1
# torch: 2.13.0
# note: an assertion of eager alone, in the backward of an input that retains its gradient and is moved in place: there is nothing to compare.
# expect: aot_joint EagerRejected
# expect: aot_functional EagerRejected
# expect: aot_eager_default_partitioner EagerRejected
# expect: aot_eager EagerRejected
# expect: aot_eager_decomp_partition EagerRejected
# expect: aot_eager_decomp_partition_crossref EagerRejected
# expect: invoke_subgraph EagerRejected
# expect: debug_nop EagerRejected
# expect: simple_ts_compile EagerRejected
# expect: ts_compile EagerRejected
# expect: aot_ts EagerRejected
# expect: nnc_jit EagerRejected
# expect: memory_efficient_fusion EagerRejected
# expect: torch:eager Vacuous
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager_default_partitioner Vacuous
# expect: torch:aot_eager Vacuous
# expect: torch:aot_eager_decomp_partition Vacuous
# expect: torch:inductor Vacuous
import torch


def inputs(seed, kind):
    b0 = data((), torch.float32, (seed, 1), kind)
    w1 = torch.ones(()).requires_grad_()
    x1 = torch.as_strided(w1.mul(1), (), ())
    return (b0, x1), (w1,)


def program(x0, x1):
    x1.retain_grad()
    x1.squeeze_()
    return


def touch(args, outs):
    args[1].mul_(0)


CALLS = [
    dict(inputs="inputs", backward=["arg 1"], between="touch"),
    dict(inputs="inputs", seed=1, backward=["arg 1"], between="touch"),
]
