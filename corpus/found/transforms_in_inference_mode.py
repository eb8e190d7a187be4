# touchstone: 1
# note: what torch.func returns in inference mode is no inference tensor in eager, and one from torch.compile. A bug: autograd metadata of outputs.
# expect: torch:eager Differs/leaf
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager_default_partitioner Differs/leaf
# expect: torch:aot_eager Differs/leaf
# expect: torch:aot_eager_decomp_partition Differs/leaf
# expect: torch:inductor Differs/leaf
import torch


def helper_4(y34):
    return y34, y34 * 0, y34.view(-1)


def inputs(seed, kind):
    return (data((2, 3), torch.float32, (seed, 1), kind),), ()


def program(x5):
    y36 = torch.func.grad(lambda x: helper_4(x)[1].sum())(x5)
    y37 = torch.func.vmap(helper_4)(x5)[1]
    (a, b, c), pull1 = torch.func.vjp(helper_4, x5)
    return y36, y37, a, b, c, c.view(-1), x5 * 1, b + 1, pull1((a, b, c))[0]


CALLS = [
    dict(inputs="inputs", grad_mode="inference"),
    dict(inputs="inputs", seed=1, grad_mode="inference"),
]
