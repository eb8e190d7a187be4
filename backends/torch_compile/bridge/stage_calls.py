"""The runs of what a backend compiled of AOTAutograd's forward and backward graphs: copies of what went in and came out, as plain
data, so that the graphs can be run once more on the same. And what the graphs that Dynamo captured give on the same, which only
Python can run. Nothing is kept unless a Program asks for it."""

import contextlib
import copy
import functools
import json

import torch
from torch._functorch._aot_autograd import graph_compile, runtime_wrappers

from . import captured_graphs

_KEPT_BYTES = 1 << 28  # of one Program; runs beyond it are told, and cannot be made again


class NotKept(Exception):
    """A run that could not be made again from what can be kept of it."""


class CallLog:
    """The runs of one Program's graphs, in order, and what raised while it compiled."""

    def __init__(self):
        self.calls = []
        self.tensors = []  # the calls refer to them by position
        self.forward = None  # position of the last run of a forward, until its autograd node has it
        self.backward_of = None  # the same of the forward whose backward runs
        self.captured = None  # position of the run of a captured graph that is on
        self._captures = []  # captured graphs, and their runs that are still to be made
        self._bytes = 0

    def report(self, frames):
        """`frames`: those of the Keeper."""
        for graph, call, arguments, _ in self._captures:
            _run_captured(self, graph, call, _copies(arguments))
        for graph, call, arguments, leaves in self._captures:
            for backward in self._backwards_of(call):
                _differentiate_captured(self, graph, call, _copies(arguments), leaves, backward, frames)
        self._captures.clear()
        return json.dumps(self.calls), tuple(self.tensors)

    def _backwards_of(self, captured):
        """The backwards through one run of a captured graph."""
        for each in self.calls:
            if each["stage"] == "backward" and each["forward"] is not None and not each["unusable"] and not each["raised"]:
                position = self.calls[each["forward"]]["captured"]
                if position is not None and self.calls[position] is captured:
                    yield each

    def begin(self, frame, stage, compiling):
        call = {"frame": frame, "stage": stage, "compiling": compiling, "forward": None, "captured": None}
        call.update({"raised": "", "unusable": ""})
        call.update({"inputs": [], "inputs_after": [], "outputs": [], "generator": None})
        call.update({"captured_gradients": [], "ungraded": ""})
        self.calls.append(call)
        return call

    def keep(self, tensors):
        """Positions of copies that are laid out and share memory as these do; None for what is no tensor."""
        kept = _copies(tensors, self._take)
        positions = []
        for each in kept:
            positions.append(len(self.tensors) if isinstance(each, torch.Tensor) else None)
            self.tensors.extend([each] if isinstance(each, torch.Tensor) else [])
        return positions

    def keep_for_capture(self, graph, call, arguments):
        leaves = [isinstance(each, torch.Tensor) and each.requires_grad for each in arguments]
        self._captures.append((graph, call, _copies(arguments, self._take), leaves))

    def _take(self, count):
        self._bytes += count
        if self._bytes > _KEPT_BYTES:
            raise NotKept(f"more than {_KEPT_BYTES >> 20} MiB in the runs up to here")


def _copies(values, take=lambda count: None):
    """These, with copies of tensors that are laid out and share memory as the originals do; `take` is told of their bytes."""
    memories = {}

    def copied(tensor):
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or tensor.layout != torch.strided:
            raise NotKept(f"a tensor of type {type(tensor).__name__} and layout {tensor.layout}")
        if tensor.device.type != "cpu":
            raise NotKept(f"a tensor on {tensor.device}")
        memory = tensor.untyped_storage()
        if memory._cdata not in memories:
            take(memory.nbytes())
            memories[memory._cdata] = torch.UntypedStorage(memory.nbytes()).copy_(memory, False)
        made = torch.empty(0, dtype=tensor.dtype)
        made.set_(memories[memory._cdata], tensor.storage_offset(), tensor.shape, tensor.stride())
        torch._C._set_conj(made, tensor.is_conj())
        torch._C._set_neg(made, tensor.is_neg())
        return made

    return [copied(each) if isinstance(each, torch.Tensor) else each for each in values]


