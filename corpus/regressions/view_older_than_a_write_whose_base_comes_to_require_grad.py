# touchstone: 1
# torch: 2.13.0
# note: a view is made, its base is written to, and behind a break of the graph the base comes to require grad: the view does, too
# note: a defect: AOT autograd makes the view anew, behind the write, so that it stays as it is when its base changes
# expect: torch:aot_eager Differs/leaf
# expect: torch:aot_eager_decomp_partition Differs/leaf
# expect: torch:inductor Differs/leaf
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.t()
    x.add_(1)
    torch._dynamo.graph_break()
    x.requires_grad_()
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
