"""The `__main__` part of a case file, and the function by which a pytest file compares. Of this text each Case gets what it needs.

The comments at the ends of lines say what that is, and are not printed:

    # if NAME           the line, and what is indented under it, stands where NAME holds
    # around if NAME    the line stands where NAME holds; what is indented under it always does, further to the left without the line
    # each NAME         the line stands once for each property of that name, or of that group, that is looked at

NAME is a property, a group (`groupName()` in `PythonTemplate.cpp`), or what `program/standalone/MainPart.cpp` says of a Case; `not`, `and`, `or` as
in Python. Words in capitals are filled in. What stands up to the line with dashes is not printed: it says what the words stand for.
"""

import torch

import random

from case import CALLS, data, program

BACKEND = "aot_eager"  # as torch.compile knows it
BOUND = 1e-5  # how far values may be apart
CALL = 0  # the call that is looked at
CALLS_MADE = 1
DYNAMIC, FULLGRAPH, OPTIONS = False, False, None  # of COMPILE
DYNAMIC_BACKWARD = True
FUNCTORCH, INDUCTOR, DYNAMO = {}, {}, {}  # flags by config
FUNCTION = "_main"
IMPORTS, PYTHON_PATH = [], []  # what registers the backend
NAMES = []  # what is compared
PROPERTY, LABEL, EXPRESSION = "dtype", " dtype", "t.dtype"  # of the property that a line with `each` is about

# ----------------------------------------------------------------------------------------------------------------------

