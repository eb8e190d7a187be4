# touchstone: 1
# torch: 2.13.0
# note: erfc of four makes much of the last digit of the sum that it is given
import torch


def inputs(seed, kind):
    b2 = data((3, 3), torch.float32, (seed, 3), kind)
    return (b2,), ()


def program(x2):
    y0 = torch.cosine_similarity(x2, x2, 0)
    y0.index_put_((torch.tensor([0, 1, 1, 1]),), y0.new_full((), 1), accumulate=True)
    y9 = y0.erfc_()
    return y9


CALLS = [
    dict(inputs="inputs", seed=11),
    dict(inputs="inputs", seed=12),
    dict(inputs="inputs", seed=13),
]
