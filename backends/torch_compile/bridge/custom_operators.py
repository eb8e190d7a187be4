"""Custom operators of a Program's text. PyTorch knows one of a name in a process: a second definition takes the first one's place, under
code that was compiled with that. So all definitions of one text have the same operators, which go with the last that holds them."""

import ast

from torch._library import custom_ops

_held = {}  # by text: its operators by name, and how often it is held


def _called(node):
    """`NAME.register_autograd` of a call or an attribute, as its text."""
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)


def _is_of_operators(statement):
    if isinstance(statement, ast.FunctionDef):
        decorators = [_called(decorator) for decorator in statement.decorator_list]
        return any(name == "torch.library.custom_op" or name.endswith(".register_fake") for name in decorators)
    is_call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    return is_call and _called(statement.value).endswith(".register_autograd")


def run(source, file, namespace):
    """Executes the text. Operators that are held already are put into the namespace instead of being defined again."""
    if source not in _held:
        exec(compile(source, file, "exec"), namespace)
        return
    tree = ast.parse(source, file)
    tree.body = [statement for statement in tree.body if not _is_of_operators(statement)]
    namespace.update(_held[source][0])
    exec(compile(tree, file, "exec"), namespace)


def hold(source, namespace):
    """Keeps the operators that the text has defined, until they are released as often."""
    operators = {name: value for name, value in namespace.items() if isinstance(value, custom_ops.CustomOpDef)}
    if operators:
        count = _held[source][1] if source in _held else 0
        _held[source] = (operators, count + 1)


def release(source):
    """The operators are as if they had never been defined, when nobody holds them any more."""
    if source not in _held:
        return
    operators, count = _held.pop(source)
    if count > 1:
        _held[source] = (operators, count - 1)
        return
    for operator in operators.values():
        if custom_ops.OPDEF_TO_LIB.get(operator._qualname) is operator._lib:
            del custom_ops.OPDEF_TO_LIB[operator._qualname]
        operator._lib._destroy()
