"""What AOTAutograd's stages leave of one real compile, as plain data: joint, forward and backward graphs, and what the runtime
around them was told of inputs and outputs. Nothing is kept unless a Program asks for it."""

import json
import math
import operator

import torch
from torch._functorch import aot_autograd
from torch._functorch._aot_autograd import descriptors, graph_compile
from torch._functorch._aot_autograd.schemas import OutputType

from . import captured_graphs, stage_calls

_OUTPUT_KINDS = {
    OutputType.is_input: "input",
    OutputType.alias_of_input: "alias_of_input",
    OutputType.alias_of_intermediate: "alias_of_intermediate",
    OutputType.alias_of_intermediate_save_as_output: "alias_of_intermediate",
    OutputType.alias_of_intermediate_base_is_user_output: "alias_of_intermediate",
}

# The keeper that compiles report to, and the names of the inputs of the Dynamo graph that is being compiled.
_keeper = None
_input_names = []


class NotExported(Exception):
    """A graph holds what plain data cannot say."""


class Keeper:
    """A list of frames, one for each graph that AOTAutograd compiled, in order; and, where asked for, the runs of them."""

    def __init__(self, keeps_calls=False):
        self.frames = []
        self.log = stage_calls.CallLog() if keeps_calls else None
        self.constants = []  # tensors that are part of graphs; the frames refer to them by position

    def report(self):
        return json.dumps(self.frames), tuple(self.constants)


def keep_in(keeper):
    """From now on compiles report to this keeper; None: to nobody."""
    global _keeper
    if keeper is not None:
        _install()
    _keeper = keeper


def _number(value):
    if isinstance(value, bool) or not isinstance(value, float) or math.isfinite(value):
        return value
    return {"float": repr(value)}


def _hint(value):
    """A symbolic number at the sizes of the call that is compiled for."""
    if not isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return value
    if value.node.hint is None:
        raise NotExported("a size that depends on values")
    return value.node.hint


def _argument(value):
    value = _hint(value)
    if isinstance(value, torch.fx.Node):
        known = value.meta.get("val")
        if isinstance(known, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            return _number(_hint(known))
        return {"node": value.name}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, complex):
        return {"complex": [_number(value.real), _number(value.imag)]}
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    if isinstance(value, torch.layout):
        return {"layout": str(value).removeprefix("torch.")}
    if isinstance(value, torch.memory_format):
        return {"memory_format": str(value).removeprefix("torch.")}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    if isinstance(value, (list, tuple)):
        return [_argument(item) for item in value]
    raise NotExported(f"an argument of type {type(value).__name__}")


def _metadata(value):
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return None
    return {
        "dtype": str(value.dtype).removeprefix("torch."),
        "sizes": [int(_hint(size)) for size in value.shape],
        "strides": [int(_hint(stride)) for stride in value.stride()],
        "offset": int(_hint(value.storage_offset())),
        "device": str(value.device),
        "requires_grad": value.requires_grad,
        "conjugate": value.is_conj(),
        "negative": value.is_neg(),
    }


def _is_number(node):
    return isinstance(node.meta.get("val"), (torch.SymInt, torch.SymFloat, torch.SymBool))


def _placeholders(graph):
    """Those that are tensors, with their positions among all."""
    placeholders = (node for node in graph.nodes if node.op == "placeholder")
    return [(position, node) for position, node in enumerate(placeholders) if not _is_number(node)]


def _output_names(graph):
    """By output; None: it is no tensor."""
    (output,) = graph.output_node().args
    flat = output if isinstance(output, (list, tuple)) else [output]
    return [node.name if isinstance(node, torch.fx.Node) and not _is_number(node) else None for node in flat]


def _output_descriptions(graph):
    return graph.output_node().meta.get("desc") or []


_TAGS_OF_BACKWARD = ("is_backward", "must_be_in_backward")


