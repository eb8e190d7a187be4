# touchstone: 1
# torch: 2.13.0
# expect: fault:half_rounds_away Differs/values
# expect: fault:tangent_by_quotient Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.exp(x), torch.log(x), torch.tanh(x), torch.cos(x), torch.tan(x), torch.erf(x), torch.sigmoid(x), torch.sinh(x), torch.nn.functional.silu(x), torch.round(x), -x


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2),
]
