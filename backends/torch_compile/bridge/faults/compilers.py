"""`torch:fault:NAME@RUNG` as a backend of torch.compile: the pipeline of RUNG with the fault in its place."""

import functools
import types

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.backends.debugging import boxed_nop
from torch._functorch.partitioners import default_partition, min_cut_rematerialization_partition

from . import name_of, rung_of, table

RUNGS = ("eager", "aot_eager_default_partitioner", "aot_eager")


def _fault_of(backend):
    name = name_of(backend)
    faults = table.all_faults()
    if name not in faults or rung_of(backend) not in RUNGS:
        raise ValueError(f"There is no planted fault `{backend}`.")
    return faults[name]


def _edited(module, edit):
    edit(module.graph)
    module.graph.lint()
    module.recompile()
    return module


def _compiler(fault, edits, wraps):
    """What compiles forward or backward graphs: they run as they are, but for the fault."""

    def compile_graph(module, examples):
        if fault.at in edits:
            _edited(module, fault.plant)
        call = boxed_nop(module, examples)
        if fault.at in wraps:
            call = fault.plant(call)
            call._boxed_call = True
        return call

    return compile_graph


def _partition_of(fault, partition):
    def cut(joint, inputs, **keywords):
        if fault.at == "joint":
            _edited(joint, fault.plant)
        forward, backward = partition(joint, inputs, **keywords)
        if fault.at == "partition":
            fault.plant(forward.graph, backward.graph)
            for module in (forward, backward):
                module.graph.lint()
                module.recompile()
        return forward, backward

    return cut


def _aot(fault, rung):
    return aot_autograd(
        fw_compiler=_compiler(fault, ("forward", "graphs"), ("forward_call",)),
        bw_compiler=_compiler(fault, ("backward", "graphs"), ("backward_call",)),
        partition_fn=_partition_of(
            fault, min_cut_rematerialization_partition if rung == "aot_eager" else default_partition
        ),
        keep_inference_input_mutations=True,
    )


def _backend(fault, rung):
    def compile_captured(module, examples, **options):
        if fault.at == "dynamo":
            _edited(module, fault.plant)
        call = module.forward if rung == "eager" else _aot(fault, rung)(module, examples)
        if fault.at == "runtime":
            call = torch._dynamo.disable(fault.plant(call))
        return call

    return compile_captured


def compile_with_fault(function, backend, dynamic, fullgraph, options):
    """torch.compile(function, …) with the backend `fault:NAME@RUNG`."""
    fault, rung = _fault_of(backend), rung_of(backend)
    compile_function = functools.partial(
        torch.compile, backend=_backend(fault, rung), dynamic=dynamic, fullgraph=fullgraph
    )
    is_program = isinstance(function, types.FunctionType)  # and no graph of a backward
    if fault.at == "guards" and is_program:
        return fault.plant().around(function, functools.partial(compile_function, options=options))
    compiled = compile_function(function, options=options)
    return fault.plant(compiled) if fault.at == "entry" and is_program else compiled
