// Backends with a mode of touchstone/modes.h, by the environment variable LEVEL; the mode does what MODE says.
#include <touchstone/modes.h>

#include <ATen/Tensor.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

using namespace touchstone;

namespace {

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// Writes into the file CALLS, and misbehaves by MODE at a sine or a callable.
class ByMode final : public modes::Mode {
 public:
  void onCall(modes::Call& call) override {
    const std::string mode = variable("MODE");
    std::ofstream(variable("CALLS"), std::ios::app)
        << call.site().role << " " << (call.site().isOperator ? "" : "callable ") << call.site().target << " "
        << call.stack().size() << "\n";
    const bool isMeant = call.site().target == "aten::sin" || !call.site().isOperator;
    if (isMeant && mode == "forgets") {
      return;
    }
    if (isMeant && mode == "throws") {
      throw std::runtime_error("no sine today");
    }
    if (isMeant && mode == "replaces") {
      return call.replace({call.stack()[0].toTensor().mul(7)});
    }
    call.proceed();
  }
};

struct Eager : modes::EagerWithMode {
  static constexpr const char* kName = "mode_eager";
  static constexpr const char* kSummary = "eager in a mode";
  Eager() : EagerWithMode(std::make_shared<ByMode>()) {}
};

struct Nop : modes::BoxedNopWithMode {
  static constexpr const char* kName = "mode_nop";
  static constexpr const char* kSummary = "AOT autograd in a mode";
  Nop() : BoxedNopWithMode(std::make_shared<ByMode>()) {}
};

struct Decomposed : modes::AotEagerDecompPartitionWithMode {
  static constexpr const char* kName = "mode_decomposed";
  static constexpr const char* kSummary = "aot_eager_decomp_partition in a mode";
  Decomposed() : AotEagerDecompPartitionWithMode(std::make_shared<ByMode>()) {}
};

} // namespace

const touchstone_backend* touchstone_backend_v1(void) {
  const std::string level = variable("LEVEL");
  return level == "nop"          ? shared::detail::table<Nop>()
         : level == "decomposed" ? shared::detail::table<Decomposed>()
                                 : shared::detail::table<Eager>();
}
