# touchstone: 1
# torch: 2.13.0
# note: the same tensor in slots 0 and 2: saved through one, then mutated through the other, so that the backward of one output raises in eager, and that of the other does not
# note: refused as a whole, which rule A8 excuses: one graph stands for both outputs; torch:aot_function dies of an assertion about the number of tangents, which no rule excuses
# expect: torch:aot_eager Limit/A8
# expect: torch:aot_eager_decomp_partition Limit/A8
# expect: torch:aot_function InternalError/compile
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    w = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w, x), ()


def program(a, w, b):
    y = a * w
    b.add_(1)
    return y, a * w


CALLS = [
    dict(inputs="inputs", seed=1, backward=[1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[1], tangent_seed=4),
    dict(inputs="inputs", seed=3, backward=[0], tangent_seed=5),
]
