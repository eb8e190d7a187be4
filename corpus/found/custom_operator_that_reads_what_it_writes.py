# touchstone: 1
# torch: 2.13.0
# note: a custom operator reads one part of a tensor and writes to another that overlaps it: AOTAutograd hands in a copy of the written one alone, and what is read does not change while it is written, silently.
# expect: torch:aot_eager_default_partitioner Differs/values/call 0 output 0
# expect: torch:aot_eager Differs/values/call 0 output 0
# expect: torch:aot_eager_decomp_partition Differs/values/call 0 output 0
# expect: torch:inductor Differs/values/call 0 output 0
# expect: torch:aot_function Differs/values/call 0 output 0
import torch


@torch.library.custom_op("mine::reverse_into", mutates_args=("out",))
def reverse_into(source: torch.Tensor, out: torch.Tensor) -> None:
    for i in range(source.shape[0]):
        out[source.shape[0] - 1 - i] = source[i]


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.clone()
    reverse_into(y[0:4], y[2:6])
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
