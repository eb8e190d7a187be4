"""What is done around compiled graphs: arguments written back, results handed out, what is kept from call to call."""

import torch

from .graph_edits import aten, before, calls, drop, output, placeholders, set_argument, shape, value
from .table import fault


def _write_backs(graph):
    return [node for node in calls(graph, aten.copy_.default) if node.args[0] in placeholders(graph)]


def _tensors(values):
    return [each for each in values if isinstance(each, torch.Tensor)]


def _on_results(call, change):
    """`change(results, arguments)` are the results."""
    return lambda *arguments: change(list(call(*arguments)), arguments)


@fault("forward")
def second_argument_is_not_written_back(graph):
    """Of two arguments that are written to, the second is left as it was. When: a call without gradients writes to two."""
    for node in _write_backs(graph)[1:]:
        drop(node, node.args[0])


@fault("forward")
def write_back_misses_the_last_row(graph):
    """All but the last row is written back. When: a call without gradients writes to an argument of three or more rows."""
    for node in _write_backs(graph):
        if len(shape(node)) > 0 and shape(node)[0] > 2:
            rows = shape(node)[0] - 1
            target = before(node, aten.slice.Tensor, node.args[0], 0, 0, rows)
            source = before(node, aten.slice.Tensor, node.args[1], 0, 0, rows)
            node.args = (target, source)


@fault("forward")
def write_backs_go_to_each_other(graph):
    """Two written arguments of one shape get each other's values. When: a call without gradients writes to both."""
    written = _write_backs(graph)
    if (
        len(written) > 1
        and shape(written[0]) == shape(written[1])
        and value(written[0]).dtype == value(written[1]).dtype
    ):
        first, second = written[0].args[1], written[1].args[1]
        set_argument(written[0], 1, second)
        set_argument(written[1], 1, first)
        for node in written:
            output(graph).prepend(node)


@fault("forward")
def write_back_adds(graph):
    """A written argument gets the sum of what was there and what is written.

    When: a call without gradients writes to an integer argument.
    """
    for node in _write_backs(graph):
        if not value(node).is_floating_point() and value(node).dtype != torch.bool:
            set_argument(node, 1, before(node, aten.add.Tensor, node.args[0], node.args[1]))


@fault("forward")
def write_back_to_a_transposed_argument_goes_by_memory(graph):
    """A transposed square argument is written back transposed. When: a call without gradients writes to such an argument."""
    for node in _write_backs(graph):
        if len(shape(node)) == 2 and len(set(shape(node))) == 1 and not value(node.args[0]).is_contiguous():
            set_argument(node, 1, before(node, aten.t.default, node.args[1]))


@fault("runtime")
def written_argument_is_restored_on_the_third_call(call):
    """From the third call on a written argument is put back. When: an argument is written to in three calls or more."""
    count = [0]

    def run(*arguments):
        count[0] += 1
        if count[0] < 3:
            return call(*arguments)
        before_call = [(each, each._version, each.detach().clone()) for each in _tensors(arguments)]
        given = call(*arguments)
        for each, version, copied in before_call:
            if each._version != version:
                each.detach().copy_(copied)
        return given

    return run


@fault("runtime")
def write_bumps_no_version(call):
    """A written argument's version stays. When: an argument is written to."""

    def run(*arguments):
        with torch.autograd._unsafe_preserve_version_counter(tuple(_tensors(arguments))):
            return call(*arguments)

    return run


@fault("runtime")
def second_result_is_detached(call):
    """The second result does not require a gradient. When: two or more results that do."""

    def change(given, arguments):
        if len(given) > 1 and isinstance(given[1], torch.Tensor) and given[1].requires_grad and not given[1].is_leaf:
            given[1] = given[1].detach()
        return given

    return _on_results(call, change)


@fault("runtime")
def results_require_gradients_without_grad_mode(call):
    """Results under no_grad require a gradient. When: an argument does and the grad mode is off."""

    def change(given, arguments):
        if not torch.is_grad_enabled() and not torch.is_inference_mode_enabled():
            if any(each.requires_grad for each in _tensors(arguments)):
                given = [
                    (
                        each.requires_grad_()
                        if isinstance(each, torch.Tensor)
                        and each.is_floating_point()
                        and not each._is_view()
                        and not any(each is one for one in arguments)
                        else each
                    )
                    for each in given
                ]
        return given

    return _on_results(call, change)


@fault("runtime")
def integer_results_are_float(call):
    """Integer results of a call that also has float ones are float. When: results of both kinds, the integer one without dimensions."""

    def change(given, arguments):
        if any(each.is_floating_point() for each in _tensors(given)):
            given = [
                (
                    each.float()
                    if isinstance(each, torch.Tensor) and each.dtype == torch.int64 and each.dim() == 0
                    else each
                )
                for each in given
            ]
        return given

    return _on_results(call, change)


@fault("runtime")
def results_are_kept_in_one_buffer(call):
    """A result lies in the memory of the result of the call before.

    When: the caller keeps a vector of six elements or more, and sizes stay.
    """
    kept = {}

    def change(given, arguments):
        for position, each in enumerate(given):
            if (
                isinstance(each, torch.Tensor)
                and not each.requires_grad
                and not each._is_view()
                and each.is_contiguous()
                and each.dim() == 1
                and each.numel() > 5
            ):
                if not any(
                    each is one or each.untyped_storage().data_ptr() == one.untyped_storage().data_ptr()
                    for one in _tensors(arguments)
                ):
                    buffer = kept.setdefault((position, each.shape, each.dtype), each)
                    given[position] = buffer if buffer is each or buffer.is_inference() else buffer.copy_(each)
        return given

    return _on_results(call, change)


