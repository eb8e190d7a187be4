# touchstone: 1
# torch: 2.13.0
# note: a hook after accumulation that the program registers on an argument runs in later calls too
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    a = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    return (a,), ()


def h(p):
    p.mul_(2)


def program(x):
    x.register_post_accumulate_grad_hook(h)
    return x.sin()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs=None),
]
