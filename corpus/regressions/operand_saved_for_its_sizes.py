# touchstone: 1
# torch: 2.13.0
# note: eager saves the operand of gather, of which its backward reads the sizes alone: a write behind a break makes eager refuse.
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager BackendAccepts
# expect: torch:aot_eager_decomp_partition BackendAccepts
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((1, 2), torch.float32, (seed, 1), kind).requires_grad_()
    b1 = w1.mul(1)
    return (b1,), (w1,)


def program(x1):
    y1 = x1.gather(1, torch.tensor([[0, 1]]))
    torch._dynamo.graph_break()
    x1 += 1
    return (y1 * 2,)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
]
