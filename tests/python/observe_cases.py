"""Executes printed case files with plain PyTorch and compares what is seen with what Touchstone's eager runner saw.

    observe_cases.py FOLDER
    observe_cases.py --test-tool BINARY --seed 1 --cases 600 [--start 0] [--keep FOLDER]
    observe_cases.py --test-tool BINARY --given corpus [--keep FOLDER]

FOLDER is what `touchstone-test-tool observe` wrote: `case-INDEX.py`, `observations.jsonl` and `fields.json`. All files are executed in this one
process. Every field is a text; a difference is printed with the file, the call and both texts; exit status 1. The
semantics of CALLS are those of `docs/case_file.md` and `oracles/observe/CallRunner.h`, written a second time.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import warnings

import torch
from observed_texts import (
    Partition,
    argument_outline,
    effects_of,
    first_line,
    non_tensor_text,
    outline,
    read_autograd,
    read_tensor,
    state_text,
    storage_text,
    tensor_text,
    tensors_in,
    values_text,
    watch_registrations,
)

FIRST_TANGENT, A_TIME, FIRST_OF_SECOND = 1000000, 1000, 500


def check_leaves(tensors, leaves):
    pending = [tensor.grad_fn for tensor in tensors if tensor.grad_fn is not None]
    known = set(pending)
    while pending:
        node = pending.pop()
        variable = getattr(node, "variable", None) if type(node).__name__ == "AccumulateGrad" else None
        if variable is not None and not any(variable is leaf for leaf in leaves):
            raise ValueError(
                "An argument depends on a leaf that requires grad and is neither an argument nor watched; "
                "return it as watched."
            )
        for following, _ in node.next_functions:
            if following is not None and following not in known:
                known.add(following)
                pending.append(following)


def pick(tensors, index, what):
    if not 0 <= index < len(tensors):
        raise IndexError(
            f"There is no {what} {index} to go backward from or to: there are {len(tensors)}."
        )
    return tensors[index]


def earlier_calls(call):
    listed = call.get("backward_after")
    return [] if listed is None else listed if isinstance(listed, list) else [listed]


def looked_at(tensor):
    try:
        return values_text(tensor)
    except Exception:
        return "error"


def layout_of(tensor):
    strides = list(tensor.stride()) if tensor.layout == torch.strided else []
    return f"{list(tensor.shape)} {strides}"


class Call:
    """One entry of CALLS: its tensors, and what was seen."""

    def __init__(self, spec):
        self.spec, self.seen = spec, {}
        self.args, self.watched_values = (), ()
        self.arguments, self.watched, self.outputs, self.leaves = [], [], [], []
        self.tangents = 0
        self.looks = []  # [name, tensor, text of the last look, what reads it]
        self.inputs_seen = []  # the same; looked at when the call's backward has run

    def keep(self, name, tensor):
        self.looks.append([name, tensor, looked_at(tensor), looked_at])

    def look_again(self, after, has_gone_backward):
        looks = list(self.looks)
        if has_gone_backward and "exception" not in self.seen:
            looks += self.inputs_seen
        for look in looks:
            name, tensor, before, read = look
            look[2] = read(tensor)
            if look[2] != before:
                self.seen[f"{name} looked at again after call {after}"] = look[2]

    def get(self, key, default=None):
        return self.spec.get(key, default)

    def raised(self, stage, error, name="exception"):
        self.seen[name] = f"{stage}: {type(error).__name__}: {first_line(str(error))}"

    def failed(self):
        return "exception" in self.seen or "backward exception" in self.seen

    def named(self):
        groups = (("output", self.outputs), ("arg", self.arguments), ("watched", self.watched))
        return [(f"{role} {i}", tensor) for role, tensors in groups for i, tensor in enumerate(tensors)]


class CaseRun:
    def __init__(self, text, file, fields):
        self.fields = fields
        self.module = types.ModuleType("case")
        self.make_current()
        self.names = vars(self.module)
        self.names["torch"] = torch
        exec(compile(text, file, "exec"), self.names)
        self.calls = [Call(spec) for spec in self.names["CALLS"]]

    def make_current(self):
        """Where control flow looks for a function's variables, and keeps what it has found."""
        sys.modules["case"] = self.module
        if "torch._dynamo.symbolic_convert" not in sys.modules:
            return
        for name, each in list(sys.modules.items()):
            if name.startswith("torch."):
                vars(each).pop("__import_case", None)
        torch._dynamo.symbolic_convert._import_module.cache_clear()
        torch._dynamo.reset()  # what it has compiled of earlier Cases' control flow counts towards its limit

    def run(self):
        self.make_current()
        backward_at = list(range(len(self.calls)))
        for i, call in enumerate(self.calls):
            for earlier in earlier_calls(call):
                if backward_at[earlier] == earlier:
                    backward_at[earlier] = i
        for i, call in enumerate(self.calls):
            torch.manual_seed(call.get("rng_seed", 0))
            self.make_inputs(i)
            if "exception" not in call.seen:
                result = self.forward(call)
                self.observe(call, result)
                if "exception" not in call.seen and call.get("between") is not None:
                    self.between(call)
            due = [earlier for earlier in earlier_calls(call) if backward_at[earlier] == i]
            for number in due + [i] * (backward_at[i] == i):
                other = self.calls[number]
                if other.get("backward") is not None and not other.failed():
                    self.backward(other)
            for number, earlier in enumerate(self.calls[: i + 1]):
                earlier.look_again(i, backward_at[number] == i)
        for call in self.calls:
            call.seen.update(effects_of(call.named()))
        for call in self.calls:
            if call.get("create_graph"):
                for leaf in call.leaves:
                    leaf.grad = None
        return [call.seen for call in self.calls]

    def make_inputs(self, index):
        call = self.calls[index]
        try:
            if call.get("inputs") is not None:
                made = self.names[call.get("inputs")](call.get("seed", 0), call.get("kind", "grid"))
                call.args, call.watched_values = made
            else:
                before = self.calls[index - 1] if index else None
                if before is None or before.seen.get("exception", "").startswith("inputs:"):
                    raise RuntimeError("There are no inputs of a previous call to use again.")
                call.args, call.watched_values = before.args, before.watched_values
            fed_leaves = self.feed(index) if call.get("feed") else []
            call.arguments = tensors_in(tuple(call.args))
            call.watched = tensors_in(tuple(call.watched_values))
            for tensor in call.arguments + call.watched + fed_leaves:
                known = any(tensor is leaf for leaf in call.leaves)
                if tensor.requires_grad and tensor.is_leaf and not known:
                    call.leaves.append(tensor)
            if call.get("inputs") is not None and not call.get("feed"):
                check_leaves(call.arguments + call.watched, call.leaves)
        except Exception as error:
            call.arguments, call.watched, call.leaves = [], [], []
            call.args, call.watched_values = (), ()
            call.seen.update({"structure": "", "argument structure": "", "state": ""})
            call.raised("inputs", error)

    def feed(self, index):
        call, before = self.calls[index], self.calls[index - 1]
        arguments = list(call.args)
        for argument, output in call.get("feed"):
            if argument >= len(arguments) or output >= len(before.outputs):
                raise IndexError(
                    f"Argument {argument} cannot be output {output} of the call before: one of them is not there."
                )
            arguments[argument] = before.outputs[output]
        call.args = tuple(arguments)
        return before.leaves

    def forward(self, call):
        torch.manual_seed(call.get("rng_seed", 0))
        modes = {"enable": torch.enable_grad, "no_grad": torch.no_grad, "inference": torch.inference_mode}
        autocast = call.get("autocast")
        default_dtype = torch.get_default_dtype()
        call.versions = [(tensor, self.version(tensor)) for tensor in call.arguments + call.watched]
        result = None
        try:
            with modes[call.get("grad_mode", "enable")](), torch.autocast(
                "cpu", autocast or torch.bfloat16, enabled=autocast is not None
            ):
                try:
                    result = self.names["program"](*call.args)
                except Exception as error:
                    call.raised("forward", error)
                call.seen["state"] = state_text()
        finally:
            torch.set_default_dtype(default_dtype)
        return result

    @staticmethod
    def version(tensor):
        return -1 if tensor.is_inference() else tensor._version

    def observe(self, call, result):
        call.seen["structure"] = ""
        if "exception" not in call.seen:
            non_tensors = []

            def leaf(value):
                if isinstance(value, torch.Tensor):
                    call.outputs.append(value)
                    return "T"
                non_tensors.append(value)
                return "_"

            call.seen["structure"] = outline(result, leaf)
            for i, value in enumerate(non_tensors):
                call.seen[f"non-tensor {i}"] = non_tensor_text(value)
        call.seen["argument structure"] = argument_outline(call.args)
        for tensor in tensors_in(tuple(call.args)):
            if not any(tensor is known for known in call.arguments):
                call.arguments.append(tensor)
        partition, read = Partition(), []
        for role, tensors in (("arg", call.arguments), ("watched", call.watched), ("output", call.outputs)):
            if role == "output":
                for i, (_, user, covered) in enumerate(partition.storages):
                    if not covered:
                        call.seen[f"input storage {i}"] = storage_text(user)
            for i, tensor in enumerate(tensors):
                seen = read_tensor(tensor, self.fields)
                before = [version for known, version in call.versions if known is tensor]
                seen["bumped"] = int(bool(before) and before[0] != self.version(tensor))
                call.seen[f"{role} {i} in storage"] = partition.add(tensor)
                read.append((f"{role} {i}", tensor, seen))
        for name, tensor, seen in read:
            read_autograd(tensor, seen)
            values = seen.pop("values")
            call.seen[name] = tensor_text({**seen, "values": values})
            if name.startswith("output"):
                call.keep(name, tensor)
            else:
                call.inputs_seen.append([name, tensor, looked_at(tensor), looked_at])
                call.inputs_seen.append([f"{name} layout", tensor, layout_of(tensor), layout_of])

    def between(self, call):
        try:
            with torch.no_grad():
                self.names[call.get("between")](tuple(call.args), list(call.outputs))
        except Exception as error:
            call.raised("between", error, "backward exception")

    @torch.no_grad()
    def tangent(self, call, number, root, layout=None):
        made = self.laid_out_tangent(call, number, root, layout)
        call.keep(f"tangent {call.tangents}", made)
        call.tangents += 1
        return made

    def laid_out_tangent(self, call, number, root, layout):
        seed = (call.get("tangent_seed", 0), FIRST_TANGENT + number)
        values = self.names["data"](tuple(root.shape), root.dtype, seed, "grid")
        layout = layout or call.get("tangent_layout", "like")
        if layout == "like" and not root.is_contiguous():
            return torch.empty_like(root.data, dtype=values.dtype).copy_(values)
        if layout == "transposed":
            order = list(reversed(range(root.dim())))
            return values.permute(order).contiguous().permute(order)
        if layout == "expanded" and root.dim() > 0 and root.shape[0] > 0:
            return values[:1].expand(root.shape)
        if layout == "gapped" and root.dim() > 0:
            wide = torch.zeros(*root.shape[:-1], 2 * root.shape[-1], dtype=values.dtype)
            return wide[..., ::2].copy_(values)
        return values

    def backward(self, call):
        gradients = []
        via_grad = call.get("via", "backward") == "grad"
        try:
            roots = [
                pick(call.arguments, int(root[4:]), "arg")
                if isinstance(root, str)
                else pick(call.outputs, root, "output")
                for root in call.get("backward")
            ]
            wrt = call.get("wrt")
            numbers = list(range(len(call.leaves))) if wrt is None else list(wrt)
            leaves = [pick(call.leaves, number, "leaf") for number in numbers]
            times, create = call.get("backward_times", 1), call.get("create_graph", False)
            twice = call.get("derivatives", 1) == 2
            for time in range(times):
                tangents = None
                if call.get("tangent_layout", "like") != "none":
                    tangents = [self.tangent(call, A_TIME * time + i, root) for i, root in enumerate(roots)]
                again = create or time + 1 < times
                keep = {"retain_graph": again or twice, "create_graph": create or twice}
                if via_grad:
                    found = torch.autograd.grad(roots, leaves, tangents, allow_unused=True, **keep)
                    gradients += [(number, value, self.gradient(value)) for number, value in zip(numbers, found)]
                    if twice:
                        second = self.second_derivatives(call, time, found, leaves, again)
                        gradients += [(number, value, self.gradient(value)) for number, value in zip(numbers, second)]
                else:
                    torch.autograd.backward(roots, tangents, inputs=leaves if wrt else None, **keep)
        except Exception as error:
            call.raised("backward", error, "backward exception")
            gradients = []
        if not via_grad:
            gradients = [(i, leaf.grad, self.gradient(leaf.grad)) for i, leaf in enumerate(call.leaves)]
        for i, (number, value, text) in enumerate(gradients):
            call.seen[f"gradient {i} of leaf {number}"] = text
            if value is not None:
                call.keep(f"gradient {i} of leaf {number}", value)

    def second_derivatives(self, call, time, found, leaves, again):
        roots = [value for value in found if value is not None and value.requires_grad]
        if not roots:
            return [None for _ in leaves]
        first = A_TIME * time + FIRST_OF_SECOND
        tangents = [self.tangent(call, first + i, root, "contiguous") for i, root in enumerate(roots)]
        return torch.autograd.grad(roots, leaves, tangents, retain_graph=again, allow_unused=True)

    def gradient(self, tensor):
        if tensor is None:
            return "None"
        seen = read_tensor(tensor, self.fields)
        read_autograd(tensor, seen)
        values = seen.pop("values")
        return tensor_text({**seen, "values": values})


