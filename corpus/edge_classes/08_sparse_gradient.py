# touchstone: 1
# torch: 2.13.0
# note: the gradient of an embedding bag is a sparse tensor, which has no storage
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w = data((5, 3), torch.float32, (seed, 0), kind).requires_grad_()
    i = torch.tensor([0, 2, 4, 2])
    o = torch.tensor([0, 2])
    return (w, i, o), ()


def program(w, i, o):
    return torch.nn.functional.embedding_bag(i, w, o, mode="sum", sparse=True)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
