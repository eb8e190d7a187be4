"""A backend for torch.compile that is right and writes down what it compiles: `torch:watched_backends:notes_compiles`."""

import os


def notes_compiles(graph_module, example_inputs):
    """One line a graph in the file WATCHED_COMPILES: the process, and the sizes of the tensors among its inputs."""
    sizes = [list(each.shape) for each in example_inputs if hasattr(each, "shape")]
    with open(os.environ["WATCHED_COMPILES"], "a") as file:
        print(os.getpid(), sizes, file=file)
    return graph_module.forward