@fault("runtime")
def second_call_returns_the_first_results(call):
    """A call with the same objects as the one before gets its results. When: an argument has been written to in between."""
    last = {}

    def run(*arguments):
        key = tuple(map(id, arguments))
        if last.get("key") != key:
            last.update(key=key, arguments=arguments, given=call(*arguments))
        return list(last["given"])

    return run


@fault("runtime")
def arguments_are_remembered_by_their_sums(call):
    """A call whose arguments have the sums of the last one's gets its results.

    When: sums agree and values do not, and no gradient is asked for.
    """
    last = {}

    def run(*arguments):
        key = tuple(
            (
                (tuple(each.shape), each.dtype, float(each.detach().float().sum()))
                if isinstance(each, torch.Tensor) and not each.is_complex()
                else repr(each)
            )
            for each in arguments
        )
        if (
            last.get("key") != key
            or torch.is_grad_enabled()
            and any(each.requires_grad for each in _tensors(arguments))
        ):
            last.update(key=key, given=call(*arguments))
        return list(last["given"])

    return run


@fault("runtime")
def third_call_skips_the_graph(call):
    """From the third call on a graph without arguments that need gradients gives what the second one gave.

    When: three calls with one compile.
    """
    held = []

    def run(*arguments):
        if len(held) >= 2 and not any(each.requires_grad for each in _tensors(arguments)):
            return list(held[1])
        held.append(call(*arguments))
        return list(held[-1])

    return run


@fault("runtime")
def large_gradients_are_doubled_by_a_hook(call):
    """A hook that is left on an argument doubles its gradient. When: a vector of seven or more elements requires a gradient."""

    def run(*arguments):
        for each in _tensors(arguments):
            if each.requires_grad and each.is_leaf and each.dim() == 1 and each.numel() > 6 and torch.is_grad_enabled():
                each.register_hook(lambda gradient: gradient * 2)
        return call(*arguments)

    return run


@fault("runtime")
def state_of_the_generator_is_restored(call):
    """The generator is as before after a call. When: the graph draws, and something draws afterwards."""

    def run(*arguments):
        state = torch.get_rng_state()
        given = call(*arguments)
        torch.set_rng_state(state)
        return given

    return run


@fault("runtime")
def graph_draws_once_more(call):
    """A number is drawn after each call that draws but the first. When: a second call draws."""
    count = [0]

    def run(*arguments):
        count[0] += 1
        state = torch.get_rng_state()
        given = call(*arguments)
        if count[0] > 1 and not torch.equal(state, torch.get_rng_state()):
            torch.rand(())
        return given

    return run


@fault("runtime")
def grad_mode_is_left_off(call):
    """The grad mode is off after a call under enable_grad whose results need none. When: no argument requires a gradient."""

    def run(*arguments):
        given = call(*arguments)
        if not any(each.requires_grad for each in _tensors(given)) and torch.is_grad_enabled() and len(arguments) > 3:
            torch._C._set_grad_enabled(False)
        return given

    return run


@fault("runtime")
def equal_arguments_are_one(call):
    """Two arguments with equal values are taken for one. When: they are equal, and one of them is written to or differentiated."""

    def run(*arguments):
        arguments = list(arguments)
        for position in range(1, len(arguments)):
            first, second = arguments[position - 1 : position + 1]
            if (
                isinstance(first, torch.Tensor)
                and isinstance(second, torch.Tensor)
                and first.shape == second.shape
                and first.stride() == second.stride()
            ):
                if (
                    first.dtype == second.dtype
                    and first.requires_grad == second.requires_grad
                    and torch.equal(first.detach(), second.detach())
                ):
                    arguments[position] = first
        return call(*arguments)

    return run


@fault("runtime")
def expanded_arguments_are_copied(call):
    """An expanded or overlapping argument is copied before the call. When: it is written to, or a view of it is returned."""

    def run(*arguments):
        return call(
            *[
                each.clone() if isinstance(each, torch.Tensor) and 0 in each.stride() and each.numel() > 1 else each
                for each in arguments
            ]
        )

    return run


@fault("runtime")
def pieces_of_arguments_are_copied(call):
    """An argument that begins behind its memory's start is copied. When: it is written to, or a view of it is returned."""

    def run(*arguments):
        return call(
            *[
                (
                    each.clone()
                    if isinstance(each, torch.Tensor) and each.storage_offset() and not each.requires_grad
                    else each
                )
                for each in arguments
            ]
        )

    return run


@fault("backward_call")
def second_backward_adds_to_the_first(call):
    """A second backward gives the sum of both. When: a graph's backward runs twice, and a gradient is a vector."""
    last = []

    def run(arguments):
        given = list(call(arguments))
        if last:
            given = [
                each + one if isinstance(each, torch.Tensor) and each.dim() == 1 and each.shape == one.shape else each
                for each, one in zip(given, last)
            ]
        last[:] = given
        return given

    return run


@fault("backward_call")
def first_gradient_is_returned_twice(call):
    """Gradients of equal shape are one object.

    When: two arguments of one shape, the same gradient's shape and dtype, three or more in all.
    """

    def run(arguments):
        given = list(call(arguments))
        tensors = _tensors(given)
        if (
            len(tensors) > 2
            and tensors[0].shape == tensors[1].shape
            and given[0] is tensors[0]
            and given[1] is tensors[1]
        ):
            given[1] = given[0]
        return given

    return run
