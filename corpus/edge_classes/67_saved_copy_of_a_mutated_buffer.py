# touchstone: 1
# torch: 2.13.0
# note: a copy of a buffer is saved for backward, then the buffer is counted up
# note: a defect of AOTAutograd: not the copy is saved for backward but the buffer itself, which is then written to, so the gradient is wrong; with decompositions the same is noticed and refused
# expect: torch:aot_eager Differs/gradient_values/call 0 leaf 0
# expect: torch:aot_eager_decomp_partition BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    b = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, b), ()


def program(x, b):
    y = x * b.clone()
    b.add_(1)
    return y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
