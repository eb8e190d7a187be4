/* A backend in a shared library: a compiler of PyTorch's graphs that `touchstone fuzz --load libmine.so` tests.
 *
 * The library exports touchstone_backend_v1(), declared at the end. Touchstone captures a program as a graph of operators,
 * hands it to `compile`, and calls `run` instead of the operators. This header is C and names no other; <touchstone/backend.hpp>
 * is a small C++ one over it.
 *
 * Tensors pass as pointers to at::Tensor, so that memory, strides and aliases stay what they are: the library and Touchstone
 * have to be linked with the same libtorch. Say with which one in `torch_version`; another is refused with that reason.
 *
 * Everything may be called from several threads at once. No C++ exception may leave a function of the library.
 */
#ifndef TOUCHSTONE_BACKEND_H
#define TOUCHSTONE_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when a struct below changes in a way that old libraries cannot be read by. */
#define TOUCHSTONE_BACKEND_ABI 1

typedef struct touchstone_tensor touchstone_tensor; /* an at::Tensor; an undefined one stands for None */
typedef struct touchstone_stack touchstone_stack; /* a std::vector<c10::IValue> */
typedef struct touchstone_error touchstone_error; /* Touchstone's; see touchstone_host.fail */

typedef enum touchstone_status {
  TOUCHSTONE_OK = 0,
  TOUCHSTONE_FAILED = 1, /* what happened was told by `fail`, or by a function of touchstone_host that failed */
  TOUCHSTONE_UNSUPPORTED =
      2, /* of compile: the backend does not take this graph, and says why by `fail`; counted, no finding */
  TOUCHSTONE_DECLINED = 3 /* of compile: nothing was compiled; the graph runs eagerly, which does not count as judged */
} touchstone_status;

/* What a value is that a node is given. */
typedef enum touchstone_argument_kind {
  TOUCHSTONE_NONE = 0,
  TOUCHSTONE_NODE = 1, /* integer: position of the node among the graph's nodes */
  TOUCHSTONE_BOOL = 2, /* integer */
  TOUCHSTONE_INT = 3, /* integer */
  TOUCHSTONE_FLOAT = 4, /* real */
  TOUCHSTONE_COMPLEX = 5, /* real, imaginary */
  TOUCHSTONE_STRING = 6, /* text */
  TOUCHSTONE_DTYPE = 7, /* integer: an at::ScalarType */
  TOUCHSTONE_LAYOUT = 8, /* integer: an at::Layout */
  TOUCHSTONE_MEMORY_FORMAT = 9, /* integer: an at::MemoryFormat */
  TOUCHSTONE_DEVICE = 10, /* text: `cpu` */
  TOUCHSTONE_LIST = 11, /* items, count */
  TOUCHSTONE_TUPLE = 12, /* items, count */
  TOUCHSTONE_SIZE = 13, /* items, count: a torch.Size */
  TOUCHSTONE_DICT = 14 /* items, count, keys */
} touchstone_argument_kind;

typedef struct touchstone_argument {
  int32_t kind; /* touchstone_argument_kind */
  int32_t count;
  int64_t integer;
  double real, imaginary;
  const char* text;
  const struct touchstone_argument* items;
  const char* const* keys;
} touchstone_argument;

/* What is known of the tensor that a node gives. Sizes, strides and offset in elements. */
typedef struct touchstone_metadata {
  int32_t dtype; /* an at::ScalarType */
  int32_t rank;
  const int64_t* sizes;
  const int64_t* strides; /* null: the tensor is not strided */
  int64_t offset;
  const char* device;
  int32_t requires_grad;
} touchstone_metadata;

typedef enum touchstone_node_kind {
  TOUCHSTONE_INPUT = 0,
  TOUCHSTONE_CONSTANT = 1, /* `constant`; each run starts from a copy of it, since the graph may write to it */
  TOUCHSTONE_OPERATOR = 2, /* target `aten::add.Tensor`, arguments in the order of its schema */
  TOUCHSTONE_CALLABLE = 3, /* custom autograd functions, hooks, regions: `interpret` alone can run it */
  TOUCHSTONE_ELEMENT = 4 /* arguments: a node that gives several results, and the number of one of them */
} touchstone_node_kind;

typedef struct touchstone_node {
  int32_t kind; /* touchstone_node_kind */
  int32_t argument_count;
  const char* name; /* unique in the graph */
  const char* target;
  const touchstone_argument* arguments;
  const touchstone_tensor* constant;
  const touchstone_metadata* metadata; /* null: unknown, or no tensor */
  int32_t line; /* of the case file; 0: unknown */
  /* The state in which a node of a captured graph runs. */
  int32_t grad_enabled, inference_mode;
  const char* autocast; /* its dtype as PyTorch writes it, `BFloat16`; empty: off */
} touchstone_node;

typedef enum touchstone_role {
  TOUCHSTONE_CAPTURED = 0, /* as the program has it: above autograd, with writes to its inputs */
  TOUCHSTONE_FORWARD =
      1, /* of AOT autograd: below autograd, without writes; what the backward reads is among its outputs */
  TOUCHSTONE_BACKWARD = 2,
  TOUCHSTONE_INFERENCE = 3 /* a forward that no backward follows */
} touchstone_role;

