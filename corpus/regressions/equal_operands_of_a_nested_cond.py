# touchstone: 1
# torch: 2.13.0
# note: operands of cond that the partition merges, as they are equal: the branch, a cond itself, is given one tensor twice in the backward.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b2 = data((), torch.float32, (seed, 1), kind).requires_grad_()
    return (b2,), ()


def helper_1(y17, y18, y0, y5):
    return y17.mean()


def program(x2):
    y17 = torch.reciprocal(x2.abs() + 1)
    y18 = torch.reciprocal(x2.abs() + 1)
    y24 = torch.cond(y17 <= 0, lambda y17, y18, y0, y5: helper_1(y17, y18, x2, x2), lambda y17, y18, y0, y5: torch.cond(x2, helper_1, lambda y17, y18, y0, y5: helper_1(y17, y18 * 0, x2, x2), (y17, y18, x2, x2)), (y17, y18, x2, x2))
    return (y24,)


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
