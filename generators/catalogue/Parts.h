#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::catalogue {

/// What Cases are drawn with beyond loose Programs and calls in order. Each can be switched off, so that a campaign shows what
/// it is good for.
enum class Part : uint32_t {
  kDense, // most statements work on what earlier ones made
  kDifferentiable, // leaves that require grad, operators with derivatives, a backward in almost every call
  kTraining, // parameters, buffers, a loss, steps of an optimizer
  kSmall, // two to five operators
  kLarge, // arguments whose last dimension is around 8, 16, 64 or 1,000 long, where vectorized loops begin and end
  kIdioms, // what compilers rewrite and people write
  kPendingBackwards, // backwards after later calls, in any order, of some outputs, with other tangents, twice
  kAccumulation, // `.grad` goes on over calls
  kFeedback, // outputs of one call are inputs of the next
  kSecondDerivatives, // `create_graph` and the gradient of a gradient
  kChangedModes, // grad and autocast modes that change between calls; regions that turn autocast or its cache off
  kWritesBetween, // inputs, outputs and parameters are written to between forward and backward
  kCompiledTwice, // the same Program compiled anew
  kWrongArguments, // one operation that eager refuses
  kConstructs, // torch.func, own autograd functions, hooks and closures around what was decoded, in a share of the Cases
  kCustomOperators, // operators of the Case's own, in a share of the Cases
  kDynamic, // sizes that change from call to call, alike in all inputs, and Programs that compute with them
  kFlags, // one or two flags of PyTorch's configs
  kPython, // constructs that need Python, in a share of the Cases
};

struct PartName {
  Part part;
  std::string_view name; // on the command line: `--part pending-backwards`
};

/// In the order of the enumerators.
inline constexpr std::array kPartNames = {
    PartName{Part::kDense, "dense"},
    PartName{Part::kDifferentiable, "differentiable"},
    PartName{Part::kTraining, "training"},
    PartName{Part::kSmall, "small"},
    PartName{Part::kLarge, "large"},
    PartName{Part::kIdioms, "idioms"},
    PartName{Part::kPendingBackwards, "pending-backwards"},
    PartName{Part::kAccumulation, "accumulation"},
    PartName{Part::kFeedback, "feedback"},
    PartName{Part::kSecondDerivatives, "second-derivatives"},
    PartName{Part::kChangedModes, "changed-modes"},
    PartName{Part::kWritesBetween, "writes-between"},
    PartName{Part::kCompiledTwice, "compiled-twice"},
    PartName{Part::kWrongArguments, "wrong-arguments"},
    PartName{Part::kConstructs, "constructs"},
    PartName{Part::kCustomOperators, "custom-operators"},
    PartName{Part::kDynamic, "dynamic"},
    PartName{Part::kFlags, "flags"},
    PartName{Part::kPython, "python"},
};

/// A set of parts.
class Parts {
 public:
  constexpr Parts() = default;
  constexpr Parts(std::initializer_list<Part> parts) {
    for (const Part part : parts) {
      bits_ |= bit(part);
    }
  }
  constexpr bool has(Part part) const { return (bits_ & bit(part)) != 0; }
  constexpr void set(Part part, bool isIn) { bits_ = isIn ? bits_ | bit(part) : bits_ & ~bit(part); }
  constexpr bool operator==(const Parts&) const = default;

 private:
  static constexpr uint32_t bit(Part part) { return uint32_t{1} << static_cast<uint32_t>(part); }
  uint32_t bits_ = 0;
};

/// Every part.
constexpr Parts allParts() {
  Parts parts;
  for (const PartName& each : kPartNames) {
    parts.set(each.part, true);
  }
  return parts;
}

/// What Cases are drawn with unless a campaign says otherwise: all but what takes a compiler that knows symbolic sizes, flags, which
/// native backends pass over, and what needs Python, which they do not take.
constexpr Parts kDefaultParts = [] {
  Parts parts = allParts();
  parts.set(Part::kDynamic, false);
  parts.set(Part::kFlags, false);
  parts.set(Part::kPython, false);
  return parts;
}();

/// Whether Programs drawn with these are dense enough to be asked for figures of density.
constexpr bool areDense(Parts parts) {
  return parts.has(Part::kDense) && parts.has(Part::kDifferentiable) && parts.has(Part::kTraining);
}

/// What a campaign may ask for: `all`, the names of the parts, and each with `no-` before it.
std::vector<std::string> namesOfParts();
/// The default parts, changed by one name after the other: `dense` adds a part, `no-dense` takes it away; `all` adds the default
/// ones, `no-all` takes every part away. Throws
/// std::invalid_argument for a name that is none of namesOfParts().
Parts partsOf(const std::vector<std::string>& names);

} // namespace touchstone::catalogue
