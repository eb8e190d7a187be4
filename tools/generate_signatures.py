#!/usr/bin/env python3
"""Writes the table of Python signatures of PyTorch's operators, as the installed wheel's own torchgen derives them.

    generate_signatures.py OUTPUT

The output is C++: raw string literals, one for each name space, that program/torch_names/SignatureTable.cpp includes and
parses when a name is first used. A line is either

    @NAME
    SIGNATURE <tab> OPERATOR <tab> OUT OPERATOR <tab> FLAGS <tab> CALL

Signatures stand in the order in which eager's argument parser tries them. SIGNATURE is in the parser's own notation.
FLAGS: `f` factory options, `l` options of a `*_like` or `new_*` function, `d` deprecated. CALL, for deprecated ones: the
arguments handed to the operator, in schema order; a number there is a constant.
"""

import pathlib
import sys

import torchgen
from torchgen.gen import parse_native_yaml
from torchgen.packaged.autograd import gen_python_functions as bindings

PACKAGED = pathlib.Path(torchgen.__file__).parent / "packaged"
LITERAL_LIMIT = 12_000

SPACES = [
    # name in the table, is a method, which native functions
    ("torch", False, bindings.is_py_torch_function),
    ("method", True, bindings.is_py_variable_method),
    ("nn", False, bindings.is_py_nn_function),
    ("linalg", False, bindings.is_py_linalg_function),
    ("fft", False, bindings.is_py_fft_function),
    ("special", False, bindings.is_py_special_function),
]


def is_like_or_new(function):
    name = str(function.func.name.name)
    return (
        function.category_override in ("new", "like")
        or name.startswith("new_")
        or name.endswith("_like")
    )


def row(group):
    signature = group.signature
    flags = ""
    if signature.tensor_options_args:
        flags += "l" if is_like_or_new(group.base) else "f"
    call = ""
    if signature.deprecated:
        flags += "d"
        call = ",".join(signature.deprecated_args_exprs)
    out = str(group.outplace.func.name) if group.outplace is not None else ""
    text = signature.signature_str().removesuffix("|deprecated")
    return "\t".join([text, str(group.base.func.name), out, flags, call])


def lines_of(pairs, predicate):
    grouped = bindings.group_filter_overloads(pairs, predicate)
    for name in sorted(grouped, key=str):
        yield "@" + str(name)
        groups = bindings.group_overloads(grouped[name])
        # The parser tries deprecated signatures last.
        for group in sorted(groups, key=lambda group: group.signature.deprecated):
            yield row(group)


def literals(lines):
    """Raw string literals below the length that any compiler takes; the compiler joins them."""
    chunk, size = [], 0
    for line in lines:
        assert ')~"' not in line, line
        if size + len(line) > LITERAL_LIMIT:
            yield 'R"~(' + "".join(chunk) + ')~"'
            chunk, size = [], 0
        chunk.append(line + "\n")
        size += len(line) + 1
    yield 'R"~(' + "".join(chunk) + ')~"'


def main(output):
    native = PACKAGED / "ATen" / "native"
    functions = parse_native_yaml(
        str(native / "native_functions.yaml"), str(native / "tags.yaml")
    ).native_functions
    functions = [
        function
        for function in functions
        if bindings.should_generate_py_binding(function)
    ]
    deprecated = str(PACKAGED / "autograd" / "deprecated.yaml")
    pairs = {
        method: bindings.load_signatures(functions, deprecated, method=method)
        for method in (False, True)
    }
    text = ["// Made by tools/generate_signatures.py from the installed PyTorch; not to be edited.\n"]
    for name, method, predicate in SPACES:
        text.append(f"constexpr const char* {name}Signatures[] = {{\n")
        text.extend(literal + ",\n" for literal in literals(lines_of(pairs[method], predicate)))
        text.append("};\n")
    pathlib.Path(output).write_text("".join(text))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: generate_signatures.py OUTPUT")
    main(sys.argv[1])
