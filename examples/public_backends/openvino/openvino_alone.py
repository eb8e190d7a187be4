"""Registers OpenVINO's backend of torch.compile, `openvino`, without Inductor behind it.

A graph that OpenVINO cannot convert goes to Inductor, without a word. Here PyTorch runs it as it is: it takes no seconds for a C++ compiler,
and `"proof": "spied"` sees that the operators are PyTorch's, as it sees those that OpenVINO leaves to PyTorch one by one.
"""

import openvino.torch  # registers the backend
from openvino.frontend.pytorch.torchdynamo import backend


def _as_it_is(graph, example_inputs):
    return graph.forward


backend.compile_fx = _as_it_is
