#include "generators/decoder/SizeChanges.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace touchstone::decoder {

namespace {

using Sizes = std::vector<int64_t>;
using SizeMap = std::function<int64_t(int64_t)>;

constexpr int64_t kFewest = 2, kMost = 9; // of a dimension that gets another number
constexpr int64_t kFewestFirst = 3, kMostFirst = 7; // of the first call
constexpr int kPlainPercent = 60, kBoundsPercent = 25; // of marks
constexpr int64_t kRoom = 3; // beyond the sizes that are used
constexpr size_t kMaximumArguments = 6; // of inputs that get a number more
constexpr int kNumberPercent = 30, kOtherNumberPercent = 70;

/// The users of a base.
std::vector<const ArgumentSpecification*> usersOf(const InputSpecification& inputs, size_t base) {
  std::vector<const ArgumentSpecification*> users;
  for (const ArgumentSpecification& argument : inputs.arguments) {
    if (argument.base == static_cast<int>(base)) {
      users.push_back(&argument);
    }
  }
  return users;
}

/// The sizes of a tensor argument as the Program sees them.
Sizes sizesOf(const InputSpecification& inputs, const ArgumentSpecification& argument) {
  const BaseSpecification& base = inputs.bases[static_cast<size_t>(argument.base)];
  switch (argument.layout) {
    case Layout::kStrided:
    case Layout::kExpanded: return argument.sizes;
    case Layout::kFlattened: return {base.elements()};
    case Layout::kPermuted: {
      Sizes sizes;
      for (const int64_t dimension : argument.sizes) {
        sizes.push_back(base.sizes.at(static_cast<size_t>(dimension)));
      }
      return sizes;
    }
    case Layout::kRows: {
      Sizes sizes = base.sizes;
      sizes.at(0) = std::max<int64_t>(0, sizes.at(0) - argument.offset);
      return sizes;
    }
    default: return base.sizes;
  }
}

/// What has a number: each is a symbol.
std::vector<int64_t> symbolsOf(const InputSpecification& inputs) {
  std::set<int64_t> found;
  for (const ArgumentSpecification& argument : inputs.arguments) {
    if (argument.base >= 0 && argument.layout != Layout::kFlattened) {
      const Sizes sizes = sizesOf(inputs, argument);
      std::copy_if(sizes.begin(), sizes.end(), std::inserter(found, found.end()),
                   [](int64_t size) { return size >= kFewest; });
    }
  }
  return {found.begin(), found.end()};
}

void mapAll(Sizes& sizes, const SizeMap& map) {
  std::transform(sizes.begin(), sizes.end(), sizes.begin(), map);
}

/// Strides in the same order and with the same gaps, for other sizes.
void mapStrided(ArgumentSpecification& argument, BaseSpecification& base, const SizeMap& map) {
  std::vector<size_t> order(argument.sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t left, size_t right) { return argument.strides[left] < argument.strides[right]; });
  int64_t before = 1, after = 1; // what the dimensions so far cover
  for (const size_t dimension : order) {
    int64_t& stride = argument.strides[dimension];
    int64_t& size = argument.sizes[dimension];
    const int64_t gap = stride - before;
    before += (size - 1) * stride;
    stride = stride == 0 ? 0 : std::max<int64_t>(1, after + gap);
    size = map(size);
    after += std::max<int64_t>(0, size - 1) * stride;
  }
  base.sizes.at(0) = std::max(base.sizes.at(0) - before, argument.offset) + after;
}

void mapBase(InputSpecification& inputs, size_t index, const SizeMap& map) {
  BaseSpecification& base = inputs.bases[index];
  const std::vector<const ArgumentSpecification*> users = usersOf(inputs, index);
  const bool isStrided =
      std::ranges::any_of(users, [](const ArgumentSpecification* each) { return each->layout == Layout::kStrided; });
  if (isStrided && (users.size() > 1 || base.sizes.size() != 1)) {
    return; // what the others look into would change
  }
  int64_t before = 0; // rows
  for (const ArgumentSpecification* user : users) {
    before = std::max(before, user->layout == Layout::kRows ? user->offset : 0);
  }
  if (!isStrided) {
    for (size_t dimension = 0; dimension < base.sizes.size(); ++dimension) {
      const int64_t hidden = dimension == 0 ? before : 0;
      base.sizes[dimension] = map(std::max<int64_t>(0, base.sizes[dimension] - hidden)) + hidden;
    }
  }
  for (ArgumentSpecification& argument : inputs.arguments) {
    if (argument.base != static_cast<int>(index)) {
      continue;
    }
    if (argument.layout == Layout::kStrided) {
      mapStrided(argument, base, map);
    } else if (argument.layout == Layout::kExpanded) {
      mapAll(argument.sizes, map);
    }
  }
}

/// What is not assigned stays.
void mapSizes(InputSpecification& inputs, const std::map<int64_t, int64_t>& assigned) {
  const SizeMap map = [&](int64_t size) {
    const auto found = assigned.find(size);
    return found == assigned.end() ? size : found->second;
  };
  for (size_t index = 0; index < inputs.bases.size(); ++index) {
    mapBase(inputs, index, map);
  }
  if (inputs.module) {
    mapAll(inputs.module->weight.sizes, map);
    mapAll(inputs.module->buffer.sizes, map);
  }
}

