# touchstone: 1
# torch: 2.13.0
# expect: fault:abs_undoes_negation Differs/values
# expect: fault:abs_undoes_sign Differs/values
# expect: fault:negation_twice_is_once Differs/values
# expect: fault:relu_of_negation_swapped Differs/values
# expect: fault:sigmoid_of_negation Differs/values
# expect: fault:sign_of_zero Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return --x, torch.abs(-x), torch.relu(-x), torch.sigmoid(-x), torch.abs(torch.sign(x))


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
