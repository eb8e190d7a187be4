"""The one place at which Dynamo hands a captured graph to a backend, for all that look at it or change what comes of it."""

import functools

from torch._dynamo import output_graph

_compile = output_graph.OutputGraph.call_user_compiler
_hooks = []


def compile_through(hook):
    """From now on `hook(module, compile_graph)` gives what runs in place of `compile_graph()`; the last hook is the outermost. Once each."""
    if hook not in _hooks:
        _hooks.append(hook)
    output_graph.OutputGraph.call_user_compiler = _compile_through_hooks


def _compile_through_hooks(self, module, examples):
    compile_graph = functools.partial(_compile, self, module, examples)
    for hook in _hooks:
        compile_graph = functools.partial(hook, module, compile_graph)
    return compile_graph()


def called_as(compiled, run):
    """`run`, which takes its arguments as `compiled` does: in a list that it may empty, or one by one."""
    if hasattr(compiled, "_boxed_call"):
        run._boxed_call = compiled._boxed_call
    return run
