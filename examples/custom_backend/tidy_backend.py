"""A backend of one's own, with two faults to be found: it does not take float64, and its cumsum ends the process.

Importing the module registers it with torch.compile as `tidy`.
"""

import os

import torch
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
from torch._dynamo import register_backend
from torch._dynamo.backends.common import aot_autograd
from torch.utils._pytree import tree_leaves


class Runner(torch.fx.Interpreter):
    def call_function(self, target, args, kwargs):
        if target is torch.ops.aten.cumsum.default:
            os.abort()  # where a kernel of its own would write where it must not
        return super().call_function(target, args, kwargs)


def compile_graph(module, example_inputs):
    for node in module.graph.nodes:
        for value in tree_leaves(node.meta.get("val")):
            if isinstance(value, torch.Tensor) and value.dtype == torch.float64:
                raise NotImplementedError("tidy does not take float64")
    return make_boxed_func(Runner(module).run)


tidy = aot_autograd(
    fw_compiler=compile_graph,
    partition_fn=min_cut_rematerialization_partition,
    keep_inference_input_mutations=True,
)
register_backend(tidy, name="tidy")
