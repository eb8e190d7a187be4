# touchstone: 1
# torch: 2.13.0
# note: an inference tensor that comes to require grad behind a break
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((1, 1), torch.float32, (seed, 1), kind)
    return (b1,), ()


def program(x1):
    y1 = x1.clone()
    torch._dynamo.graph_break()
    y1.requires_grad_()
    torch._dynamo.graph_break()
    return y1


CALLS = [
    dict(inputs="inputs", seed=2, grad_mode="inference"),
    dict(inputs="inputs", grad_mode="inference"),
    dict(inputs="inputs", seed=1, grad_mode="inference"),
]
