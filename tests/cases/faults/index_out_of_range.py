# touchstone: 1
# torch: 2.13.0
# expect: fault:error_class_lost BackendRejected/forward
# expect: fault:error_text_lost BackendRejected/forward
# expect: fault:index_check_dropped Differs/structure
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x, torch.tensor([0, 2])), ()


def inputs_other(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x, torch.tensor([0, 7])), ()


def program(x, i):
    return torch.index_select(x, 0, i) * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_other", seed=2),
    dict(inputs="inputs", seed=3),
]
