"""The lists of backends/decompositions/TorchSelection.cpp are those of the installed PyTorch.

Usage: check_decompositions.py SOURCE_FOLDER
"""

import re
import sys

import torch
import torch._functorch.compilers
import torch._inductor.decomposition


def listed(source, constant):
    text = re.search(constant + r" =\n(.*?);", source, re.S).group(1)
    return {f"aten::{word}" for piece in re.findall(r'"([^"]*)"', text) for word in piece.split()}


def installed(table):
    """Overloads that write to nothing and that have no kernel above autograd, by name."""
    names = set()
    for operator in table:
        if not isinstance(operator, torch._ops.OpOverload) or operator._schema.is_mutable:
            continue
        name = operator.name()
        above = torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd")
        if name.startswith("aten::") and not above:
            names.add(name)
    return names


def main():
    with open(sys.argv[1] + "/backends/decompositions/TorchSelection.cpp") as file:
        source = file.read()
    names = ("kInductorAndCore", "kInductorAlone", "kInductorRandom", "kCoreAlone")
    both, inductor, random, core = (listed(source, name) for name in names)
    tables = {
        "Inductor's": (both | inductor | random, installed(torch._inductor.decomposition.select_decomp_table())),
        "core ATen's": (both | core, installed(torch._decomp.core_aten_decompositions())),
    }
    failed = False
    for name, (ours, theirs) in tables.items():
        for target in sorted(ours ^ theirs):
            failed = True
            print(f"{target}: {'not ' if target in ours else ''}in {name} table, {'' if target in ours else 'not '}listed")
    print(", ".join(f"{name} table: {len(theirs)}" for name, (_, theirs) in tables.items()))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
