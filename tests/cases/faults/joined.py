# touchstone: 1
# torch: 2.13.0
# expect: fault:last_piece_repeats_first Differs/values
# expect: fault:pieces_of_one_tensor Differs/values
# expect: fault:pieces_reversed Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.cat([x, y, x]), torch.cat([x, y, x, y]), torch.stack([x, y, y]), torch.cat([x[1:], x[:1]])


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