/// Another number than those that are taken.
int64_t drawNumber(catalogue::Draw& draw, int64_t before, const std::set<int64_t>& taken) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    const int64_t number = before > kMost ? before + draw.between(-3, 5) : draw.between(kFewest, kMost);
    if (number != before && !taken.contains(number)) {
      return number;
    }
  }
  return before + 1;
}

int64_t drawnOf(catalogue::Draw& draw, const std::vector<int64_t>& numbers) {
  return numbers[static_cast<size_t>(draw.below(std::ssize(numbers)))];
}

/// What each symbol becomes.
std::map<int64_t, int64_t> drawAssignment(catalogue::Draw& draw, const std::vector<int64_t>& symbols) {
  std::map<int64_t, int64_t> assigned;
  const int64_t roll = draw.below(100);
  const int64_t one = drawnOf(draw, symbols), other = drawnOf(draw, symbols);
  if (roll < 50 || (one == other && roll < 80)) { // each another
    std::set<int64_t> taken;
    for (const int64_t symbol : symbols) {
      taken.insert(assigned[symbol] = drawNumber(draw, symbol, taken));
    }
  } else if (roll < 58) {
    assigned[one] = drawNumber(draw, one, {symbols.begin(), symbols.end()});
  } else if (roll < 69) { // two become equal
    assigned[one] = assigned[other] = draw.chance(50) ? other : drawNumber(draw, other, {});
  } else if (roll < 80) {
    assigned[one] = other;
    assigned[other] = one;
  } else {
    assigned[one] = roll < 92 ? 1 : 0;
  }
  return assigned;
}

/// One dimension of one tensor, whatever has its number elsewhere.
bool changeOneDimension(InputSpecification& inputs, catalogue::Draw& draw) {
  if (inputs.bases.empty()) {
    return false;
  }
  const auto index = static_cast<size_t>(draw.below(std::ssize(inputs.bases)));
  BaseSpecification& base = inputs.bases[index];
  const bool isWhole = std::ranges::all_of(usersOf(inputs, index), [](const ArgumentSpecification* each) {
    return each->layout != Layout::kStrided && each->layout != Layout::kExpanded && each->layout != Layout::kRows;
  });
  if (!isWhole || base.sizes.empty()) {
    return false;
  }
  int64_t& size = base.sizes[static_cast<size_t>(draw.below(std::ssize(base.sizes)))];
  size = size != 1 && draw.chance(50) ? 1 : drawNumber(draw, size, {});
  return true;
}

/// Numbers that are special to guards or arithmetic among them.
double drawFloat(catalogue::Draw& draw) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::array<double, 12> kSpecial = {
      0.0,       -0.0, 1.0, -1.0, 0.3, 0.1, 1e-3, 1e6, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(),
      16777217.5};
  return draw.chance(35) ? kSpecial[static_cast<size_t>(draw.below(std::ssize(kSpecial)))]
                         : static_cast<double>(draw.between(-12, 12)) / 4;
}

int64_t drawInteger(catalogue::Draw& draw) {
  return draw.chance(20) ? draw.between(-3, 1) : draw.between(kFewest, kMost);
}

/// Numbers become others; without any, nothing.
void changeNumbers(InputSpecification& inputs, catalogue::Draw& draw) {
  for (ArgumentSpecification& argument : inputs.arguments) {
    if (argument.base >= 0 || !draw.chance(kOtherNumberPercent)) {
      continue;
    }
    if (auto* whole = std::get_if<int64_t>(&argument.literal)) {
      *whole = drawInteger(draw);
    } else if (auto* number = std::get_if<double>(&argument.literal)) {
      *number = drawFloat(draw);
    }
  }
}

/// At times with a number more, which is no constant of a guard at first.
void addNumber(InputSpecification& inputs, catalogue::Draw& draw) {
  if (inputs.arguments.size() >= kMaximumArguments || inputs.isOfTraining || !draw.chance(kNumberPercent)) {
    return;
  }
  ArgumentSpecification number;
  if (draw.chance(50)) {
    number.literal = draw.between(kFewest, kMost);
  } else {
    number.literal = static_cast<double>(draw.between(1, 12)) / 4;
  }
  inputs.arguments.push_back(number);
}

int64_t mostElements(const InputSpecification& inputs) {
  int64_t most = 0;
  for (const BaseSpecification& base : inputs.bases) {
    most = std::max(most, base.elements());
  }
  for (const ArgumentSpecification& argument : inputs.arguments) {
    most =
        std::max(most, std::accumulate(argument.sizes.begin(), argument.sizes.end(), int64_t{1},
                                       [](int64_t left, int64_t right) { return left * std::max<int64_t>(1, right); }));
  }
  return most;
}