def described(error):
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def _placeholders(module):
    """For each argument of a graph: None for a tensor, else the number that stands there in the exported graph."""
    numbers = []
    for node in module.graph.nodes:
        if node.op == "placeholder":
            value = node.meta.get("val")
            symbolic = isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool))
            numbers.append((value.node.hint,) if symbolic else None)
    return numbers


def _tensors_among(arguments, placeholders):
    """Those that the exported graph takes."""
    if len(arguments) != len(placeholders):
        raise NotKept(f"{len(arguments)} arguments where the graph takes {len(placeholders)}")
    for argument, number in zip(arguments, placeholders):
        if number is not None and argument != number[0]:
            raise NotKept(f"other sizes than those that the graph was exported with: {argument} in place of {number[0]}")
    return [argument for argument, number in zip(arguments, placeholders) if number is None]


def _outside_of_modes():
    """Copies are plain tensors, whatever mode the call is in."""
    return torch.inference_mode(False), torch.no_grad()


def _keep_before(log, call, arguments, placeholders):
    inference, grad = _outside_of_modes()
    try:
        with inference, grad:
            tensors = _tensors_among(arguments, placeholders)
            call["inputs"] = log.keep(tensors)
            (call["generator"],) = log.keep([torch.get_rng_state()])
            return tensors
    except NotKept as reason:
        call["unusable"] = str(reason)
        return None


def _keep_after(log, call, tensors, returned):
    inference, grad = _outside_of_modes()
    try:
        with inference, grad:
            kept = log.keep([*tensors, *returned])  # at once: results may lie in the memory of arguments
            call["inputs_after"], call["outputs"] = kept[: len(tensors)], kept[len(tensors) :]
    except NotKept as reason:
        call["unusable"] = str(reason)


def _recorded(log, frame, stage, compiled, placeholders):
    """`compiled`, which is called with a list of arguments that it may empty, or else with the arguments."""
    boxed = getattr(compiled, "_boxed_call", False)

    @torch._dynamo.disable
    def run(arguments):
        position = len(log.calls)
        call = log.begin(frame, stage, compiling=False)
        if stage == "backward":
            call["forward"] = log.backward_of
        else:
            call["captured"] = log.captured
        tensors = _keep_before(log, call, arguments, placeholders)
        try:
            returned = compiled(arguments) if boxed else compiled(*arguments)
        except BaseException as error:
            call["raised"] = described(error)
            raise
        if tensors is not None:
            _keep_after(log, call, tensors, returned if isinstance(returned, (list, tuple)) else [returned])
        log.forward = position if stage == "forward" else log.forward
        return returned

    run._boxed_call = True
    return run


def recording(compiler, log, frame, stage):
    """A compiler of graphs whose compiled code is recorded when it runs."""

    @functools.wraps(compiler)
    def compile_recorded(module, *arguments, **keywords):
        placeholders = _placeholders(module)
        with telling(log, frame, stage):
            compiled = compiler(module, *arguments, **keywords)
        return _recorded(log, frame, stage, compiled, placeholders)

    return compile_recorded


def recording_capture(log, frame, graph, compiled):
    """What a backend compiled of a captured graph, recorded when it runs. What the graph itself gives is found out later."""

    @torch._dynamo.disable
    def run(*arguments):
        outer, log.captured = log.captured, len(log.calls)
        call = log.begin(frame, "captured", compiling=False)
        inference, grad = _outside_of_modes()
        try:
            with inference, grad:
                if torch._C._is_any_autocast_enabled():
                    raise NotKept("autocast is on")
                given = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], list) else arguments
                call["inputs"] = log.keep(given)
                (call["generator"],) = log.keep([torch.get_rng_state()])
                log.keep_for_capture(graph, call, given)
        except NotKept as reason:
            call["unusable"] = str(reason)
        try:
            return compiled(*arguments)
        finally:
            log.captured = outer

    return captured_graphs.called_as(compiled, run)


def copy_of_captured(module):
    """A module's graph as it is now, whatever its compiler makes of it."""
    return torch.fx.GraphModule(module, copy.deepcopy(module.graph))