def _exported_node(module, node, constants):
    value = node.meta.get("val")
    backward = node.meta.get("partitioner_tag") in _TAGS_OF_BACKWARD
    record = {"name": node.name, "metadata": _metadata(value), "backward": backward}
    if node.op == "placeholder":
        return {**record, "kind": "placeholder"}
    if node.op == "get_attr":
        held = module
        for part in node.target.split("."):
            held = getattr(held, part)
        if not isinstance(held, torch.Tensor):
            raise NotExported("a graph inside the graph")
        constants.append(held)
        return {**record, "kind": "constant", "constant": len(constants) - 1, "metadata": _metadata(held)}
    if node.op != "call_function":
        raise NotExported(f"a node of kind {node.op}")
    if node.target is operator.getitem:
        return {**record, "kind": "element", "node": node.args[0].name, "index": node.args[1]}
    if not isinstance(node.target, torch._ops.OpOverload):
        raise NotExported(f"the higher-order operator {node.target}")
    name = node.target._schema.name
    overload = node.target._schema.overload_name
    return {
        **record,
        "kind": "operator",
        "target": f"{name}.{overload}" if overload else name,
        "arguments": [_argument(argument) for argument in node.args],
        "keywords": {key: _argument(argument) for key, argument in node.kwargs.items()},
    }


def _exported(module, constants):
    """A graph, or the reason why there is none."""
    try:
        nodes = []
        for node in module.graph.nodes:
            if node.op == "output" or _is_number(node):
                continue
            nodes.append(_exported_node(module, node, constants))
        return {"nodes": nodes, "outputs": _output_names(module.graph)}
    except NotExported as reason:
        return {"refused": str(reason)}


def _plain_input(description):
    """The position among the arguments of the one that a description is of, or that a base was made for."""
    while hasattr(description, "base_of"):
        description = description.base_of
    return getattr(description, "idx", None)


def _tangent(description, forward):
    """What a tangent belongs to: the position of an output of the forward, or an argument that was written to."""
    described = _output_descriptions(forward.graph)
    if description.output in described:
        return {"output": described.index(description.output)}
    if isinstance(description.output, descriptors.InputMutationAOTOutput):
        return {"input": _plain_input(description.output.mutated_input)}
    return {}


def _signature(forward, metadata):
    """`metadata`: AOTAutograd's, of the arguments that the graph takes; symbolic numbers among them are left out. Besides, how many
    outputs come before the saved values."""
    placeholders = _placeholders(forward.graph)
    kept = [position for position, _ in placeholders]
    takes = []
    for position, node in placeholders:
        info = metadata.input_info[position] if position < len(metadata.input_info) else None
        takes.append(
            {
                "input": _plain_input(node.meta.get("desc")),
                "data_mutated": bool(info and info.mutates_data),
                "metadata_mutated": bool(info and info.mutates_metadata),
                "requires_grad": bool(info and info.requires_grad),
            }
        )
    position = len(metadata.tokens)
    written = []
    for index in metadata.mutated_inp_runtime_indices:
        written.append({"take": kept.index(index), "position": position})
        position += 1
    outputs = []
    for info in metadata.output_info:
        outputs.append(
            {
                "kind": _OUTPUT_KINDS.get(info.output_type, "fresh"),
                "position": position,
                "requires_grad": bool(info.requires_grad_for_backward),
            }
        )
        position += 1
    return {"takes": takes, "written": written, "outputs": outputs}, position + metadata.num_intermediate_bases


def _backward_signature(forward, backward, ends):
    """`ends`: how many outputs of the forward are not saved values."""
    names = _output_names(forward.graph)
    saved = {names[position]: position for position in range(ends, len(names)) if names[position] is not None}
    takes = []
    for _, node in _placeholders(backward.graph):
        description = node.meta.get("desc")
        if isinstance(description, descriptors.TangentAOTInput):
            takes.append({"tangent": _tangent(description, forward)})
        else:
            takes.append({"saved": saved.get(node.name)})
    gradients = [_plain_input(getattr(each, "grad_of", None)) for each in _output_descriptions(backward.graph)]
    return {"takes": takes, "gradients": gradients}


