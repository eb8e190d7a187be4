#pragma once

#include "backends/arguments/ArgumentCopies.h"
#include "backends/arguments/SpecializationKey.h"
#include "graph/program/CompiledProgram.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace touchstone::backends {

/// What one Program was compiled to, a Frame for each exact set of arguments, with the report of it. Frame has
/// `operations()`: the operator calls captured. Thread-safe: one thread at a time looks up or compiles.
template <class Frame>
class SpecializedFrames {
 public:
  explicit SpecializedFrames(const graph::Case& theCase) : case_(theCase) {}

  /// The Frame for these arguments, made by `make()` when there is none; counts as a run of compiled code when it holds
  /// operators. Null when the Program itself raises for these arguments. An exception of `make` where the Program does not
  /// raise, and graph::Unsupported, reach the caller.
  template <class Make>
  std::shared_ptr<Frame> find(const graph::ValueList& arguments, Make&& make) {
    std::string key = specializationKey(arguments);
    const std::lock_guard<std::mutex> lock(mutex_);
    auto found = frames_.find(key);
    if (found == frames_.end()) {
      const auto start = std::chrono::steady_clock::now();
      std::shared_ptr<Frame> frame;
      try {
        frame = make();
      } catch (const graph::Unsupported&) {
        throw;
      } catch (const std::exception&) {
        if (raisesOnCopies(case_, arguments)) {
          return nullptr;
        }
        throw;
      }
      if (!frames_.empty()) {
        report_.recompiles.push_back("nothing was compiled for these arguments: " + key);
      }
      report_.frames += 1;
      report_.graphs += 1;
      report_.operations += frame->operations();
      report_.compileSeconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      found = frames_.emplace(std::move(key), std::move(frame)).first;
    }
    report_.compiledRuns += found->second->operations() > 0 ? 1 : 0;
    return found->second;
  }

  graph::CompileReport report() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return report_;
  }
  void reset() {
    const std::lock_guard<std::mutex> lock(mutex_);
    frames_.clear();
  }

 private:
  const graph::Case& case_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Frame>> frames_;
  graph::CompileReport report_;
};

} // namespace touchstone::backends
