#include "backends/capture/SymbolicCapture.h"

#include "backends/CompileAttempts.h"
#include "backends/capture/SampledCapture.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <set>

namespace touchstone::capture {

using sources::Dynamism;
using sources::DynamismOf;
using sources::SizeSource;
using sources::SymbolicLocals;
using symbols::Assignment;
using symbols::Condition;
using symbols::NotSymbolic;
using values::ValueList;

SymbolicCode::SymbolicCode(std::shared_ptr<const backends::SymbolicCompiledGraph> graph, ValueTemplate values,
                           symbols::Numbers integers)
    : graph_(std::move(graph)), values_(std::move(values)), integers_(std::move(integers)) {}

std::shared_ptr<const CodeForSizes> SymbolicCode::at(const Assignment& assignment) const {
  constexpr size_t kKnown = 256; // beyond that the sizes that come anew are put in once more
  const std::lock_guard<std::mutex> lock(mutex_);
  if (known_.size() > kKnown) {
    known_.clear();
  }
  std::shared_ptr<const CodeForSizes>& code = known_[assignment];
  if (code == nullptr) {
    std::vector<int64_t> integers = values_.integers();
    std::vector<int64_t*> places;
    std::transform(integers.begin(), integers.end(), std::back_inserter(places), [](int64_t& each) { return &each; });
    integers_.put(places, assignment);
    code = std::make_shared<const CodeForSizes>(
        CodeForSizes{graph_ == nullptr ? nullptr : graph_->at(assignment), values_.withIntegers(integers)});
  }
  return code;
}

namespace {

/// Its symbol may be that of other sizes.
bool isShared(const SizeSource& source) {
  return source.isSize() && !source.isOwn;
}

/// Symbols that were given up: sizes that are shared by what they are, others by source.
struct GivenUp {
  std::set<int64_t> shared;
  std::set<std::string> others;

  bool isEmpty() const { return shared.empty() && others.empty(); }
  bool has(const SizeSource& source) const {
    return isShared(source) ? shared.contains(source.hint) : others.contains(source.text);
  }
  void add(const SizeSource& source) {
    if (isShared(source)) {
      shared.insert(source.hint);
    } else {
      others.insert(source.text);
    }
  }
};

bool isOneSymbol(const SizeSource& one, const SizeSource& other) {
  return one.kind == other.kind && isShared(one) == isShared(other) &&
         (isShared(one) ? one.hint == other.hint : one.text == other.text);
}

class Making {
 public:
  Making(const std::vector<std::string>& names, const ValueList& locals, const DynamismOf& dynamismOf,
         const std::vector<at::Tensor>& parameters, const CaptureSteps& steps, ir::CompileReport& report)
      : names_(names),
        locals_(locals),
        dynamismOf_(dynamismOf),
        parameters_(parameters),
        steps_(steps),
        report_(report),
        attempts_(steps.compiler, steps.observers) {}

  std::shared_ptr<const CapturedCode> run() {
    hinted_ = steps_.capture(locals_);
    if (hinted_->stop != nullptr) {
      brokenBy_ = steps_.noteBreak(*hinted_);
    }
    while (dynamismOf_) {
      const SymbolicLocals symbolic = symbolicLocals();
      if (givenUp_.isEmpty() && shared_.empty()) {
        report_.specializations.insert(report_.specializations.end(), symbolic.kept().begin(), symbolic.kept().end());
      }
      if (symbolic.sources().empty()) {
        break;
      }
      std::string reason;
      std::optional<Made> made = attempt(symbolic, reason);
      const bool wasOwn = !made && shareEqual(symbolic);
      made = wasOwn ? attemptSharing() : std::move(made);
      if (made) {
        report_ += made->report;
        return made->code;
      }
      if (!wasOwn) {
        giveUp(symbolic, reason);
      }
    }
    FrameCapture captured = takeHinted();
    captured.graph.brokenBy = brokenBy_;
    std::shared_ptr<CapturedCode> code = makeCode(std::move(captured), names_, locals_, attempts_.compiler(), report_);
    const std::vector<std::string> texts = code->guards->texts();
    report_.guards.insert(report_.guards.end(), texts.begin(), texts.end());
    return code;
  }

  /// Null: making code has failed.
  void tellKept(const CapturedCode* code) { attempts_.tell(code == nullptr ? std::nullopt : code->attempt); }

