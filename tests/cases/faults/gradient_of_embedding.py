# touchstone: 1
# torch: 2.13.0
# expect: fault:padding_index_has_gradient Differs/gradient_values
# expect: fault:second_call_raises BackendRejected/forward
import torch


def inputs(seed, kind):
    w = data((5, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (w,), ()


def program(w):
    return torch.nn.functional.embedding(torch.tensor([1, 2, 1]), w, padding_idx=1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