def differences(expected, found):
    """(field, expected, found) of each call; of a tensor only the parts that differ."""
    for number, (ours, plain) in enumerate(zip(expected, found)):
        for name in dict.fromkeys([*ours, *plain]):
            left, right = ours.get(name, "(none)"), plain.get(name, "(none)")
            if left == right:
                continue
            parts = list(zip(left.split("; "), right.split("; ")))
            if len(parts) > 5 and left.count("; ") == right.count("; "):
                left, right = ("; ".join(side) for side in zip(*(part for part in parts if part[0] != part[1])))
            yield f"call {number} {name}", left, right
    if len(expected) != len(found):
        yield "number of calls", str(len(expected)), str(len(found))


def compare_folder(folder, wanted, maximum):
    """Number of Cases that were executed, names of those that differ."""
    executed, calls, fields, differing = 0, 0, 0, []
    expressions = dict(json.loads((folder / "fields.json").read_text()))
    with open(folder / "observations.jsonl") as lines:
        for line in lines:
            entry = json.loads(line)
            file = entry["file"]
            if (wanted and file not in wanted) or not (folder / file).exists():
                continue
            found = CaseRun((folder / file).read_text(), file, expressions).run()
            executed, calls, fields = executed + 1, calls + len(found), fields + sum(map(len, found))
            listed = list(differences(entry["calls"], found))
            if listed:
                differing.append(file)
                if len(differing) <= maximum:
                    for name, ours, plain in listed[:8]:
                        print(f"{file}: {name}\n  touchstone: {ours}\n  plain:      {plain}", flush=True)
    print(f"{executed} files executed in one process, {calls} calls, {fields} fields compared, {len(differing)} differ")
    if differing:
        print("differing: " + " ".join(differing))
    return executed, differing


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--test-tool", help="binary that writes the folder first")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--start", default="0")
    parser.add_argument("--cases", default="600")
    parser.add_argument("--interleaved", action="store_true", help="generated ones with calls that hang together")
    parser.add_argument("--given", nargs="+", default=[], help="case files, or folders of them, not generated ones")
    parser.add_argument("--keep", type=pathlib.Path, help="folder to write to; default: a temporary one")
    parser.add_argument("--only", nargs="*", help="names of files")
    parser.add_argument("--show", type=int, default=20, help="differing files that are shown in full")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    watch_registrations()
    if not options.test_tool:
        if not options.folder:
            parser.error("name a folder, or a binary with --test-tool")
        executed, differing = compare_folder(options.folder, options.only, options.show)
        return 1 if differing or not executed else 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        campaign = ["--seed", options.seed, "--start", options.start, "--cases", options.cases]
        campaign += ["--interleaved"] if options.interleaved else []
        chosen = options.given or campaign
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        command = [options.test_tool, "observe", *chosen, "--out", str(folder)]
        status = subprocess.run(command, env=environment).returncode
        if status != 0:
            print(f"`touchstone-test-tool observe` ended with status {status}.")
        for path in folder.glob("*.py"):
            if "# expect: torch:eager_python Reference" in path.read_text():  # which C++ does not run
                path.unlink()
        executed, differing = compare_folder(folder, options.only, options.show)
        expected = len(list(folder.glob("*.py"))) if options.given else int(options.cases)
        complete = bool(options.only) or executed == expected > 0
        if not complete:
            print(f"{expected - executed} Cases have no observation.")
        return 0 if status == 0 and complete and not differing else 1


if __name__ == "__main__":
    sys.exit(main())
