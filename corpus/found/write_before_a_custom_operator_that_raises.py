# touchstone: 1
# torch: 2.13.0
# note: an argument is written to before a custom operator whose body raises: eager's write stays, that of the compiled code is made at its end and is lost.
# expect: eager BothRejected
# expect: aot_eager BothRejected
# expect: aot_joint BothRejected
# expect: aot_functional BothRejected
# expect: aot_eager_default_partitioner BothRejected
# expect: aot_eager_decomp_partition BothRejected
# expect: aot_eager_decomp_partition_crossref BothRejected
# expect: eager_noexcept BothRejected
# expect: pre_dispatch_eager BothRejected
# expect: eager_debug BothRejected
# expect: invoke_subgraph BothRejected
# expect: debug_nop BothRejected
# expect: ts BothRejected
# expect: simple_ts_compile BothRejected
# expect: ts_compile BothRejected
# expect: aot_ts BothRejected
# expect: nnc_jit BothRejected
# expect: memory_efficient_fusion BothRejected
# expect: torch:eager_python BothRejected
# expect: torch:eager BothRejected
# expect: torch:aot_eager_default_partitioner Differs/input_values/call 0 arg 0
# expect: torch:aot_eager Differs/input_values/call 0 arg 0
# expect: torch:aot_eager_decomp_partition Differs/version/call 0 arg 0
# expect: torch:inductor Differs/input_values/call 0 arg 0
# expect: torch:aot_function Differs/version/call 0 arg 0
import torch


@torch.library.custom_op("drawn::op_step_", mutates_args=("out",))
def op_step_(out: torch.Tensor, x: torch.Tensor) -> None:
    out.copy_(x.view(7))


@op_step_.register_fake
def _(out, x):
    return


def inputs(seed, kind):
    x2 = data((), torch.float32, (seed, 1), kind)
    return (x2,), ()


def program(x2):
    x2.add_(1)
    op_step_(x2, x2)
    return


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
