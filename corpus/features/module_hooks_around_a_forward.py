# touchstone: 1
# torch: 2.13.0
# note: hooks of a module replace its argument and its result, and change a buffer
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Unsupported
import torch


def double_input(module, args):
    return (args[0] * 2,)


def note_result(module, args, result):
    module.largest.copy_(result.detach().amax(0))


def add_argument(module, args, result):
    return result + args[0]


def inputs(seed, kind):
    m = torch.nn.Linear(3, 3)
    m.register_buffer("largest", torch.zeros(3))
    m.register_forward_hook(note_result)
    m.register_forward_pre_hook(double_input)
    m.register_forward_hook(add_argument)
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, m), ()


def program(x, m):
    return m(x.sin()), m.largest + 1


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
    dict(inputs=None, backward=[0], tangent_seed=5),
]
