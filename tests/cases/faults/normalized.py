# touchstone: 1
# torch: 2.13.0
# expect: fault:correction_dropped Differs/values
# expect: fault:eps_of_batch_norm_dropped Differs/values
# expect: fault:mean_by_reciprocal Differs/values
# expect: fault:merged_by_operands BackendRejected/forward
# expect: fault:variance_in_one_pass Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.nn.functional.layer_norm(x, (4,)), torch.nn.functional.batch_norm(x, None, None, training=True), torch.var(x + 1000, 1, correction=0), x.mean(1), x.mean(0)


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),
]