 private:
  struct Made {
    std::shared_ptr<const CapturedCode> code;
    ir::CompileReport report;
  };
  struct Equal {
    std::vector<std::string> own; // sources of symbols that are to be their own
    bool isPair = false; // of all symbols of this size
  };

  std::shared_ptr<CapturedCode> compileAttempt(SampledCapture& all, ir::CompileReport& report) {
    const size_t before = attempts_.count();
    try {
      std::shared_ptr<CapturedCode> code = all.compile(attempts_.compiler(), report, brokenBy_ ? &*brokenBy_ : nullptr);
      if (attempts_.count() > before) {
        code->attempt = before;
      }
      return code;
    } catch (const std::exception& error) {
      if (attempts_.count() > before) {
        attempts_.giveUp(error.what());
      }
      throw;
    }
  }

  /// Of what was not given up, those that `isWanted`; null: all.
  SymbolicLocals symbolicLocals(const std::function<bool(const SizeSource&)>& isWanted = nullptr) const {
    return {names_, locals_,
            [&](SizeSource source) {
              const bool isPlace = source.kind == SizeSource::Kind::kPlace; // as the sizes of its tensor
              const Dynamism asked = isPlace ? Dynamism::kShared : dynamismOf_(source);
              source.isOwn =
                  asked == Dynamism::kOwn && source.isSize() && source.isApart && !shared_.contains(source.text);
              if (asked == Dynamism::kNumber || givenUp_.has(source) || (isWanted && !isWanted(source))) {
                return Dynamism::kNumber;
              }
              return source.isOwn ? Dynamism::kOwn : Dynamism::kShared;
            },
            parameters_};
  }

  /// Sizes that are symbols of their own and equal others are symbols with these from then on. False: there are none.
  bool shareEqual(const SymbolicLocals& symbolic) {
    equal_.clear();
    for (const SizeSource& source : symbolic.sources()) {
      const auto isEqual = [&](const SizeSource& each) { return each.isSize() && each.hint == source.hint; };
      const auto symbols = std::ranges::count_if(symbolic.sources(), isEqual);
      if (source.isOwn && symbols > 1) {
        Equal& equal = equal_[source.hint];
        equal.isPair = symbols == 2;
        equal.own.push_back(source.text);
        shared_.insert(source.text);
      }
    }
    return !equal_.empty();
  }

  /// Where it is code with these shared: with as few of them as it needs.
  std::optional<Made> attemptSharing() {
    std::optional<Made> made = attemptAll();
    if (!made || (equal_.size() == 1 && equal_.begin()->second.isPair)) {
      return made;
    }
    std::vector<std::string> free;
    for (const auto& [size, equal] : equal_) {
      for (const std::string& source : equal.own) {
        shared_.erase(source);
        if (std::optional<Made> freed = attemptAll()) {
          free.push_back(source);
          made = std::move(freed);
        }
        shared_.insert(source);
        if (equal.isPair) { // of the other one it is the same
          break;
        }
      }
    }
    if (free.size() > 1) {
      std::ranges::for_each(free, [&](const std::string& source) { shared_.erase(source); });
      std::optional<Made> freed = attemptAll();
      made = freed ? std::move(freed) : std::move(made);
    }
    return made;
  }

  std::optional<Made> attemptAll() {
    std::string unused;
    return attempt(symbolicLocals(), unused);
  }

  /// The capture for the sizes that there are, made anew once it is used up.
  FrameCapture takeHinted() {
    FrameCapture taken = hinted_ ? std::move(*hinted_) : steps_.capture(locals_);
    hinted_.reset();
    return taken;
  }

  /// Nothing where the code is not one code for all sizes.
  std::optional<Made> attempt(const SymbolicLocals& symbolic, std::string& reason) {
    Conditions bounds;
    for (const Condition& condition : symbolic.conditions()) {
      bounds.push_back({condition});
    }
    if (std::optional<Made> made = attemptWith(symbolic, bounds, reason)) {
      return made;
    }
    // Smaller sizes may be other code: an index out of range, an empty slice.
    const size_t before = bounds.size();
    for (size_t i = 0; i < symbolic.sources().size(); ++i) {
      const SizeSource& source = symbolic.sources()[i];
      if (source.hint > 2 && source.kind != SizeSource::Kind::kPlace) {
        bounds.push_back(
            {Condition::of("<=", source.hint, symbols::Expression::ofSymbol(static_cast<symbols::Symbol>(i)))});
      }
    }
    return bounds.size() == before ? std::nullopt : attemptWith(symbolic, std::move(bounds), reason);
  }

