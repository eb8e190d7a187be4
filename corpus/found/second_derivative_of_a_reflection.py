# touchstone: 1
# torch: 2.13.0
# note: the gradient of a padding by reflection requires grad, as its formula takes the operand.
# found-by: seed 901002 case 4594, spliced from seed 901002 case 3362 (70b033ca7541f9a9) and seed 901002 case 4302 (7c338d27a8357488)
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((), torch.float32, (seed, 1), kind).requires_grad_()
    x1 = torch.as_strided(b0, (1, 1), (1, 1))
    return (x1, b0), ()


def program(x1, x2):
    return (torch.nn.functional.pad(x1, (0, 0), mode="reflect"),)


CALLS = [
    dict(inputs="inputs", backward=[0], create_graph=True),
    dict(inputs="inputs", seed=1, backward=[0], create_graph=True),
]
