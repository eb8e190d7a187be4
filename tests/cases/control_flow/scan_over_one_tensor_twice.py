# touchstone: 1
import torch
import torch._higher_order_ops


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    def step(carried, pair):
        made = torch.cond(pair[0].sum() > 0, lambda left, right: left * right, lambda left, right: left - right, pair)
        return carried + made, made.clone()
    return torch._higher_order_ops.scan(step, torch.zeros(2), (x, x))


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
