# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch PR 197039: min-cut recomputes a read of a buffer that is mutated in between
# note: a defect, silent under aot_eager: the backward reads the buffer again after it was written to; with the min-cut partitioner autograd notices and refuses
# expect: torch:aot_eager Differs/gradient_values/call 0 leaf 0
# expect: torch:aot_eager_decomp_partition BackendRejected/backward
# expect: torch:inductor Differs/gradient_values/call 0 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    buffer = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, buffer), ()


def program(x, buffer):
    y = x * buffer.sin()
    buffer.add_(1)
    return y.cos() * buffer


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
