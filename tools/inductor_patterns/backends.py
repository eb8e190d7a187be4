"""Inductor with one of the passes that are off by default, as backends of `torch.compile`.

`torch:tools.inductor_patterns.backends:split_cat_pass` is Inductor with that pass and the one that brings its operators into the form it
looks for; so for each pass of `pre_grad_fusion_options` and `post_grad_fusion_options`. `…:freezing` takes parameters of modules for
constants where no gradients are recorded. The header `# inductor: NAME` of a Case says that it is about the backend of that name.
"""

import functools

import torch
from torch._inductor import config
from torch._inductor.compile_fx import compile_fx
from torch._inductor.fx_passes import split_cat

NORMALIZATION = {"pre_grad_fusion_options": "normalization_pass", "post_grad_fusion_options": "normalization_aten_pass"}


def settings(name):
    """Inductor's settings under which the pass `name` runs."""
    if name == "freezing":
        return {"freezing": True}
    option = "post_grad_fusion_options" if name in split_cat.post_grad_pass_names else "pre_grad_fusion_options"
    if name not in (*split_cat.pre_grad_pass_names, *split_cat.post_grad_pass_names):
        raise AttributeError(f"Inductor has no pass {name} that is off by default")
    return {option: {NORMALIZATION[option]: {}, name: {}}}


def compiled(chosen, graph, inputs, inner_compile=None, options=None):
    how = {} if inner_compile is None else {"inner_compile": inner_compile}
    return compile_fx(graph, inputs, config_patches={**chosen, **(options or {})}, **how)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    chosen = settings(name)
    if name == "freezing":
        config.freezing = True  # Dynamo asks, before a backend is called
    return functools.partial(compiled, chosen)