  std::optional<Made> attemptWith(const SymbolicLocals& symbolic, Conditions conditions, std::string& reason) {
    constexpr int kRounds = 16;
    Samples samples;
    bool isThorough = false;
    for (int round = 0; round < kRounds; ++round) {
      try {
        SampledCapture all(names_, symbolic, steps_, conditions, isThorough);
        if (samples.empty()) {
          samples.emplace(symbolic.hints(), Sample{locals_, takeHinted()});
        }
        if (std::optional<SizeCondition> decided = all.capture(std::move(samples))) {
          conditions.push_back(std::move(*decided));
          samples = all.takeSamples();
          continue;
        }
        if (!isThorough && all.isUnsure()) {
          isThorough = true;
          samples = all.takeSamples();
          continue;
        }
        ir::CompileReport compiled;
        std::shared_ptr<CapturedCode> code = compileAttempt(all, compiled);
        if (!isThorough && all.wasUnsure()) { // of what a compiler makes
          attempts_.giveUp("it was not sure which expressions are meant");
          isThorough = true;
          samples.clear();
          continue;
        }
        code->guards->require(all.conditions());
        compiled.guards = code->guards->texts();
        if (attempts_.isShown()) {
          attempts_.show(all.takeShown());
        }
        return Made{std::move(code), std::move(compiled)};
      } catch (const symbols::TooFewAssignments& error) {
        reason = error.what();
        if (isThorough) {
          return std::nullopt;
        }
        isThorough = true;
        samples.clear();
      } catch (const NotSymbolic& error) {
        reason = error.what();
        return std::nullopt;
      } catch (const std::exception& error) { // of a sample: what the first raises, it raises again without symbols
        reason = error.what();
        return std::nullopt;
      }
    }
    reason = "too many comparisons of sizes";
    return std::nullopt;
  }

  /// The symbols that are to blame stay what they are.
  void giveUp(const SymbolicLocals& symbolic, const std::string& reason) {
    const auto isPlace = [](const SizeSource& source) { return source.kind == SizeSource::Kind::kPlace; };
    std::string unused;
    if (std::ranges::any_of(symbolic.sources(), isPlace) &&
        attempt(symbolicLocals([&](const SizeSource& source) { return !isPlace(source); }), unused)) {
      for (const SizeSource& source : symbolic.sources()) {
        if (isPlace(source)) {
          blame(source, reason);
        }
      }
      return;
    }
    const auto isPossibleAlone = [&](const SizeSource& source, std::string& why) {
      const SymbolicLocals alone =
          symbolicLocals([&](const SizeSource& each) { return isPlace(each) || isOneSymbol(each, source); });
      return isPlace(source) || attempt(alone, why).has_value();
    };
    for (const auto& [source, why] : blamedOf(symbolic.sources(), reason, isPossibleAlone)) {
      blame(source, why);
    }
  }

  void blame(const SizeSource& source, const std::string& why) {
    report_.specializations.push_back(fmt::format("{} == {}: {}", source.text, source.hint, why));
    givenUp_.add(source);
  }

  const std::vector<std::string>& names_;
  const ValueList& locals_;
  const DynamismOf& dynamismOf_;
  const std::vector<at::Tensor>& parameters_;
  const CaptureSteps& steps_;
  ir::CompileReport& report_;
  GivenUp givenUp_;
  std::set<std::string> shared_; // sizes that are no symbols of their own after all
  std::map<int64_t, Equal> equal_; // by size: those that came to be shared last
  std::optional<FrameCapture> hinted_;
  std::optional<ir::GraphBreakReport> brokenBy_;
  backends::CompileAttempts attempts_;
};

} // namespace

std::shared_ptr<const CapturedCode> makeSymbolicCode(const std::vector<std::string>& names, const ValueList& locals,
                                                     const DynamismOf& dynamismOf,
                                                     const std::vector<at::Tensor>& parameters,
                                                     const CaptureSteps& steps, ir::CompileReport& report) {
  Making making(names, locals, dynamismOf, parameters, steps, report);
  try {
    std::shared_ptr<const CapturedCode> code = making.run();
    making.tellKept(code.get());
    return code;
  } catch (const std::exception&) {
    making.tellKept(nullptr);
    throw;
  }
}

} // namespace touchstone::capture