def _tangents_of(log, signature, backward):
    """Pairs: the position of a result of the captured graph, and the tangent that the backward was given for it."""
    results = {each["position"]: index for index, each in enumerate(signature["outputs"]) if each["kind"] == "fresh"}
    pairs = []
    for position, taken in enumerate(signature["backward"]["takes"]):
        if "tangent" in taken:
            place = taken["tangent"].get("output")
            if place not in results:
                raise NotKept("a tangent belongs to what is no plain result of the captured graph")
            pairs.append((results[place], log.tensors[backward["inputs"][position]]))
    return pairs


@contextlib.contextmanager
def _made_again(log, captured, told, key):
    """A scope in which a captured graph runs once more: the generator is where it was in the call. What goes wrong is `told[key]`."""
    state = torch.get_rng_state()
    torch.set_rng_state(log.tensors[captured["generator"]])
    try:
        yield
    except NotKept as reason:
        told[key] = str(reason)
    except Exception as error:
        told[key] = f"the captured graph raises: {described(error)}"
    finally:
        torch.set_rng_state(state)


def _differentiate_captured(log, graph, call, arguments, leaves, backward, frames):
    """Keeps autograd's gradients of the captured graph, by output of the backward graph."""
    with _made_again(log, call, backward, "ungraded"):
        if call["unusable"]:
            raise NotKept(call["unusable"])
        signature = frames[backward["frame"]]["signature"]
        if len(signature["takes"]) != sum(isinstance(each, torch.Tensor) for each in arguments):
            raise NotKept("an argument shares its memory with another one, or is the same")
        tangents = _tangents_of(log, signature, backward)
        with torch.inference_mode(False), torch.enable_grad():
            for each, is_leaf in zip(arguments, leaves):
                if is_leaf:
                    each.requires_grad_()
            returned = graph(*arguments)
            of = signature["backward"]["gradients"]
            wanted = sorted({each for each in of if each is not None and leaves[each]})
            results = [returned[position] for position, _ in tangents]
            given = [tangent for _, tangent in tangents]
            found = torch.autograd.grad(results, [arguments[each] for each in wanted], given, allow_unused=True)
        with torch.inference_mode(False), torch.no_grad():
            by_argument = dict(zip(wanted, found))
            backward["captured_gradients"] = log.keep([by_argument.get(each) for each in of])


def _run_captured(log, graph, call, arguments):
    inference, grad = _outside_of_modes()
    with _made_again(log, call, call, "unusable"), inference, grad:
        returned = graph(*arguments)
        call["inputs_after"] = log.keep(arguments)
        call["outputs"] = log.keep(returned if isinstance(returned, (list, tuple)) else [returned])


class telling:
    """A scope in which what raises is told as having been raised by this stage, unless one inside has told it."""

    def __init__(self, log, frame, stage):
        self._log, self._frame, self._stage = log, frame, stage

    def __enter__(self):
        self._known = len(self._log.calls) if self._log is not None else 0

    def __exit__(self, kind, error, traceback):
        if error is not None and self._log is not None and len(self._log.calls) == self._known:
            self._log.begin(self._frame, self._stage, compiling=True)["raised"] = described(error)
        return False


_build = runtime_wrappers._AOTDispatchAutogradFunctionFactory.build


def _build_telling_forwards(log):
    """`build` of an autograd function whose nodes know the run of the forward that made them."""

    def build(self):
        function = _build(self)
        forward, backward = function._fwd_fn, function._bwd_fn

        def forward_telling(ctx, *others):
            log.forward = None
            returned = forward(ctx, *others)
            ctx.touchstone_forward = log.forward
            return returned

        def backward_telling(gradients, ctx, *others):
            log.backward_of = getattr(ctx, "touchstone_forward", None)
            return backward(gradients, ctx, *others)

        function._fwd_fn, function._bwd_fn = forward_telling, backward_telling
        return function

    return build


class nodes_know_their_forward:
    """A scope in which autograd functions of compiled graphs are made so."""

    def __init__(self, log):
        self._log = log

    def __enter__(self):
        runtime_wrappers._AOTDispatchAutogradFunctionFactory.build = _build_telling_forwards(self._log)

    def __exit__(self, *raised):
        runtime_wrappers._AOTDispatchAutogradFunctionFactory.build = _build
        return False
