# touchstone: 1
# torch: 2.13.0
# note: a function that torch.func has made of the same function is the same for a guard, though it is another object in each call.
# found-by: seed 901003 case 41
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b2 = data((2, 4, 3), torch.float32, (seed, 1100), kind)
    x2 = b2.permute((2, 1, 0)).requires_grad_()
    return (x2,), (b2,)


def helper_3(y22, y24):
    return y22


def program(x2):
    def inner_0(y17):
        y20 = x2.sum(1) + x2.sum(1)
        return x2, y20, y20
    x2, y20, y20 = inner_0(x2)
    with torch.no_grad():
        y22 = y20.diagonal()
    y27, y28 = torch.func.vmap(helper_3, in_dims=(0, 1))(torch.stack([y22, y22], 0), torch.stack([y20, y20], 1))
    return (y27,)


CALLS = [
    dict(inputs="inputs", seed=7, kind="uniform"),
    dict(inputs="inputs", seed=102, kind="special"),
    dict(inputs="inputs", seed=103, kind="special"),
]
