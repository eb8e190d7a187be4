# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formula for the gradient of clamp by a tensor that broadcasts gives one of the result's sizes, and does not sum it to those of the operand: what is added to it in front of the clamp counts once for each part.
# note: in plain Python: script `y = x.exp(); return y.clamp(min=b) + y`, `f(x, b).sum().backward()` from the second run on with x of sizes 1, 2 and b of sizes 3, 1, each less than 0: 12 * x.exp(), eager 6 * x.exp().
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((1, 2), torch.float32, (seed, 1), kind).requires_grad_()
    b2 = data((3, 1), torch.float32, (seed, 2), kind)
    return (b1, b2), ()


def program(x1, x2):
    y1 = x1.exp()
    y2 = torch.clamp(y1, min=x2)
    return y2 + y1


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