if __name__ == "__main__":  # around if main
    import sys  # if main

    import torch._functorch.config  # if main
    import torch._inductor.config  # if main

    @torch._functorch.config.patch(FUNCTORCH)  # if functorch
    @torch._inductor.config.patch(INDUCTOR)  # if inductor
    @torch._dynamo.config.patch(DYNAMO)  # if dynamo
    def FUNCTION(backend=BACKEND):
        """Runs the calls; the finding is that the process dies of it."""  # if survives
        """1 when compiled, `program` differs from eager in DIFFERENCE; else 0."""  # if main and not survives
        """Raises when compiled, `program` differs from eager in DIFFERENCE."""  # if not main and not survives
        torch.set_num_threads(1)  # if main
        torch.set_printoptions(precision=10)  # if main
        torch._dynamo.config.recompile_limit = 256  # if main and not own_recompile_limit
        torch._dynamo.config.accumulated_recompile_limit = 4096  # if main
        torch._functorch.config.donated_buffer = False  # if main and not own_donated_buffer
        torch._inductor.config.fallback_random = True  # eager's random numbers  # if main and not own_fallback_random

        def imported():  # the backend: an object of a module, or what a module registers  # if imported
            import importlib
            import operator

            module, _, names = backend.partition(":")
            sys.path[:0] = PYTHON_PATH  # if python_path
            sys.path.append(".")
            try:
                for name in IMPORTS:  # if imports
                    importlib.import_module(name)
                chosen = operator.attrgetter(names)(importlib.import_module(module)) if names else backend
                torch._dynamo.lookup_backend(chosen)  # if registered
                return chosen
            except Exception as error:
                raise ImportError(f"There is no backend {backend}: {error}") from error  # if not main
                print(f"There is no backend {backend}: {error}")  # if main
                sys.exit(2)  # if main

        def compiled(function):
            if backend in ("none", "eager_python"):
                return function
            if backend == "aot_function":
                from functorch.compile import aot_function, nop

                return lambda *args: aot_function(function, nop)(*args)
            chosen = imported()  # if imported
            return torch.compile(function, backend=chosen, dynamic=DYNAMIC, fullgraph=FULLGRAPH, options=OPTIONS)  # if imported
            return torch.compile(function, backend=backend, dynamic=DYNAMIC, fullgraph=FULLGRAPH, options=OPTIONS)  # if not imported

        def parts(value):  # what an object holds, by name  # if objects
            if isinstance(value, torch.Tensor):
                return [(name, getattr(value, name)) for name in value.__tensor_flatten__()[0]]
            if isinstance(value, torch.nn.Module):
                plain = {k: v for k, v in vars(value).items() if k[0] != "_" and k not in vars(torch.nn.Module())}
                return [*value._parameters.items(), *value._buffers.items(), *plain.items(), *value._modules.items()]
            if isinstance(value, dict):
                return list(value.items())
            if isinstance(value, (list, tuple)):
                return list(zip(getattr(value, "_fields", range(len(value))), value))
            return [(k, v) for k, v in getattr(value, "__dict__", {}).items() if k[0] != "_" and not callable(value)]

        def is_plain(value):  # if objects
            return isinstance(value, torch.Tensor) and not hasattr(value, "__tensor_flatten__")

        def tensors(value):  # if flattens and objects
            return [value] if is_plain(value) else [t for _, part in parts(value) for t in tensors(part)]

        def tensors(value):  # if flattens and not objects
            if isinstance(value, torch.Tensor):
                return [value]
            if isinstance(value, torch.nn.Module):  # if modules
                return [*value.parameters(), *value.buffers()]
            value = list(value.values()) if isinstance(value, dict) else value
            return [t for part in value for t in tensors(part)] if isinstance(value, (list, tuple)) else []

        def outline(value):  # if structure and objects
            inside = [] if is_plain(value) else [(name, outline(part)) for name, part in parts(value)]
            return (type(value).__name__, inside) if inside else "tensor" if is_plain(value) else "value"

        def outline(value):  # if structure and not objects
            if isinstance(value, dict):
                return {key: outline(part) for key, part in value.items()}
            if isinstance(value, (list, tuple)):
                return type(value).__name__, [outline(part) for part in value]
            return "tensor" if isinstance(value, torch.Tensor) else "value"

        def others(value):  # what is no tensor  # if non_tensor and objects
            if isinstance(value, (bool, int, float, complex, str, type(None))):
                return [repr(value)]
            return [] if is_plain(value) else [other for _, part in parts(value) for other in others(part)]

        def others(value):  # what is no tensor  # if non_tensor and not objects
            value = list(value.values()) if isinstance(value, dict) else value
            if isinstance(value, (list, tuple)):
                return [other for part in value for other in others(part)]
            return [] if isinstance(value, torch.Tensor) else [repr(value)]

        def strides(t):  # those that matter  # if strides or input_metadata or gradient_values
            return [stride for stride, size in zip(t.stride(), t.shape) if size > 1 and t.numel() > 1]

        def sharing(t, named):  # who else is in the same storage, and in which bytes  # if partition
            def span(u):
                last = sum((size - 1) * stride for size, stride in zip(u.shape, u.stride())) if u.numel() else -1
                return u.storage_offset() * u.itemsize, (u.storage_offset() + last + 1) * u.itemsize

            shared = {k: u for k, u in named.items() if u.untyped_storage()._cdata == t.untyped_storage()._cdata}
            return {other: span(u) for other, u in shared.items()} if len(shared) > 1 else {}

        def same_object(t, named, given):  # if identity
            return [other for other, u in named.items() if u is t]  # if not everything
            # An alias of an input may be another object.  # if everything
            return [other for other, u in named.items() if u is t and not any(u is v for v in given)]  # if everything

        def storage(t):  # all of it, gaps included  # if storage_bytes or effect
            return torch.empty(0, dtype=t.dtype).set_(t.untyped_storage())

        def modes_and_generator():  # if state
            state = [torch.get_rng_state(), torch.is_grad_enabled(), torch.is_inference_mode_enabled()]
            return state + [torch.is_autocast_enabled("cpu"), torch.get_default_dtype()]

        def contents(gradient):  # if gradient_values
            return None if gradient is None else gradient.detach().clone()  # if via_grad
            return None if gradient is None else [gradient.detach().clone(), strides(gradient)]  # if not via_grad

        def bits(t):  # one NaN is as good as another  # if effect or compares_tensors and not bound
            t = t.detach().resolve_conj().resolve_neg().contiguous()
            real = torch.view_as_real(t) if t.is_complex() else t
            real = real.masked_fill(real.isnan(), float("nan")) if real.is_floating_point() else real
            return t.dtype, t.shape, real.reshape(-1).view(torch.uint8).tolist()

        def same(a, b):  # if compares_tensors
            if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
                return bits(a) == bits(b)  # if not bound
                if (a.shape, a.dtype) != (b.shape, b.dtype):  # if bound
                    return False
                return torch.allclose(a, b, rtol=BOUND, atol=BOUND, equal_nan=True)  # if bound
            if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
                return len(a) == len(b) and all(map(same, a, b))
            return type(a) is type(b) and a == b

        def effects(t, named):  # who changes when `t` is written to  # if effect
            with torch.inference_mode():
                saved, before = storage(t).clone(), {other: bits(u) for other, u in named.items()}
                changed = []
                for fill in (0, 1):
                    t.detach().fill_(fill)
                    changed += [other for other, u in named.items() if bits(u) != before[other]]
                    storage(t).copy_(saved)
                return [other for other in named if other in changed]

        def tangent(call, number, root):  # if tangents
            seed = (call.get("tangent_seed", 0), 1000000 + number)
            values = data(tuple(root.shape), root.dtype, seed, "grid")
            layout = call.get("tangent_layout", "like")  # if like or transposed or expanded or gapped
            if layout == "like":  # if like
                return torch.empty_like(root).copy_(values)
            if layout == "transposed":  # if transposed
                order = list(reversed(range(root.dim())))
                return values.permute(order).contiguous().permute(order)
            if layout == "expanded" and root.dim():  # if expanded
                return values[:1].expand_as(values)
            if layout == "gapped" and root.dim():  # if gapped
                return torch.stack([values, 0 * values], -1).flatten(-2)[..., ::2]
            return values

        given_tangents = []  # of the last backward  # if late_tangents

        def backward(call, outputs, given, leaves):  # if backward
            roots = [outputs[root] for root in call["backward"]]  # if not argument_roots
            roots = [given[int(root[4:])] if isinstance(root, str) else outputs[root] for root in call["backward"]]  # if argument_roots
            create, gradients = call.get("create_graph", False), []
            chosen = call.get("wrt") or range(len(leaves))  # if via_grad
            times = call.get("backward_times", 1)
            for time in range(times):
                again = create or time + 1 < times
                keep = dict(retain_graph=again, create_graph=create)  # if not derivatives
                twice = call.get("derivatives", 1) > 1  # if derivatives
                keep = dict(retain_graph=again or twice, create_graph=create or twice)  # if derivatives
                tangents = [tangent(call, 1000 * time + i, root) for i, root in enumerate(roots)]  # if tangents
                tangents = None if call.get("tangent_layout") == "none" else tangents  # if none and tangents
                tangents = None  # if none and not tangents
                given_tangents.extend(tangents or [])  # if late_tangents
                if call.get("via") == "grad":  # if via_grad, around if via_backward
                    wanted = [leaves[i] for i in chosen]
                    found = torch.autograd.grad(roots, wanted, tangents, allow_unused=True, **keep)
                    gradients += zip(chosen, found)
                    if twice:  # if derivatives
                        found = [t for t in found if t is not None and t.requires_grad]
                        flat = {**call, "tangent_layout": "contiguous"}
                        tangents = [tangent(flat, 1000 * time + 500 + i, t) for i, t in enumerate(found)]
                        given_tangents.extend(tangents)  # if late_tangents
                        second = [None for _ in wanted]
                        if found:
                            second = torch.autograd.grad(found, wanted, tangents, retain_graph=again, allow_unused=True)
                        gradients += zip(chosen, second)
                if call.get("via") != "grad":  # if via_backward, around if via_grad
                    torch.autograd.backward(roots, tangents, **keep)  # if not wrt
                    wanted = [leaves[i] for i in call["wrt"]] if "wrt" in call else None  # if wrt
                    torch.autograd.backward(roots, tangents, inputs=wanted, **keep)  # if wrt
            if call.get("via") == "grad":  # if via_grad, around if via_backward
                return gradients
            return list(enumerate(leaf.grad for leaf in leaves))  # if via_backward

        def copied():  # the same Program in code of its own, for which nothing is compiled  # if instance
            import types

            return types.FunctionType(program.__code__.replace(), globals())

        def run(function):
            function, another = function  # if instance
            seen = {}
            kept = []  # if keeps
            late = []  # what is looked at again after later calls  # if late
            behind = {}  # inputs by call, to be looked at behind its backward  # if late_inputs
            waiting, after = {}, [call.get("backward_after") for call in CALLS]  # if backward and deferred
            after = [each if isinstance(each, list) else [each] for each in after]  # if backward and deferred
            deferred = {n for each in after[:CALLS_MADE] for n in each}  # if backward and deferred
            modes = dict(enable=torch.enable_grad, no_grad=torch.no_grad, inference=torch.inference_mode)  # if grad_mode
            def go_backward(number, call, outputs, given, leaves):  # if backward
                wanted = function is not program and call.get("compiled_autograd", False)  # if compiled_autograd
                scope = torch._dynamo.compiled_autograd._enable(compiled, dynamic=DYNAMIC_BACKWARD)  # if compiled_autograd
                with scope if wanted else torch.enable_grad():  # around if compiled_autograd
                    given_tangents.clear()  # if late_tangents
                    gradients = backward(call, outputs, given, leaves)
                if number == CALL:  # if gradients or late_tangents, around if limited
                    for i, gradient in gradients:  # if gradients
                        seen.setdefault(f"call {number} leaf {i}LABEL", []).append(EXPRESSION)  # each gradients
                    for k, (i, t) in enumerate(gradients):  # if late_gradients
                        late.append((f"call {number} leaf {i} gradient {k}", t))
                    late.extend((f"call {number} tangent {i}", t) for i, t in enumerate(given_tangents))  # if late_tangents
            for number, call in enumerate(CALLS[:CALLS_MADE]):
                if call.get("reset"):  # if reset
                    torch._dynamo.reset()
                try:
                    torch.manual_seed(call.get("rng_seed", 0))  # modules draw numbers  # if random_inputs
                    random.seed(call.get("rng_seed", 0))  # if random
                    if call["inputs"]:  # around if reuse
                        args, watched = globals()[call["inputs"]](call.get("seed", 0), call.get("kind", "grid"))
                    if call.get("feed"):  # if feed
                        args = list(args)
                        for argument, output in call["feed"]:
                            args[argument] = outputs[output]
                    given = tensors(args)  # if given
                    known = given + tensors(watched)  # if backward and not feed
                    known = given + tensors(watched) + (leaves if call.get("feed") else [])  # if backward and feed
                    leaves = [t for t in dict.fromkeys(known) if t.requires_grad and t.is_leaf]  # if backward
                    versions = {f"arg {i}": t._version for i, t in enumerate(given)}  # if version
                    versions |= {f"watched {i}": t._version for i, t in enumerate(tensors(watched))}  # if version
                    graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]  # if recompiles
                    torch.manual_seed(call.get("rng_seed", 0))
                    random.seed(call.get("rng_seed", 0))  # if random
                    with modes[call.get("grad_mode", "enable")]():  # around if grad_mode
                        with torch.autocast("cpu", call.get("autocast", torch.bfloat16), enabled="autocast" in call):  # around if autocast
                            with torch.compiler.set_stance("force_eager" if function is program else "default"):  # around if nested
                                result = function(*args)  # if not instance
                                result = (another if call.get("instance") else function)(*args)  # if instance
                            seen[f"call {number} PROPERTY"] = EXPRESSION  # each process
                    outputs = tensors(result)  # if flattens
                    if number == CALL:  # if result or named, around if limited
                        seen[f"call {number} PROPERTY"] = EXPRESSION  # each result
                        named = {f"output {i}": t for i, t in enumerate(outputs)}  # if outputs or tensors or effect
                        named = {}  # if inputs and not outputs and not tensors and not effect
                        named |= {f"arg {i}": t for i, t in enumerate(given)}  # if inputs or tensors or effect
                        named |= {f"watched {i}": t for i, t in enumerate(tensors(watched))}  # if inputs or tensors or effect
                        kept.append((number, named))  # if keeps
                        given_names = [name for name in named if not name.startswith("output")]  # if late_inputs
                        behind[number] = [(name, named[name], {}) for name in given_names]  # if late_inputs and not version
                        behind[number] = [(name, named[name], versions) for name in given_names]  # if late_inputs and version
                        late += [(f"call {number} {name}", t) for name, t in named.items() if name.startswith("output")]  # if late_outputs
                        for name, t in named.items():  # if outputs or inputs or tensors
                            seen[f"call {number} {name}LABEL"] = EXPRESSION  # each tensors
                            if name.startswith("output"):  # if outputs, around if everything
                                seen[f"call {number} {name}LABEL"] = EXPRESSION  # each outputs
                            if not name.startswith("output"):  # if inputs, around if everything
                                seen[f"call {number} {name}LABEL"] = EXPRESSION  # each inputs
                    if "between" in call:  # if between
                        with torch.no_grad():
                            globals()[call["between"]](tuple(args), outputs)
                    if "backward" in call:  # if backward and not deferred
                        go_backward(number, call, outputs, given, leaves)
                    waiting[number] = (call, outputs, given, leaves)  # if backward and deferred
                    for n in after[number] + [number] * (number not in deferred):  # if backward and deferred
                        if n in waiting and "backward" in CALLS[n]:
                            go_backward(n, *waiting[n])
                    if number > 0:  # the first compiles by right  # if recompiles
                        if number == CALL:  # around if one_call
                            graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"] - graphs
                            seen[f"call {number} graphs compiled"] = graphs
                except Exception as error:
                    outputs = []  # if feed
                    print(f"call {number} raises {type(error).__name__}: {error}"[:300])
                    seen[f"call {number} raised"] = True  # if not internal
                    inner = getattr(error, "inner_exception", error)  # if internal
                    kinds = (AssertionError, KeyError, IndexError, AttributeError)  # if internal
                    internal = "InternalTorchDynamo" in type(error).__name__ or "INTERNAL ASSERT" in str(error)  # if internal
                    seen[f"call {number} raised"] = internal or isinstance(inner, kinds)  # if internal
                    written = {f"arg {i}": t for i, t in enumerate(given)}  # if inputs and not everything
                    written |= {f"watched {i}": t for i, t in enumerate(tensors(watched))}  # if inputs and not everything
                    for name, t in written.items():  # before it raised  # if inputs and not everything
                        seen.setdefault(f"call {number} {name}LABEL", EXPRESSION)  # each inputs
                for name, t, versions in behind.pop(number, []):  # also where the backward raised  # if late_inputs and not deferred
                    seen[f"call {number} {name}LABEL behind the backward"] = EXPRESSION  # each inputs
                for n, inputs in behind.items():  # if late_inputs and deferred
                    for name, t, versions in inputs:
                        seen[f"call {n} {name}LABEL behind the backward"] = EXPRESSION  # each inputs
                for name, t in late:  # if late
                    seen[f"{name} looked at again after call {number}"] = t if t is None else t.detach().clone()
            for number, named in kept:  # if effect
                for name, t in named.items():
                    seen[f"call {number} {name}LABEL"] = effects(t, named)  # each effect
            return seen

        def differ(name, a, b):  # if not survives
            return b and not a  # if raises
            return a and not b  # if accepts
            return b is not None and a != b  # if internal
            if "version" in name:  # if version, around if everything
                return a and not b  # a compiler may count more, not less
            return not same(a, b)  # if compares_tensors
            return a != b  # if compares_others

        run(program)  # if survives and not instance
        run(compiled(program))  # if survives and not instance
        run((program, program))  # if survives and instance
        run((compiled(program), compiled(copied())))  # if survives and instance
        print("The process is still alive.")  # if survives and main
        return 0  # if survives and main
        expected, found = run(program), run(compiled(program))  # if not survives and not instance
        expected, found = run((program, program)), run((compiled(program), compiled(copied())))  # if not survives and instance
        compared = {name: (expected.get(name), found.get(name)) for name in NAMES}  # if not survives
        different = {name: pair for name, pair in compared.items() if differ(name, *pair)}  # if not survives
        lines = [f"{name} differs\neager: {a}\n{backend}: {b}" for name, (a, b) in different.items()]  # if not survives
        FUNCTION.compared, FUNCTION.different = compared, different  # if kept and not survives
        assert not lines, "\n".join(lines)  # if not main and not survives
        print("\n".join([*lines, "differs" if lines else "agrees"]))  # if main and not survives
        return int(bool(lines))  # if main and not survives

    sys.exit(FUNCTION(*sys.argv[2:]) if sys.argv[1:2] in ([], ["--backend"]) else print("usage: [--backend NAME]") or 2)  # if main
