"""`torch:fault:NAME@RUNG` as a backend of torch.compile: the pipeline of RUNG with the fault in its place."""

import contextlib
import functools
import types

import torch
import torch._functorch.aot_autograd
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


class _Planted:
    """A fault in its place."""

    def __init__(self, fault):
        self._fault = fault

    def edit(self, at, *modules):
        if self._fault.at == at:
            self._fault.plant(*(each.graph for each in modules))
            for each in modules:
                each.graph.lint()
                each.recompile()

    def wrap(self, at, call):
        return self._fault.plant(call) if self._fault.at == at else call


def _compiler(planted, places, call_place):
    """What compiles forward or backward graphs: they run as they are, but for what is planted."""

    def compile_graph(module, examples):
        for at in places:
            planted.edit(at, module)
        call = planted.wrap(call_place, boxed_nop(module, examples))
        call._boxed_call = True
        return call

    return compile_graph


def _partition_of(planted, partition):
    def cut(joint, inputs, **keywords):
        forward, backward = partition(joint, inputs, **keywords)
        planted.edit("partition", forward, backward)
        return forward, backward

    return cut


@contextlib.contextmanager
def _joint_graphs_come_to(edit):
    """A scope in which joint graphs are edited as they come from tracing, before anything else looks at them."""
    capture = torch._functorch.aot_autograd.aot_stage1_graph_capture

    def capture_edited(state, *others):
        captured = capture(state, *others)
        if state.needs_autograd:
            edit(captured.graph_module)
        return captured

    torch._functorch.aot_autograd.aot_stage1_graph_capture = capture_edited
    try:
        yield
    finally:
        torch._functorch.aot_autograd.aot_stage1_graph_capture = capture


def _aot(planted, rung):
    compile_module = aot_autograd(
        fw_compiler=_compiler(planted, ("forward", "graphs"), "forward_call"),
        bw_compiler=_compiler(planted, ("backward", "graphs"), "backward_call"),
        partition_fn=_partition_of(
            planted, min_cut_rematerialization_partition if rung == "aot_eager" else default_partition
        ),
        keep_inference_input_mutations=True,
    )

    def compile_edited(module, examples):
        with _joint_graphs_come_to(functools.partial(planted.edit, "joint")):
            return compile_module(module, examples)

    return compile_edited


def backend_with(planted, rung):
    """The pipeline of `rung`. `planted`: `edit(at, module, ...)` may change graph modules that come to a place of `table.STAGES`, and
    `wrap(at, call)` gives what runs in place of a call there."""

    def compile_captured(module, examples, **options):
        planted.edit("dynamo", module)
        call = module.forward if rung == "eager" else _aot(planted, rung)(module, examples)
        around = planted.wrap("runtime", call)
        return call if around is call else torch._dynamo.disable(around)

    return compile_captured


def compile_with_fault(function, backend, dynamic, fullgraph, options):
    """torch.compile(function, …) with the backend `fault:NAME@RUNG`."""
    fault, rung = _fault_of(backend), rung_of(backend)
    compile_function = functools.partial(
        torch.compile, backend=backend_with(_Planted(fault), rung), dynamic=dynamic, fullgraph=fullgraph
    )
    is_program = isinstance(function, types.FunctionType)  # and no graph of a backward
    if fault.at == "guards" and is_program:
        return fault.plant().around(function, functools.partial(compile_function, options=options))
    compiled = compile_function(function, options=options)
    return fault.plant(compiled) if fault.at == "entry" and is_program else compiled
