"""Backends for torch.compile that are wrong on purpose, for the tests of the harness: `torch:broken_backends:NAME`."""

import ctypes
import os

import torch


def _uses(graph_module, target):
    return any(node.op == "call_function" and node.target is target for node in graph_module.graph.nodes)


def sin_is_cos(graph_module, example_inputs):
    for node in graph_module.graph.nodes:
        if node.op == "call_function" and node.target is torch.sin:
            node.target = torch.cos
        elif node.op == "call_method" and node.target == "sin":
            node.target = "cos"
    graph_module.recompile()
    return graph_module.forward


def refuses_tan(graph_module, example_inputs):
    if _uses(graph_module, torch.tan):
        raise NotImplementedError("tan is not for this backend")
    return graph_module.forward


def ends_its_process(graph_module, example_inputs):
    os._exit(7)


def returns_fresh_memory(graph_module, example_inputs):
    """Leaves every output of the kind that `torch.tan` gives unwritten."""

    def forward(*args):
        outputs = graph_module(*args)
        return tuple(torch.empty_like(out) if _uses(graph_module, torch.tan) else out for out in outputs)

    return forward


def _write_behind(tensor):
    memory = tensor.untyped_storage()
    ctypes.memset(memory.data_ptr() + memory.nbytes(), 0, tensor.element_size())


def always_writes_behind(graph_module, example_inputs):
    """The same for the outputs of any graph, that of the warm-up too."""

    def forward(*args):
        outputs = graph_module(*args)
        for out in outputs:
            _write_behind(out)
        return outputs

    return forward


def reads_behind(graph_module, example_inputs):
    """The last element of each output of a graph with `torch.tan` is what lies behind it."""

    def forward(*args):
        outputs = graph_module(*args)
        for out in outputs if _uses(graph_module, torch.tan) else ():
            memory = out.untyped_storage()
            ctypes.memmove(memory.data_ptr() + memory.nbytes() - 4, memory.data_ptr() + memory.nbytes(), 4)
        return outputs

    return forward


def writes_behind(graph_module, example_inputs):
    """Writes one element behind the memory of each output of a graph with `torch.tan`."""

    def forward(*args):
        outputs = graph_module(*args)
        for out in outputs if _uses(graph_module, torch.tan) else ():
            _write_behind(out)
        return outputs

    return forward
