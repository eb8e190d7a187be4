"""The Python texts that the program prints from are sound Python: `check_templates.py FOLDER`, in which they lie.

Each parses, and each name that it uses is bound in it or is built in, or is one that case files have.
"""

import ast
import builtins
import pathlib
import sys


def bound_names(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((each.asname or each.name).partition(".")[0] for each in node.names)


def troubles_of(text, name):
    try:
        tree = ast.parse(text, name)
    except SyntaxError as error:
        return [f"{name}:{error.lineno}: {error.msg}"]
    known = {*bound_names(tree), *dir(builtins), "__file__", "__name__", "torch", "data"}
    used = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return [f"{name}:{node.lineno}: no `{node.id}` is known" for node in used if node.id not in known]


def main():
    files = sorted(pathlib.Path(sys.argv[1]).rglob("*.py"))
    troubles = [trouble for file in files for trouble in troubles_of(file.read_text(), file.name)]
    print("\n".join(troubles) or f"{len(files)} templates are sound Python")
    return 1 if troubles or not files else 0


if __name__ == "__main__":
    sys.exit(main())
