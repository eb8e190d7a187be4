# touchstone: 1
# torch: 2.13.0
# note: a custom autograd function under enable_grad in inference mode gives an inference tensor a grad_fn
# expect: torch:aot_function Differs/requires_grad/call 0 output 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


class ReturnsInput(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


def inputs(seed, kind):
    return (), ()


def program():
    y6 = torch.ones((1,), requires_grad=True)
    with torch.enable_grad():
        y8 = ReturnsInput.apply(y6)
    return y8, y6


CALLS = [
    dict(inputs="inputs", grad_mode="inference"),
    dict(inputs="inputs", seed=1, grad_mode="inference"),
    dict(inputs="inputs", seed=2, grad_mode="inference"),
]


if __name__ == "__main__":
    import sys

    import torch._functorch.config
    import torch._inductor.config

    def _main(backend="aot_function"):
        """1 when compiled, `program` differs from eager in requires_grad of output 0 in call 0; else 0."""
        torch.set_num_threads(1)
        torch.set_printoptions(precision=10)
        torch._dynamo.config.recompile_limit = 256
        torch._dynamo.config.accumulated_recompile_limit = 4096
        torch._functorch.config.donated_buffer = False
        torch._inductor.config.fallback_random = True  # eager's random numbers

        def compiled(function):
            if backend in ("none", "eager_python"):
                return function
            if backend == "aot_function":
                from functorch.compile import aot_function, nop

                return lambda *args: aot_function(function, nop)(*args)
            return torch.compile(function, backend=backend, dynamic=False)

        def tensors(value):
            if isinstance(value, torch.Tensor):
                return [value]
            value = list(value.values()) if isinstance(value, dict) else value
            return [t for part in value for t in tensors(part)] if isinstance(value, (list, tuple)) else []

        def run(function):
            seen = {}
            modes = dict(enable=torch.enable_grad, no_grad=torch.no_grad, inference=torch.inference_mode)
            for number, call in enumerate(CALLS[:1]):
                args, watched = globals()[call["inputs"]](call.get("seed", 0), call.get("kind", "grid"))
                torch.manual_seed(call.get("rng_seed", 0))
                try:
                    with modes[call.get("grad_mode", "enable")]():
                        result = function(*args)
                    outputs = tensors(result)
                    named = {f"output {i}": t for i, t in enumerate(outputs)}
                    for name, t in named.items():
                        seen[f"call {number} {name}"] = t.requires_grad
                except Exception as error:
                    print(f"call {number} raises {type(error).__name__}: {error}"[:300])
                    seen[f"call {number} raised"] = True
            return seen

        expected, found, status = run(program), run(compiled(program)), 0
        for name in ["call 0 raised", "call 0 output 0"]:
            a, b = expected.get(name), found.get(name)
            if a != b:
                print(f"{name} differs\neager: {a}\n{backend}: {b}")
                status = 1
        print("differs" if status else "agrees")
        return status

    sys.exit(_main(*sys.argv[2:]))  # --backend NAME
