#include "harness/commands/BisectingEnvironment.h"

#include "backends/Registry.h"
#include "backends/native/BackendTable.h"
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

std::optional<worker::PassLimit> passLimitOfEnvironment(const std::vector<std::string>& judged) {
  const std::string backend = variable("TOUCHSTONE_BISECT_BACKEND"), pass = variable("TOUCHSTONE_BISECT_SUBSYSTEM"),
                    bound = variable("TOUCHSTONE_BISECT_MAX");
  if (backend.empty() && (!pass.empty() || !bound.empty())) {
    throw base::WrongUse(fmt::format(
        "TOUCHSTONE_BISECT_{} is set and TOUCHSTONE_BISECT_BACKEND is not: it names the backend whose passes are meant.",
        pass.empty() ? "MAX" : "SUBSYSTEM"));
  }
  if (backend.empty()) {
    return std::nullopt;
  }
  if (backends::backendInfo(backend).family != ir::Family::kNative) {
    throw base::WrongUse("TOUCHSTONE_BISECT_BACKEND is `" + backend +
                         "`; only native backends have passes that can be stopped. For one of the installed PyTorch, "
                         "set TORCH_BISECT_BACKEND.");
  }
  if (std::find(judged.begin(), judged.end(), backend) == judged.end()) {
    throw base::WrongUse(
        fmt::format("TOUCHSTONE_BISECT_BACKEND is `{}`, which is not asked for: {} runs. Add `--backends {}`.", backend,
                    fmt::join(judged, ", "), backend));
  }
  if (pass.empty() != bound.empty()) {
    throw base::WrongUse(
        "TOUCHSTONE_BISECT_SUBSYSTEM names a pass and TOUCHSTONE_BISECT_MAX says how often it applies. Set both, or "
        "none, to count.");
  }
  if (pass.empty()) {
    return worker::PassLimit{.backend = backend};
  }
  const native::NativeBackend* row = native::nativeBackend(backend);
  const std::vector<std::string> passes =
      row != nullptr ? native::passesOf(*row) : std::vector<std::string>(ir::kPasses.begin(), ir::kPasses.end());
  if (passes.empty()) {
    throw base::WrongUse(
        fmt::format("TOUCHSTONE_BISECT_SUBSYSTEM is `{}`; `{}` has no pass that can be stopped.", pass, backend));
  }
  if (std::find(passes.begin(), passes.end(), pass) == passes.end()) {
    throw base::WrongUse(fmt::format("TOUCHSTONE_BISECT_SUBSYSTEM is `{}`; of `{}` it can be one of {}.", pass, backend,
                                     fmt::join(passes, ", ")));
  }
  int64_t limit = 0;
  const auto [end, error] = std::from_chars(bound.data(), bound.data() + bound.size(), limit);
  if (error != std::errc() || end != bound.data() + bound.size() || limit < 0) {
    throw base::WrongUse("TOUCHSTONE_BISECT_MAX is `" + bound + "`; it has to be a whole number from 0 on.");
  }
  return worker::PassLimit{pass, limit, backend};
}

} // namespace touchstone::commands
