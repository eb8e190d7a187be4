# touchstone: 1
# torch: 2.13.0
# expect: eager BothRejected
# expect: aot_eager BothRejected
# expect: aot_eager_decomp_partition BothRejected
# expect: aot_eager_decomp_partition_crossref BothRejected
# expect: eager_noexcept BothRejected
# expect: debug_nop BothRejected
# expect: ts BothRejected
import torch
import torch._higher_order_ops


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    v = x[0]
    w = x[0]
    return torch._higher_order_ops.scan(lambda c, r: (c * v + w, c + r), y[1], y)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
    dict(inputs="inputs", seed=9, backward=[0], tangent_seed=3),
]
