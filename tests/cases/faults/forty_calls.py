# touchstone: 1
# torch: 2.13.0
# expect: fault:cosine_of_shifted Differs/values
# expect: fault:forty_calls_refused BackendRejected/compile
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos().sin().cos()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
