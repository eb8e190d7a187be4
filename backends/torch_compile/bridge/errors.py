"""Says in plain words what was raised: the innermost cause under the compiler's wrappers."""

import torch
from torch._dynamo import exc as dynamo_exc
from torch.fx.experimental import symbolic_shapes

# Where the compiler's part of a message begins.
_TAILS = ("\n\nfrom user code:", "\nfrom user code:", "\nSet TORCHDYNAMO_VERBOSE", "\n\nSet TORCHDYNAMO_VERBOSE")

# Functions on the stack of an exception that was raised while compiling.
_COMPILING_FILES = ("_dynamo/convert_frame.py", "_dynamo/output_graph.py", "_dynamo/symbolic_convert.py")
_COMPILING_FUNCTIONS = ("aot_stage1_graph_capture", "aot_stage2_compile", "create_aot_state")


def _cause(error):
    """The exception that a wrapper of the compiler hides, or None when `error` is no wrapper."""
    inner = getattr(error, "inner_exception", None)
    if isinstance(inner, BaseException):
        return inner
    if isinstance(error, dynamo_exc.TorchRuntimeError):
        broke = error.__cause__ or error.__context__
        if isinstance(broke, dynamo_exc.Unsupported):
            broke = broke.__cause__ or broke.__context__
        return broke
    if isinstance(error, dynamo_exc.InternalTorchDynamoError):
        return error.__cause__
    if type(error).__name__ == "LoweringException":
        return error.__cause__ or error.__context__
    return None


def innermost(error):
    for _ in range(20):
        cause = _cause(error)
        if cause is None:
            break
        error = cause
    return error


def message_of(error):
    text = str(error)
    for tail in _TAILS:
        text = text.partition(tail)[0]
    return text.strip()


def raised_while_compiling(error):
    if isinstance(error, dynamo_exc.TorchDynamoException):
        return True
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename.endswith(_COMPILING_FILES) or code.co_name in _COMPILING_FUNCTIONS:
            return True
        trace = trace.tb_next
    return False


class Refused(Exception):
    """The pipeline cannot take this Case; outcome Unsupported."""


def describe(error):
    """(class, message, class as it arrived, stage, reason to refuse or None)"""
    inner = innermost(error)
    stage = "compile" if raised_while_compiling(error) else ""
    refusal = message_of(error) if isinstance(error, Refused) else None
    if isinstance(inner, symbolic_shapes.ConstraintViolationError):
        refusal = "ConstraintViolationError: the Program contradicts a mark of a dimension"
    return type(inner).__name__, message_of(inner), type(error).__name__, stage, refusal