_stage1_capture = graph_compile.aot_stage1_graph_capture
_stage2a_partition = graph_compile._aot_stage2a_partition
_stage2_autograd = graph_compile.aot_stage2_autograd
_stage2_inference = graph_compile.aot_stage2_inference


def _capture_telling(*arguments):
    log = None if _keeper is None else _keeper.log
    with stage_calls.telling(log, 0 if log is None else len(_keeper.frames), "joint"):
        return _stage1_capture(*arguments)


def _partition_keeping(fx_g, joint_inputs, maybe_subclass_meta, fw_metadata, aot_config, partition_fn):
    if _keeper is None:
        return _stage2a_partition(fx_g, joint_inputs, maybe_subclass_meta, fw_metadata, aot_config, partition_fn)
    joint = _exported(fx_g, _keeper.constants)
    with stage_calls.telling(_keeper.log, len(_keeper.frames), "partition"):
        made = _stage2a_partition(fx_g, joint_inputs, maybe_subclass_meta, fw_metadata, aot_config, partition_fn)
    forward, backward = made[0], made[1]
    signature, ends = _signature(forward, fw_metadata)
    signature["backward"] = _backward_signature(forward, backward, ends)
    signature["saved"] = _output_names(forward.graph)[ends:]
    graphs = {
        "joint": joint,
        "forward": _exported(forward, _keeper.constants),
        "backward": _exported(backward, _keeper.constants),
    }
    _keeper.frames.append({"names": _input_names, "graphs": graphs, "signature": signature})
    return made


def _autograd_keeping(aot_state, aot_graph_capture, partition_fn, fw_compiler, bw_compiler):
    log = None if _keeper is None else _keeper.log
    if log is None:
        return _stage2_autograd(aot_state, aot_graph_capture, partition_fn, fw_compiler, bw_compiler)
    frame = len(_keeper.frames)  # the one that the partition will add
    fw_compiler = stage_calls.recording(fw_compiler, log, frame, "forward")
    bw_compiler = stage_calls.recording(bw_compiler, log, frame, "backward")
    with stage_calls.nodes_know_their_forward(log):
        return _stage2_autograd(aot_state, aot_graph_capture, partition_fn, fw_compiler, bw_compiler)


def _inference_keeping(aot_state, aot_graph_capture, partition_fn, compiler):
    if _keeper is not None:
        module = aot_graph_capture.graph_module
        _keeper.frames.append(
            {
                "names": _input_names,
                "graphs": {"forward": _exported(module, _keeper.constants)},
                "signature": _signature(module, aot_state.fw_metadata)[0],
            }
        )
        if _keeper.log is not None:
            compiler = stage_calls.recording(compiler, _keeper.log, len(_keeper.frames) - 1, "forward")
    return _stage2_inference(aot_state, aot_graph_capture, partition_fn, compiler)


_installed = False


def _install():
    global _installed
    if _installed:
        return
    _installed = True
    aot_autograd.aot_stage1_graph_capture = _capture_telling
    graph_compile._aot_stage2a_partition = _partition_keeping
    graph_compile.aot_stage2_autograd = _autograd_keeping
    graph_compile.aot_stage2_inference = _inference_keeping
    captured_graphs.compile_through(_compile_keeping)


def _compile_keeping(module, compile_graph):
    global _input_names
    if _keeper is None:
        return compile_graph()
    _input_names = [node.name for node in module.graph.nodes if node.op == "placeholder"]
    log, frame = _keeper.log, len(_keeper.frames)
    graph = None if log is None else stage_calls.copy_of_captured(module)
    compiled = compile_graph()
    if log is None or len(_keeper.frames) != frame + 1:
        return compiled
    return stage_calls.recording_capture(log, frame, graph, compiled)
