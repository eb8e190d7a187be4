# touchstone: 1
# torch: 2.13.0
# note: what a custom operator returns is not read, and its body draws random numbers: AOTAutograd leaves the call out, and what is drawn afterwards is something else. PyTorch takes such operators to have no effect unless they are tagged.
# expect: torch:aot_eager_default_partitioner Differs/values/call 0 output 0
# expect: torch:aot_eager Differs/values/call 0 output 0
# expect: torch:aot_eager_decomp_partition Differs/values/call 0 output 0
# expect: torch:inductor Differs/values/call 0 output 0
# expect: torch:aot_function Differs/values/call 0 output 0
import torch


@torch.library.custom_op("mine::noisy", mutates_args=())
def noisy(x: torch.Tensor) -> torch.Tensor:
    return x + torch.rand_like(x)


@noisy.register_fake
def _(x):
    return torch.empty_like(x)


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    noisy(x)
    return x + torch.rand(3)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
