/* Tables that Touchstone has to refuse, by the environment variable TABLE; in C, as the header is. */
#include <touchstone/backend.h>

#include <stdlib.h>
#include <string.h>

static touchstone_status compile(void* state, const touchstone_host* host, const touchstone_graph* graph,
                                 void** compiled, touchstone_error* error) {
  (void)state;
  (void)host;
  (void)graph;
  (void)compiled;
  (void)error;
  return TOUCHSTONE_DECLINED;
}

static touchstone_status run(void* compiled, touchstone_tensor* const* inputs, touchstone_tensor* const* outputs,
                             touchstone_error* error) {
  (void)compiled;
  (void)inputs;
  (void)outputs;
  (void)error;
  return TOUCHSTONE_FAILED;
}

static void release(void* compiled) {
  (void)compiled;
}

static int is(const char* table) {
  const char* wanted = getenv("TABLE");
  return wanted != NULL && strcmp(wanted, table) == 0;
}

const touchstone_backend* touchstone_backend_v1(void) {
  static touchstone_backend backend = {TOUCHSTONE_BACKEND_ABI,
                                       sizeof(touchstone_backend),
                                       "declining",
                                       "compiles nothing",
                                       NULL,
                                       TOUCHSTONE_LEVEL_CAPTURED,
                                       TOUCHSTONE_EXACT,
                                       NULL,
                                       compile,
                                       run,
                                       release};
  if (is("null")) {
    return NULL;
  }
  if (is("dies")) {
    abort();
  }
  backend.abi = is("abi") ? 99 : backend.abi;
  backend.name = is("taken") ? "aot_eager" : is("spaces") ? "my backend" : backend.name;
  backend.torch_version = is("torch") ? "1.2.3" : NULL;
  backend.release = is("incomplete") ? NULL : release;
  return &backend;
}
