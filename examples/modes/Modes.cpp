#include <touchstone/modes.h>

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <sstream>

using namespace touchstone;

namespace {

/// Writes each call into a file: what is called, with what, and what it gives.
class Log final : public modes::Mode {
 public:
  void onCall(modes::Call& call) override {
    std::ostringstream line;
    line << call.site().target << "(" << texts(call.stack()) << ") -> ";
    call.proceed(); // arguments go, results come
    line << texts(call.stack()) << "\n";
    const std::lock_guard<std::mutex> lock(mutex_);
    file_ << line.str() << std::flush;
  }

 private:
  static std::string texts(const modes::Stack& values) {
    std::ostringstream text;
    for (size_t i = 0; i < values.size(); ++i) {
      text << (i > 0 ? ", " : "");
      if (values[i].isTensor() && values[i].toTensor().defined()) {
        text << values[i].toTensor().scalar_type() << values[i].toTensor().sizes();
      } else {
        text << values[i];
      }
    }
    return text.str();
  }

  static const char* path() {
    const char* path = std::getenv("CALLS");
    return path != nullptr ? path : "calls.txt";
  }

  std::mutex mutex_;
  std::ofstream file_{path(), std::ios::app}; // Cases run in processes of their own
};

/// Computes exponentials of float32 in float64, and rounds once: is it `exp` that a difference comes of?
class ExpInDouble final : public modes::Mode {
 public:
  void onCall(modes::Call& call) override {
    if (call.site().target != "aten::exp" || call.stack()[0].toTensor().scalar_type() != at::kFloat) {
      return call.proceed();
    }
    call.replace({call.stack()[0].toTensor().to(at::kDouble).exp().to(at::kFloat)});
  }
};

#ifdef REPLACES
/// Under `aot_eager_decomp_partition`, which makes `exp` of silu, sigmoid and softmax. The last mode sees a call first.
struct Backend : modes::AotEagerDecompPartitionWithMode {
  static constexpr const char* kName = "exp_in_double";
  static constexpr const char* kSummary = "aot_eager_decomp_partition; exponentials of float32 computed in float64";
  Backend()
      : AotEagerDecompPartitionWithMode(std::make_shared<modes::ModeStack>(
            std::vector<std::shared_ptr<modes::Mode>>{std::make_shared<Log>(), std::make_shared<ExpInDouble>()})) {}
};
#else
struct Backend : modes::EagerWithMode {
  static constexpr const char* kName = "logged_eager";
  static constexpr const char* kSummary = "eager; each call is written into the file $CALLS";
  Backend() : EagerWithMode(std::make_shared<Log>()) {}
};
#endif

} // namespace

TOUCHSTONE_SHARED_BACKEND(Backend)
