# touchstone: 1
# torch: 2.13.0
# note: kron hands on memory under a version of its own; complex saves the same input under that of the input, so eager raises
# expect: torch:aot_function Differs/gradient_values
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    return (data((2, 2), torch.float32, (seed, 1), kind).requires_grad_(),), ()


def program(x):
    return torch.complex(x, x), torch.kron(x, x)


def touch(args, outs):
    args[0].mul_(2)


CALLS = [
    dict(inputs="inputs", backward=[0, 1], between="touch"),
    dict(inputs="inputs", seed=3, backward=[0, 1], between="touch"),
    dict(inputs="inputs", seed=4, backward=[0, 1], between="touch"),
]
