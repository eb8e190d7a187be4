# touchstone: 1
# torch: 2.13.0
# expect: fault:alpha_of_elu_dropped Differs/values
# expect: fault:approximation_dropped Differs/values
# expect: fault:descending_dropped Differs/values
# expect: fault:eps_of_layer_norm_dropped Differs/values
# expect: fault:negative_dimension_off_by_one Differs/values
# expect: fault:smallest_dropped Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.add(x, x, alpha=2), torch.nn.functional.gelu(x, approximate="tanh"), torch.nn.functional.gelu(x), torch.nn.functional.layer_norm(x, (4,), eps=0.5), torch.nn.functional.leaky_relu(x, 0.3), torch.nn.functional.elu(x, 2.0), torch.nn.functional.softplus(x, 2.0), torch.softmax(x, -2), torch.tril(x, 1), torch.tril(x, -1), torch.sort(x, descending=True)[0], torch.topk(x, 2, largest=False)[0], x[:, ::2]


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
