# touchstone: 1
# torch: 2.13.0
# note: a trait of TorchScript: addmm is taken apart and shares its product with mm of the same operands, so that tangents are added before they are multiplied, where eager adds gradients; with infinities that is another value.
# note: in plain Python: script `return torch.mm(a, b), torch.addmm(c, a, b)`; the third gradient of `a` for infinite elements of `b` is NaN where eager has an infinity, or the other way round.
# expect: ts Differs/gradient_values/call 0 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = torch.ones(())
    b2 = data((2, 2), torch.float32, (seed, 1101), kind)
    w4 = torch.ones((2, 2)).requires_grad_()
    return (b0, b2, w4), ()


def program(x1, x3, x5):
    y18_2, y19 = torch.broadcast_tensors(torch.mm(x5, x3), torch.addmm(x1, x5, x3))
    y18, y20 = y18_2, y19
    return y20, y18


CALLS = [
    dict(inputs="inputs", kind="special", backward=[0, 1]),
    dict(inputs="inputs", seed=1, kind="special", backward=[0, 1]),
]
