"""Backends that are wrong where a graph has one shape in it: `torch:planted_causes:NAME`.

Each is AOTAutograd with graphs that are run node by node, honest but for one cause: two operators in a row, a write through
a view, a gradient, a result of an earlier call. So a finding of each can be reduced to what its cause needs, which is known. With PLANTED_CAUSES=off
in the environment they are mended.
"""

import os

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._functorch.partitioners import min_cut_rematerialization_partition

aten = torch.ops.aten

_VIEWS = {aten.t, aten.transpose, aten.permute, aten.select, aten.slice, aten.view, aten._unsafe_view, aten.expand, aten.unsqueeze,
          aten.squeeze, aten.diagonal, aten.unfold, aten.alias, aten.detach, aten.as_strided}  # fmt: skip
_SUMS = {aten.sum, aten.mean, aten.amax, aten.amin, aten.prod, aten.var, aten.logsumexp}


def _packet(node):
    return getattr(node.target, "overloadpacket", None) if node.op == "call_function" else None


def _operands(node):
    return list(node.all_input_nodes)


def _behind_views(node):
    while _packet(node) in _VIEWS and _operands(node):
        node = _operands(node)[0]
    return node


def _plus_one(value):
    return value + 1 if isinstance(value, torch.Tensor) and value.is_floating_point() else value


class _Run(torch.fx.Interpreter):
    """A graph run node by node, each value handed to `change(state, node, value)`."""

    def __init__(self, module, change, state):
        super().__init__(module)
        self.change, self.state = change, state

    def run_node(self, node):
        value = super().run_node(node)
        return value if node.op in ("placeholder", "output") else self.change(self.state, node, value)


def _compiler(change):
    if os.environ.get("PLANTED_CAUSES") == "off":
        change = _honest

    def compile_graph(module, _):
        state = {"calls": 0}

        def run(*arguments):
            state["calls"] += 1
            return _Run(module, change, state).run(*arguments)

        return make_boxed_func(run)

    return compile_graph


def _honest(state, node, value):
    return value


def _planted(forward=_honest, backward=_honest):
    """But for the cause, what `torch:aot_eager` is."""
    return aot_autograd(
        fw_compiler=_compiler(forward),
        bw_compiler=_compiler(backward),
        partition_fn=min_cut_rematerialization_partition,
        keep_inference_input_mutations=True,
    )


honest = _planted()


def _product_of_a_transposed(state, node, value):
    turned = any(_packet(each) in (aten.t, aten.transpose, aten.permute) for each in _operands(node))
    return _plus_one(value) if _packet(node) is aten.mul and turned else value


def _sum_of_a_sum(state, node, value):
    twice = _packet(node) in _SUMS and any(_packet(_behind_views(each)) in _SUMS for each in _operands(node))
    return _plus_one(value) if twice else value


def _sum_behind_relu(state, node, value):
    behind = _packet(node) is aten.add and any(_packet(each) is aten.relu for each in _operands(node))
    return _plus_one(value) if behind else value


def _product_of_one_by_itself(state, node, value):
    operands = [each for each in node.args if isinstance(each, torch.fx.Node)]
    same = _packet(node) is aten.mul and len(operands) == 2 and operands[0] is operands[1]
    return _plus_one(value) if same else value


def _concatenation_of_one_twice(state, node, value):
    twice = _packet(node) is aten.cat and len(node.args[0]) > len(set(node.args[0]))
    return _plus_one(value) if twice else value


def _sine_of_a_part(state, node, value):
    part = _packet(node) is aten.sin and any(_packet(each) in (aten.select, aten.slice) for each in _operands(node))
    return _plus_one(value) if part else value


def _layout_of_a_sum(state, node, value):
    plain = isinstance(value, torch.Tensor) and value.dim() >= 2 and value.is_contiguous()
    returned = _packet(node) is aten.add and all(user.op == "output" for user in node.users)
    return value.mT.contiguous().mT if returned and plain else value


def _dtype_of_a_maximum(state, node, value):
    whole = isinstance(value, torch.Tensor) and value.dtype == torch.int64
    return value.int() if whole and _packet(node) in (aten.argmax, aten.argmin, aten.sum) else value


def _write_through_a_view(state, node, value):
    """What is written back to an argument by way of a view of it is lost."""
    if _packet(node) in (aten.select_scatter, aten.slice_scatter, aten.as_strided_scatter, aten.diagonal_scatter):
        written = _operands(node)[0]
        return value if written.op != "placeholder" else value - value
    return value


def _second_product(state, node, value):
    late = _packet(node) in (aten.mm, aten.bmm, aten.addmm, aten.matmul, aten.dot, aten.mv) and state["calls"] > 2
    return _plus_one(value) if late else value


