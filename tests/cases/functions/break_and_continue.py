# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    r = w
    for i in range(6):
        if i == 1:
            continue
        if i == 4:
            break
        with torch.no_grad():
            if i == 3:
                continue
        r = r * 2 + i
    n = 0
    while True:
        n += 1
        if n % 2 == 0:
            continue
        r = r + n
        if n > 4:
            break
    return r, n


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
