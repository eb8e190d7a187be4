# touchstone: 1
# torch: 2.13.0
# expect: fault:alpha_dropped Differs/values
# expect: fault:alpha_merged Differs/values
# expect: fault:cumulations_merged Differs/values
# expect: fault:differences_merged Differs/values
# expect: fault:numbers_merged_by_whole_part Differs/values
# expect: fault:products_merged Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x - y, y - x, x @ y, y @ x, x + 1, x + 1.5, x < 0.5, x <= 0.5, torch.sin(x), torch.cos(x), torch.add(x, y, alpha=3), torch.add(x, y, alpha=2), x.half(), x.double(), torch.flip(x, [0]), torch.flip(x, [1])


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
