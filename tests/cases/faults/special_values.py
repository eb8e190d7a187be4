# touchstone: 1
# torch: 2.13.0
# expect: fault:comparison_with_itself Differs/values
# expect: fault:difference_of_equals Differs/values
# expect: fault:extreme_without_nan Differs/values
# expect: fault:isnan_is_false Differs/values
# expect: fault:maximum_without_nan Differs/values
# expect: fault:negated_comparison Differs/values
# expect: fault:quotient_of_equals Differs/values
# expect: fault:relu_without_nan Differs/values
# expect: fault:times_zero_is_zero Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x * 0, x - x, x / x, x == x, torch.isnan(x), torch.sign(x), torch.maximum(x, y), torch.amax(x, 0), torch.relu(x), ~(x < y)


CALLS = [
    dict(inputs="inputs", seed=1, kind="special"),
    dict(inputs="inputs", seed=2, kind="special"),
    dict(inputs="inputs", seed=3),
]
