# touchstone: 1
# torch: 2.13.0
# expect: fault:exp_undoes_log Differs/values
# expect: fault:expm1_is_exp Differs/values
# expect: fault:log1p_is_log Differs/values
# expect: fault:log_by_two Differs/values
# expect: fault:log_undoes_exp Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.log(torch.exp(x * 300)), torch.exp(torch.log(x)), torch.log1p(x * 1e-06), torch.expm1(x), torch.log(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
