# touchstone: 1
# torch: 2.13.0
# note: whether a symbolic int is one of two is an Or of conditions, of which Inductor cannot make code. With dynamic=False it agrees.
# expect: torch:inductor InternalError/compile
# expect: simple_ts_compile InternalError/forward
# expect: ts_compile InternalError/forward
# expect: aot_ts InternalError/forward
# expect: nnc_jit InternalError/forward
# expect: memory_efficient_fusion InternalError/forward
import torch


def inputs(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind)
    return (x, 5), ()


def inputs_2(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind)
    return (x, 6), ()


def inputs_3(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind)
    return (x, 8), ()


def program(x, y):
    return x * ((y == 6) | (y == 8))


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
    dict(inputs="inputs_3", seed=4),
    dict(inputs="inputs_3", seed=5),
]
COMPILE = dict(dynamic=True)
