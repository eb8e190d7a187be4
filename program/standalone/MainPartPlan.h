#pragma once

#include "program/language/Case.h"

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::standalone {

/// How the names of backends begin that the installed PyTorch runs.
constexpr std::string_view kTorchFamily = "torch:";

/// What the `__main__` part of a Case checks, and which pieces of text that takes.
struct MainPartPlan {
  enum class Check {
    kProperties, // the observed properties must be eager's
    kRaises, // the compiled program must not raise where eager does not
    kInternalError, // the same, and no internal error whatever eager does
    kAccepts, // the compiled program must raise where eager does
    kSurvives, // the process must not die
  };
  Check check = Check::kProperties;
  std::set<language::Property> properties;
  std::optional<int> call; // the call that is looked at; none: all
  std::string where; // the tensor that is looked at; empty: all
  int calls = 1; // that are made
  bool lateLook = false; // outputs are looked at again after the last call
  std::string backend = "aot_eager"; // as torch.compile knows it
  std::string bound; // literal of `# bound:`; empty: bit for bit
  std::vector<std::string> imports, pythonPath; // of the headers: what registers the backend, and where that is

  // What the calls use.
  bool reset = false, reuse = false, gradMode = false, autocast = false, between = false, compiledAutograd = false;
  bool backward = false, deferred = false, times = false, createGraph = false, wrt = false, argumentRoots = false;
  bool viaBackward = false, viaGrad = false, randomInputs = false, modules = false;
  std::vector<language::TangentLayout> layouts; // in the order of first use

  bool checks(language::Property property) const { return properties.contains(property); }
};

/// What is shown is the first expectation about a backend of the installed PyTorch that is not Agreed.
MainPartPlan planMainPart(const language::Case& theCase);

/// How PyTorch is set while a Case runs: `torch.MODULE.config.NAME = VALUE`.
struct CompilerSetting {
  const char* module;
  const char* name;
  const char* value;
  const char* why;
};
inline constexpr std::array kCompilerSettings{
    CompilerSetting{"_dynamo", "recompile_limit", "256", ""},
    CompilerSetting{"_dynamo", "accumulated_recompile_limit", "4096", ""},
    CompilerSetting{"_functorch", "donated_buffer", "False", ""},
    CompilerSetting{"_inductor", "fallback_random", "True", "eager's random numbers"},
};

} // namespace touchstone::standalone