/* Straight-line code: a node refers to earlier ones only. Lives until `release` of what was compiled of it, or, where nothing
 * was, until `compile` returns. */
typedef struct touchstone_graph {
  int32_t role; /* touchstone_role */
  int32_t node_count;
  const touchstone_node* nodes;
  const int32_t* inputs; /* nodes of kind TOUCHSTONE_INPUT, in the order in which `run` gets them */
  const int32_t* outputs; /* nodes; -1: None */
  int32_t input_count, output_count;
  const char* code; /* the graph as readable Python */
} touchstone_graph;

/* Sees an operator of a graph that `interpret` runs, with its arguments on the stack; leaves its results there. `node` is one
 * of the graph's. */
typedef touchstone_status (*touchstone_on_operator)(void* context, const touchstone_node* node, touchstone_stack* stack,
                                                    touchstone_error* error);

/* What Touchstone does for a backend. Lives as long as the process. */
typedef struct touchstone_host {
  uint32_t abi; /* TOUCHSTONE_BACKEND_ABI */
  uint32_t size; /* sizeof(touchstone_host) */
  /* Says what went wrong, before a function returns TOUCHSTONE_FAILED or TOUCHSTONE_UNSUPPORTED. `type` is the exception's class
   * as Python has it, `RuntimeError`; null means that one. */
  void (*fail)(touchstone_error* error, const char* type, const char* message);
  /* Runs the graph eagerly, node by node. Inputs are taken over, outputs are set. Each operator goes through `on_operator`; null:
   * it is called as it is. Returns TOUCHSTONE_OK or TOUCHSTONE_FAILED; return the latter as your own, and the program's exception
   * stays what it is. */
  touchstone_status (*interpret)(const touchstone_graph* graph, touchstone_tensor* const* inputs,
                                 touchstone_tensor* const* outputs, touchstone_on_operator on_operator, void* context,
                                 touchstone_error* error);
  /* Calls the operator of a node with the arguments on the stack, and leaves its results there. */
  touchstone_status (*call)(const touchstone_node* node, touchstone_stack* stack, touchstone_error* error);
  /* As interpret, and callables go through `on_call` as well, but for those that register a hook or a region. The stack then has
   * the arguments that the graph gives (tensors, numbers, strings, lists and tuples of these; None for anything else), and
   * afterwards one value. `call` makes the call, with what the graph gives, while `on_call` runs. There when `size` reaches it. */
  touchstone_status (*interpret_calls)(const touchstone_graph* graph, touchstone_tensor* const* inputs,
                                       touchstone_tensor* const* outputs, touchstone_on_operator on_call, void* context,
                                       touchstone_error* error);
} touchstone_host;

typedef enum touchstone_level {
  TOUCHSTONE_LEVEL_CAPTURED = 0, /* compiles captured graphs, as torch.compile's backends do */
  TOUCHSTONE_LEVEL_AOT = 1, /* compiles the forward and backward graphs that AOT autograd makes of them */
  TOUCHSTONE_LEVEL_AOT_DECOMPOSED =
      2 /* the same, operators replaced by simpler ones, and cut as `aot_eager_decomp_partition` does; it always rounds */
} touchstone_level;

typedef enum touchstone_precision {
  TOUCHSTONE_EXACT = 0, /* results have eager's bits */
  TOUCHSTONE_ROUNDS = 1 /* operators are fused or computed in other steps; rule A7 of docs/rules.md applies */
} touchstone_precision;

typedef struct touchstone_backend {
  uint32_t abi; /* TOUCHSTONE_BACKEND_ABI */
  uint32_t size; /* sizeof(touchstone_backend) */
  const char* name; /* letters, digits, `_`, `-`, `.`; not one of `touchstone backends` */
  const char* summary; /* one line */
  const char* torch_version; /* TORCH_VERSION of <torch/version.h>; null: not checked */
  int32_t level; /* touchstone_level */
  int32_t precision; /* touchstone_precision */
  void* state; /* given to compile */
  /* With TOUCHSTONE_OK, `*compiled` is what `run` and `release` get. */
  touchstone_status (*compile)(void* state, const touchstone_host* host, const touchstone_graph* graph, void** compiled,
                               touchstone_error* error);
  /* `inputs` and `outputs` in the order of the graph's. Inputs may be moved from, so that each is freed when nothing reads it
   * any more; outputs are undefined and are to be set. */
  touchstone_status (*run)(void* compiled, touchstone_tensor* const* inputs, touchstone_tensor* const* outputs,
                           touchstone_error* error);
  void (*release)(void* compiled);
} touchstone_backend;

/* What the library exports. The table lives as long as the process; null: the library cannot work here. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const touchstone_backend*
touchstone_backend_v1(void);

#ifdef __cplusplus
}
#endif

#endif /* TOUCHSTONE_BACKEND_H */
