# touchstone: 1
# torch: 2.13.0
# expect: fault:addcmul_without_factor Differs/values
# expect: fault:addmm_without_factors Differs/values
# expect: fault:logsumexp_overflows Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    z = data((3, 3), torch.float32, (seed, 2), kind)
    return (x, y, z), ()


def program(x, y, z):
    return torch.addcmul(x, y, z, value=3), torch.addmm(x, y, z, beta=2, alpha=3), torch.logsumexp(x * 300, 1), x ^ x if False else x


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
