"""Registers OpenVINO's backend of torch.compile, `openvino`, without Inductor behind it.

A graph that OpenVINO cannot convert goes to Inductor, without a word. Here PyTorch runs it as it is: it takes no seconds for a C++ compiler,
and `"proof": "spied"` sees that the operators are PyTorch's, as it sees those that OpenVINO leaves to PyTorch one by one.

With OPENVINO_COPIES=1 in the environment results are copied. They live in memory that the next call writes, which almost every Case shows;
with copies one sees what else there is.
"""

import functools
import os

import openvino.torch  # registers the backend
from openvino.frontend.pytorch.torchdynamo import backend, execute
from torch.utils._pytree import tree_map


def _as_it_is(graph, example_inputs):
    return graph.forward


def _copying(infer):
    @functools.wraps(infer)
    def run(*args, **kwargs):
        return tree_map(lambda each: each.clone(), infer(*args, **kwargs))

    return run


backend.compile_fx = _as_it_is
if os.environ.get("OPENVINO_COPIES") == "1":
    execute.openvino_execute = _copying(execute.openvino_execute)
