"""Guards on sizes, strides and ints in a normal form, which is the same for native captures and for Dynamo's: canonical()."""

import ast
import functools
import re

import sympy

_TENSOR = r"L\['\$?\w+'\](?:\[(?:-?\d+|'\w+')\]|\.(?!size\b|stride\b|storage_offset\b)\w+(?!\w*\())*"
ATOM = re.compile(_TENSOR + r"(?:\.(?:size|stride)\(\)\[\d+\])?")
_CHECKED = re.compile(rf"check_tensor\(({_TENSOR}), .*?size=\[(.*?)\], stride=\[(.*?)\]\)")
_OPERATORS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_CALLS = {"Eq": "==", "Ne": "!="}
_FUNCTIONS = {"Mod": sympy.Mod, "Min": sympy.Min, "Max": sympy.Max, "FloorDiv": lambda a, b: sympy.floor(a / b), "PythonMod": sympy.Mod}


def codes_of(guards):
    """The guards of each compiled code: both sides begin one with the global state, Dynamo with a line before it."""
    codes = []
    for guard in guards:
        text = re.sub(r"^\w+: ", "", guard)
        if "___check_global_state()" in text:
            codes.append([])
        if codes:
            text = re.sub(r"\._(?:parameters|buffers|modules)\['(\w+)'\]", r".\1", text)
            codes[-1].append(re.sub(r"L\['(?:___stack|\$)\d+'\]", "L['stack']", text.split(" # ")[0].strip()))
    return [tuple(code) for code in codes]


def tensors_of(code):
    """The tensors that are looked at, and how many dimensions each has."""
    return _read(code).tensors


@functools.lru_cache(maxsize=None)
def canonical(code, tensors):
    """What a code says of sizes and strides of these tensors, and of ints, in the normal form."""
    return _read(code).canonical(tensors)


@functools.lru_cache(maxsize=None)
def _read(code):
    return Relations(code)


class NotRead(Exception):
    """A condition of another form."""