bool areSame(const InputSpecification& left, const InputSpecification& right) {
  return std::equal(left.bases.begin(), left.bases.end(), right.bases.begin(), right.bases.end(),
                    [](const auto& one, const auto& other) { return one.sizes == other.sizes; }) &&
         std::equal(left.arguments.begin(), left.arguments.end(), right.arguments.begin(), right.arguments.end(),
                    [](const auto& one, const auto& other) {
                      return one.sizes == other.sizes && one.strides == other.strides && one.literal == other.literal;
                    });
}

struct Dimension {
  int argument;
  int64_t dimension;
};

/// The dimensions with this number.
std::vector<Dimension> dimensionsOf(const InputSpecification& inputs, int64_t symbol) {
  std::vector<Dimension> found;
  for (size_t index = 0; index < inputs.arguments.size(); ++index) {
    const ArgumentSpecification& argument = inputs.arguments[index];
    if (argument.base < 0 || argument.sameAs >= 0 || argument.layout == Layout::kFlattened) {
      continue;
    }
    const Sizes sizes = sizesOf(inputs, argument);
    for (size_t dimension = 0; dimension < sizes.size(); ++dimension) {
      if (sizes[dimension] == symbol) {
        found.push_back({static_cast<int>(index), static_cast<int64_t>(dimension)});
      }
    }
  }
  return found;
}

std::string drawMark(catalogue::Draw& draw) {
  const int64_t roll = draw.below(100);
  return roll < kPlainPercent ? "mark_dynamic"
         : roll < 76          ? "maybe_mark_dynamic"
         : roll < 90          ? "mark_static"
                              : "decorators.mark_unbacked";
}

} // namespace

std::optional<InputSpecification> withOtherSizes(const InputSpecification& inputs, catalogue::Draw& draw,
                                                 int64_t maximumElements) {
  constexpr int kApartPercent = 12;
  InputSpecification changed = inputs;
  if (const std::vector<int64_t> symbols = symbolsOf(inputs); draw.chance(kApartPercent) || symbols.empty()) {
    if (!changeOneDimension(changed, draw)) {
      return std::nullopt;
    }
  } else {
    mapSizes(changed, drawAssignment(draw, symbols));
  }
  changeNumbers(changed, draw);
  if (areSame(inputs, changed) || mostElements(changed) > maximumElements) {
    return std::nullopt;
  }
  return changed;
}

InputSpecification withSymbols(const InputSpecification& inputs, catalogue::Draw& draw, int64_t maximumElements) {
  std::map<int64_t, int64_t> assigned;
  std::set<int64_t> taken;
  for (const int64_t symbol : symbolsOf(inputs)) {
    int64_t number = symbol <= kMost ? draw.between(kFewestFirst, kMostFirst) : symbol;
    while (taken.contains(number) && !draw.chance(15)) { // seldom two symbols are equal at first
      ++number;
    }
    taken.insert(assigned[symbol] = number);
  }
  InputSpecification changed = inputs;
  mapSizes(changed, assigned);
  if (mostElements(changed) > maximumElements) {
    changed = inputs;
  }
  addNumber(changed, draw);
  return changed;
}

void markDimensions(const std::vector<InputSpecification*>& all, catalogue::Draw& draw) {
  const std::vector<int64_t> symbols = symbolsOf(*all.front());
  if (symbols.empty()) {
    return;
  }
  std::set<int64_t> marked;
  for (int64_t count = draw.between(1, 2); count > 0; --count) {
    const int64_t symbol = drawnOf(draw, symbols);
    if (!marked.insert(symbol).second) {
      continue;
    }
    MarkSpecification mark;
    mark.function = drawMark(draw);
    const bool isWeak = mark.function == "mark_static" || mark.function == "maybe_mark_dynamic";
    std::vector<Dimension> dimensions = dimensionsOf(*all.front(), symbol);
    if (!dimensions.empty() && draw.chance(isWeak ? 40 : 10)) { // the others go by what they are found to be
      dimensions = {dimensions[static_cast<size_t>(draw.below(std::ssize(dimensions)))]};
    }
    const auto sizeIn = [](const InputSpecification& inputs, const Dimension& each) {
      return sizesOf(inputs, inputs.arguments[static_cast<size_t>(each.argument)])
          .at(static_cast<size_t>(each.dimension));
    };
    if (mark.function == "mark_dynamic" && draw.chance(kBoundsPercent)) {
      int64_t least = symbol, most = symbol;
      for (const InputSpecification* inputs : all) {
        for (const Dimension& each : dimensions) {
          least = std::min(least, std::max(kFewest, sizeIn(*inputs, each)));
          most = std::max(most, sizeIn(*inputs, each));
        }
      }
      mark.minimum = least;
      mark.maximum = most + draw.below(kRoom);
    }
    for (InputSpecification* inputs : all) {
      for (const Dimension& each : dimensions) {
        if (isWeak || sizeIn(*inputs, each) >= kFewest) {
          mark.argument = each.argument;
          mark.dimension = each.dimension;
          inputs->marks.push_back(mark);
        }
      }
    }
  }
}

} // namespace touchstone::decoder
