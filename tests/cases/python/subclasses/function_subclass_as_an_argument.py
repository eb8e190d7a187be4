# touchstone: 1
# torch: 2.13.0
# note: AOTAutograd does not trace an operator of an argument whose class has a `__torch_function__` alone. A bug: refused.
# expect: torch:aot_eager BackendRejected/compile
import torch


class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs)


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y.as_subclass(Logged)), ()


def program(x, s):
    return (s * 2).sum() * x


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
