#include "harness/commands/BisectingEnvironment.h"

#include "backends/Registry.h"
#include "base/ExitStatus.h"
#include "graph/ir/PassGate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>
#include <system_error>

namespace touchstone::commands {

static std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::optional<worker::PassLimit> passLimitOfEnvironment() {
  const std::string backend = variable("TOUCHSTONE_BISECT_BACKEND"), pass = variable("TOUCHSTONE_BISECT_SUBSYSTEM"),
                    bound = variable("TOUCHSTONE_BISECT_MAX");
  if (backend.empty()) {
    return std::nullopt;
  }
  if (backends::backendInfo(backend).family != ir::Family::kNative) {
    throw base::WrongUse("TOUCHSTONE_BISECT_BACKEND is `" + backend +
                         "`; only native backends have passes that can be stopped. For one of the installed PyTorch, "
                         "set TORCH_BISECT_BACKEND.");
  }
  if (pass.empty() != bound.empty()) {
    throw base::WrongUse(
        "TOUCHSTONE_BISECT_SUBSYSTEM names a pass and TOUCHSTONE_BISECT_MAX says how often it applies. Set both, or "
        "none, to count.");
  }
  if (pass.empty()) {
    return worker::PassLimit{.backend = backend};
  }
  if (std::find(ir::kPasses.begin(), ir::kPasses.end(), pass) == ir::kPasses.end()) {
    throw base::WrongUse(
        fmt::format("TOUCHSTONE_BISECT_SUBSYSTEM is `{}`; it can be one of {}.", pass, fmt::join(ir::kPasses, ", ")));
  }
  int64_t limit = 0;
  const auto [end, error] = std::from_chars(bound.data(), bound.data() + bound.size(), limit);
  if (error != std::errc() || end != bound.data() + bound.size() || limit < 0) {
    throw base::WrongUse("TOUCHSTONE_BISECT_MAX is `" + bound + "`; it has to be a whole number from 0 on.");
  }
  return worker::PassLimit{pass, limit, backend};
}

} // namespace touchstone::commands
