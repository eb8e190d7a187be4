# touchstone: 1
# torch: 2.13.0
# note: retain_grad() of an argument where nothing else needs a backward
# expect: torch:eager Vacuous
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager Vacuous
# expect: torch:aot_eager_decomp_partition Vacuous
# expect: torch:inductor Vacuous
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    a = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    b = a * 1
    return (b,), (a,)


def touch(args, outs):
    with torch.no_grad():
        outs[0].add_(int(args[0].retains_grad))


def program(x):
    x.retain_grad()
    return x.detach() * 2


CALLS = [
    dict(inputs="inputs", seed=1, between="touch"),
    dict(inputs="inputs", seed=2, between="touch"),
]