def _first_sigmoid_again(state, node, value):
    if _packet(node) not in (aten.sigmoid, aten.tanh, aten.exp) or not isinstance(value, torch.Tensor):
        return value
    kept = state.setdefault(node.name, value.clone())
    return kept.clone() if kept.shape == value.shape else value


def _gradient_of_tanh(state, node, value):
    return _plus_one(value) if _packet(node) in (aten.tanh_backward, aten.sigmoid_backward, aten.threshold_backward) else value


def _gradient_of_a_product(state, node, value):
    return _plus_one(value) if _packet(node) in (aten.mm, aten.bmm) else value


def _gradient_of_a_sum(state, node, value):
    return _plus_one(value) if _packet(node) is aten.expand else value


product_of_a_transposed = _planted(_product_of_a_transposed)
sum_of_a_sum = _planted(_sum_of_a_sum)
sum_behind_relu = _planted(_sum_behind_relu)
product_of_one_by_itself = _planted(_product_of_one_by_itself)
concatenation_of_one_twice = _planted(_concatenation_of_one_twice)
sine_of_a_part = _planted(_sine_of_a_part)
layout_of_a_sum = _planted(_layout_of_a_sum)
dtype_of_a_maximum = _planted(_dtype_of_a_maximum)
write_through_a_view = _planted(_write_through_a_view)
second_product = _planted(_second_product)
first_sigmoid_again = _planted(_first_sigmoid_again)
gradient_of_tanh = _planted(backward=_gradient_of_tanh)
gradient_of_a_product = _planted(backward=_gradient_of_a_product)
gradient_of_a_sum = _planted(backward=_gradient_of_a_sum)


def output_that_is_no_view(graph_module, example_inputs):
    """Results that lie in an argument's memory are copied."""
    compiled = honest(graph_module, example_inputs)

    def run(*arguments):
        memory = {each.untyped_storage().data_ptr() for each in arguments if isinstance(each, torch.Tensor) and each.numel()}
        ours = lambda each: isinstance(each, torch.Tensor) and each.numel() and each.untyped_storage().data_ptr() in memory
        return tuple(each.clone() if ours(each) else each for each in compiled(*arguments))

    return run


def output_without_history(graph_module, example_inputs):
    """Results behind an exponential are detached."""
    compiled = honest(graph_module, example_inputs)
    has = any("exp" in str(node.target) for node in graph_module.graph.nodes if node.op.startswith("call"))

    def run(*arguments):
        returned = compiled(*arguments)
        return tuple(each.detach() if isinstance(each, torch.Tensor) else each for each in returned) if has else returned

    return run


CAUSES = (
    "product_of_a_transposed", "sum_of_a_sum", "sum_behind_relu", "product_of_one_by_itself", "concatenation_of_one_twice",
    "sine_of_a_part", "layout_of_a_sum", "dtype_of_a_maximum", "write_through_a_view", "second_product", "first_sigmoid_again",
    "gradient_of_tanh", "gradient_of_a_product", "gradient_of_a_sum", "output_that_is_no_view", "output_without_history",
)  # fmt: skip

# Among these each cause is met soon; the rest of a Program is made of them, too.
_COMMON = "add,mul,neg,clone,sub,relu,transpose,view"
_NEAR = {
    "product_of_a_transposed": "t,permute,mul_scalar",
    "sum_of_a_sum": "sum,sum_dim,mean_dim,amax,unsqueeze,expand",
    "sum_behind_relu": "relu_,add_",
    "product_of_one_by_itself": "mul_,square,select",
    "concatenation_of_one_twice": "cat,cat_self,hstack,vstack,split",
    "sine_of_a_part": "sin,sin_,select,narrow,get_item,slice_steps",
    "layout_of_a_sum": "expand,add_scalar,unsqueeze",
    "dtype_of_a_maximum": "argmax,argmin,max_dim,sum_dim,to_int64",
    "write_through_a_view": "add_,mul_,zero_,select,diagonal,narrow,view_add_,diagonal_add_",
    "second_product": "mm,matmul,mv,dot,linear",
    "first_sigmoid_again": "sigmoid,tanh,exp",
    "gradient_of_tanh": "tanh,sigmoid,threshold",
    "gradient_of_a_product": "mm,matmul,mv,linear",
    "gradient_of_a_sum": "sum,sum_dim,mean_dim",
    "output_that_is_no_view": "select,t,narrow,get_item,unsqueeze",
    "output_without_history": "exp,exp_,expand",
}


def operators_near(cause):
    """For `touchstone fuzz --operators`: Programs in which the cause is not rare; empty where there is no such cause."""
    return f"{_COMMON},{_NEAR[cause]}" if cause in _NEAR else ""
