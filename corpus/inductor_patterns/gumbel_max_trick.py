# touchstone: 1
# torch: 2.13.0
# note: a draw from a softmax
# fires: apply_gumbel_max_trick/apply_gumbel_max_trick
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    p = torch.nn.functional.softmax(x, dim=-1)
    q = torch.empty_like(x).exponential_(1.0)
    return torch.argmax(p / q, dim=-1, keepdim=True)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
COMPILE = dict(options={"apply_gumbel_max_trick": True})