class Relations:
    """What one code's guards say of sizes, strides and ints: `expression OPERATOR 0` with `==`, `!=` or `<=`."""

    def __init__(self, guards):
        self.symbols = {}  # by atom
        self.tensors = {}  # with how many dimensions
        self.relations = []
        self.unread = set()  # of other forms; of sizes, they stand for themselves
        for guard in guards:
            checked = _CHECKED.match(guard)
            if checked:
                self._add_tensor(*checked.groups())
            elif not re.search(r"hasattr|___|check_|storage_offset|\._base|^len\(|memory| is ", guard) and ATOM.search(guard):
                try:
                    self._add_text(guard)
                except (NotRead, SyntaxError, TypeError, KeyError, NameError):
                    self.unread |= {guard} if "()[" in guard else set()

    def _symbol(self, atom):
        return self.symbols.setdefault(atom, sympy.Symbol(f"v{len(self.symbols)}", integer=True))

    def _add_tensor(self, source, sizes, strides):
        self.tensors[source] = len(sizes.split(", ")) if sizes else 0
        for of, values in (("size", sizes), ("stride", strides)):
            for i, value in enumerate(values.split(", ") if values else ()):
                if value.lstrip("-").isdigit():
                    self.relations.append(("==", self._symbol(f"{source}.{of}()[{i}]") - int(value)))

    def _add_text(self, text):
        names = {}

        def name(match):
            symbol = self._symbol(match.group())
            names[str(symbol)] = symbol
            return str(symbol)

        tree = ast.parse(ATOM.sub(name, text), mode="eval").body
        if isinstance(tree, ast.Call) and getattr(tree.func, "id", None) in _CALLS:
            self._add(_CALLS[tree.func.id], *(self._value(each, names) for each in tree.args))
        elif isinstance(tree, ast.Compare):
            values = [self._value(each, names) for each in (tree.left, *tree.comparators)]
            for left, operator, right in zip(values, tree.ops, values[1:]):
                self._add(_OPERATORS[type(operator)], left, right)
        else:
            raise NotRead

    def _value(self, node, names):
        value = eval(compile(ast.Expression(node), "guard", "eval"), {"__builtins__": {}}, {**_FUNCTIONS, **names})
        if isinstance(value, (bool, str, float)) or value is None:
            raise NotRead
        return sympy.sympify(value)

    def _add(self, operator, left, right):
        if operator in (">", ">="):
            operator, left, right = "<" + operator[1:], right, left
        self.relations.append((operator.replace("<", "<=") if operator == "<" else operator, left - right + int(operator == "<")))

    def canonical(self, tensors):
        """Texts, without what is said of other tensors than these: sizes that are equal by their first, bounds of each in one."""
        kept = [atom for atom in sorted(self.symbols) if not re.search(r"\)\[\d+\]$", atom) or re.sub(r"\.\w+\(\)\[\d+\]$", "", atom) in tensors]
        order = {self.symbols[atom]: number for number, atom in enumerate(kept)}
        last = len(order)
        value = {}  # of a symbol that equals a number or another symbol
        relations = list(self.relations)
        changed = True
        while changed:
            changed = False
            relations = [(operator, sympy.expand(expression.subs(value))) for operator, expression in relations]
            bounds = _bounds(relations)
            for symbol, (low, high) in bounds.items():
                if low is not None and low == high:
                    relations.append(("==", symbol - low))
            for operator, expression in relations:
                solved = _solved(expression, lambda symbol: order.get(symbol, last)) if operator == "==" else None
                if solved:
                    value = {each: sympy.sympify(to).subs(*solved) for each, to in value.items()}
                    value[solved[0]] = sympy.sympify(solved[1])
                    changed = True
                    break
        named = {symbol: sympy.Symbol(atom) for atom, symbol in self.symbols.items()}
        texts = {f"{named[symbol]} == {to.subs(named)}" for symbol, to in value.items() if symbol in order}
        for symbol, (low, high) in _bounds(relations).items():
            if symbol in order:
                texts |= {f"{low} <= {named[symbol]}"} if low is not None else set()
                texts |= {f"{named[symbol]} <= {high}"} if high is not None else set()
        for operator, expression in relations:
            if len(expression.free_symbols) > 0 and not _is_bound(operator, expression) and expression.free_symbols <= set(order):
                expression = sympy.expand(expression / sympy.Abs(sympy.Poly(expression, *expression.free_symbols).content() or 1)
                                          if expression.is_polynomial() else expression)
                if operator != "<=" and str((-expression).subs(named)) < str(expression.subs(named)):
                    expression = -expression
                texts.add(f"{expression.subs(named)} {operator} 0")
        return frozenset(texts | self.unread)


def _is_bound(operator, expression):
    return operator == "<=" and expression.is_polynomial() and len(expression.free_symbols) == 1 and sympy.degree(expression) == 1


def _bounds(relations):
    """By symbol the largest lower bound and the smallest upper one, or None."""
    found = {}
    for operator, expression in relations:
        if _is_bound(operator, expression):
            (symbol,) = expression.free_symbols
            factor, rest = expression.coeff(symbol), expression.subs(symbol, 0)
            low, high = found.get(symbol, (None, None))
            if factor > 0:
                limit = sympy.floor(-rest / factor)
                high = limit if high is None else min(high, limit)
            else:
                limit = sympy.ceiling(rest / -factor)
                low = limit if low is None else max(low, limit)
            found[symbol] = low, high
    return found


def _solved(expression, order):
    """`(symbol, what it equals)` of an equation of one symbol and a number, or of two symbols, the later one by the earlier."""
    symbols = sorted(expression.free_symbols, key=order)
    if not symbols or not expression.is_polynomial():
        return None
    if len(symbols) == 1 and sympy.degree(expression) > 1:
        roots = [root for root in sympy.Poly(expression).ground_roots() if root > 0]  # of sizes
        return (symbols[0], roots[0]) if len(roots) == 1 else None
    last, rest = symbols[-1], expression.subs(symbols[-1], 0)
    if sympy.degree(expression, last) != 1 or abs(expression.coeff(last)) != 1:
        return None
    to = -rest / expression.coeff(last)
    return (last, to) if to.is_number or to.is_Symbol else None
