#include "generators/decoder/DecoderState.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace touchstone::decoder {

using language::ExprPtr;
using Drawn = std::optional<std::vector<ExprPtr>>;

size_t distanceBack(int pick, size_t count) {
  if (count == 0) {
    return 0;
  }
  // 0 in 7 of 16 picks, 1 in 4, 2 in 2; the rest anywhere.
  constexpr std::array<std::pair<int, size_t>, 3> kNear = {{{112, 0}, {176, 1}, {208, 2}}};
  for (const auto& [bound, distance] : kNear) {
    if (pick < bound) {
      return distance % count;
    }
  }
  return static_cast<size_t>(pick - 208) % count;
}

std::vector<int64_t> drawSizes(catalogue::Draw& draw, int64_t maximumElements) {
  constexpr std::array<int64_t, 40> kRanks = {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                                              2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 5};
  constexpr std::array<int64_t, 20> kSizes = {2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 1, 1, 4, 4, 5, 0};
  std::vector<int64_t> sizes(static_cast<size_t>(kRanks[draw.below(kRanks.size())]));
  int64_t elements = 1;
  for (int64_t& size : sizes) {
    size = kSizes[draw.below(kSizes.size())];
    if (size == 0 && draw.chance(50)) { // empty tensors run no arithmetic: fewer of them
      size = 2;
    }
    if (elements * size > maximumElements) {
      size = 1;
    }
    elements *= size;
  }
  return sizes;
}

int64_t drawnDimension(const AttributeContext& context) {
  return catalogue::Draw(context.seed, "DIM").below(context.subject.dim());
}
int64_t drawnIndexCount(const AttributeContext& context) {
  return catalogue::Draw(context.seed, "INDICES count").between(1, 4);
}

namespace {

Drawn one(ExprPtr expression) {
  return std::vector<ExprPtr>{std::move(expression)};
}
Drawn one(int64_t value) {
  return one(language::makeInt(value));
}

/// A dimension or index from 0, written at times from the end.
int64_t spelledFromEnd(const AttributeContext& context, std::string_view choice, int64_t value, int64_t size) {
  return catalogue::Draw(context.seed ^ 1, choice).chance(25) ? value - size : value;
}

Drawn drawDimension(const AttributeContext& context) {
  const int64_t rank = context.subject.dim();
  return rank == 0 ? Drawn() : one(spelledFromEnd(context, "DIM", drawnDimension(context), rank));
}

Drawn drawOtherDimension(const AttributeContext& context) {
  const int64_t rank = context.subject.dim();
  if (rank == 0) {
    return std::nullopt;
  }
  return one((drawnDimension(context) + 1 + catalogue::Draw(context.seed, "OTHER_DIM").below(rank - 1)) % rank);
}

Drawn drawNewDimension(const AttributeContext& context) {
  const int64_t places = context.subject.dim() + 1;
  return one(spelledFromEnd(context, "NEW_DIM", catalogue::Draw(context.seed, "NEW_DIM").below(places), places));
}

Drawn drawOrder(const AttributeContext& context) {
  std::vector<int64_t> order(static_cast<size_t>(context.subject.dim()));
  std::iota(order.begin(), order.end(), int64_t{0});
  catalogue::Draw draw(context.seed, "ORDER");
  for (size_t index = order.size(); index > 1; --index) {
    std::swap(order[index - 1], order[static_cast<size_t>(draw.below(static_cast<int64_t>(index)))]);
  }
  if (order.size() > 1 && std::is_sorted(order.begin(), order.end())) {
    std::swap(order[0], order[1]);
  }
  return one(tupleOf(order));
}

/// Sizes with as many elements as the subject.
std::vector<int64_t> drawRegrouped(const AttributeContext& context, catalogue::Draw& draw) {
  const int64_t elements = context.subject.numel();
  std::vector<int64_t> sizes;
  int64_t rest = elements;
  const int64_t rank = draw.between(1, 3);
  for (int64_t dimension = 1; dimension < rank && rest > 0; ++dimension) {
    std::vector<int64_t> divisors;
    for (int64_t divisor = 1; divisor <= rest; ++divisor) {
      if (rest % divisor == 0) {
        divisors.push_back(divisor);
      }
    }
    sizes.push_back(divisors[static_cast<size_t>(draw.below(static_cast<int64_t>(divisors.size())))]);
    rest /= sizes.back();
  }
  sizes.push_back(rest);
  return sizes;
}

/// One of them at times -1.
Drawn drawShapeOperand(const AttributeContext& context) {
  catalogue::Draw draw(context.seed, "SHAPE");
  std::vector<int64_t> sizes = drawRegrouped(context, draw);
  if (context.subject.numel() > 0 && draw.chance(25)) {
    sizes[static_cast<size_t>(draw.below(static_cast<int64_t>(sizes.size())))] = -1;
  }
  return one(tupleOf(sizes));
}

/// Each of them given: `resize_` takes a -1 for a size.
Drawn drawGivenShape(const AttributeContext& context) {
  catalogue::Draw draw(context.seed, "GIVEN_SHAPE");
  return one(tupleOf(drawRegrouped(context, draw)));
}

Drawn drawExpanded(const AttributeContext& context) {
  catalogue::Draw draw(context.seed, "EXPANDED");
  std::vector<int64_t> sizes = context.subject.sizes().vec();
  int64_t elements = context.subject.numel();
  bool changed = false;
  for (int64_t& size : sizes) {
    if (size == 1 && elements * 2 <= context.options.maximumElements) {
      size = draw.between(2, 3);
      elements *= size;
      changed = true;
    }
  }
  if ((!changed || draw.chance(30)) && elements * 2 <= context.options.maximumElements &&
      static_cast<int>(sizes.size()) < context.options.maximumRank) {
    sizes.insert(sizes.begin(), 2);
  }
  return one(tupleOf(sizes));
}

/// One to as many subscripts as there are dimensions: whole numbers, slices, `None`, `...`.
Drawn drawIndex(const AttributeContext& context) {
  catalogue::Draw draw(context.seed, "INDEX");
  const at::Tensor& subject = context.subject;
  if (subject.dim() == 0) {
    return std::nullopt;
  }
  std::vector<ExprPtr> items;
  int64_t dimension = 0;
  const int64_t count = draw.between(1, std::min<int64_t>(subject.dim(), 2));
  if (draw.chance(8)) {
    items.push_back(std::make_shared<language::Expr>(language::Expr{language::ExprKind::kEllipsis, {}, {}, {}, {}}));
    dimension = subject.dim() - count;
  } else if (subject.dim() < context.options.maximumRank && draw.chance(8)) {
    items.push_back(language::makeNone());
  }
  for (int64_t item = 0; item < count; ++item, ++dimension) {
    const int64_t size = subject.size(dimension);
    const int64_t roll = draw.below(100);
    const int64_t start = draw.below(std::max<int64_t>(size, 1));
    const int64_t stop = draw.between(start + 1, std::max<int64_t>(size, start + 1));
    const bool fromEnd = draw.chance(25);
    if (roll < 35 && size > 0) {
      items.push_back(language::makeInt(fromEnd ? start - size : start));
    } else if (roll < 60) {
      items.push_back(
          language::makeSlice(language::makeInt(start), fromEnd ? nullptr : language::makeInt(stop), nullptr));
    } else if (roll < 80) {
      items.push_back(
          language::makeSlice(start == 0 || size < 3 ? nullptr : language::makeInt(1), nullptr, language::makeInt(2)));
    } else if (roll < 90 && size > 0) {
      items.push_back(language::makeSlice(nullptr, language::makeInt(stop), nullptr));
    } else {
      items.push_back(language::makeSlice(nullptr, nullptr, nullptr));
    }
  }
  return items;
}

Drawn drawInside(const AttributeContext& context, int64_t dimension) {
  const int64_t size = context.subject.size(dimension);
  if (size == 0) {
    return std::nullopt;
  }
  return one(spelledFromEnd(context, "INSIDE", catalogue::Draw(context.seed, "INSIDE").below(size), size));
}

Drawn drawInsideOf(const AttributeContext& context) {
  return context.subject.dim() == 0 ? Drawn() : drawInside(context, drawnDimension(context));
}

Drawn drawInsideLast(const AttributeContext& context) {
  return context.subject.dim() == 0 ? Drawn() : drawInside(context, context.subject.dim() - 1);
}

Drawn drawLength(const AttributeContext& context) {
  if (context.subject.dim() == 0) {
    return std::nullopt;
  }
  const int64_t size = context.subject.size(drawnDimension(context));
  const int64_t start = catalogue::Draw(context.seed, "START").below(size);
  return size == 0 ? Drawn() : one(catalogue::Draw(context.seed, "LENGTH").between(1, size - start));
}

Drawn drawStart(const AttributeContext& context) {
  return context.subject.dim() == 0
             ? Drawn()
             : one(catalogue::Draw(context.seed, "START").below(context.subject.size(drawnDimension(context))));
}

Drawn drawIndicesOf(const AttributeContext& context, int64_t dimension) {
  const int64_t size = context.subject.size(dimension);
  if (size == 0) {
    return std::nullopt;
  }
  catalogue::Draw draw(context.seed, "INDICES");
  std::vector<ExprPtr> items;
  for (int64_t count = drawnIndexCount(context); count > 0; --count) {
    items.push_back(language::makeInt(draw.below(size)));
  }
  return one(language::makeList(std::move(items)));
}

Drawn drawIndices(const AttributeContext& context) {
  return context.subject.dim() == 0 ? Drawn() : drawIndicesOf(context, drawnDimension(context));
}

Drawn drawIndicesFirst(const AttributeContext& context) {
  return context.subject.dim() == 0 ? Drawn() : drawIndicesOf(context, 0);
}

/// Sizes, strides and offset for as_strided that stay inside the subject's storage.
Drawn drawGeometry(const AttributeContext& context) {
  const at::Tensor& subject = context.subject;
  const int64_t elements = static_cast<int64_t>(subject.storage().nbytes() / subject.element_size());
  catalogue::Draw draw(context.seed, "GEOMETRY");
  for (int attempt = 0; attempt < 6; ++attempt) {
    std::vector<int64_t> sizes, strides;
    int64_t extent = 1;
    for (int64_t rank = draw.between(1, 2); rank > 0; --rank) {
      const int64_t size = draw.between(1, 3);
      const int64_t stride = draw.chance(85) ? extent + draw.below(2) : draw.below(3);
      sizes.push_back(size);
      strides.push_back(stride);
      extent += (size - 1) * stride;
    }
    if (draw.chance(60)) {
      std::reverse(sizes.begin(), sizes.end());
      std::reverse(strides.begin(), strides.end());
    }
    const int64_t offset = draw.below(std::max<int64_t>(elements - extent + 1, 1));
    // Without an offset of its own the result begins where the subject does.
    const bool inherits = draw.chance(35) && subject.storage_offset() + extent <= elements;
    if (extent > elements) {
      continue;
    }
    std::vector<ExprPtr> arguments = {tupleOf(sizes), tupleOf(strides)};
    if (!inherits) {
      arguments.push_back(language::makeInt(offset));
    }
    return arguments;
  }
  return std::nullopt;
}

/// How often `repeat` repeats each dimension, and perhaps a new one before them.
Drawn drawRepeats(const AttributeContext& context) {
  catalogue::Draw draw(context.seed, "REPEATS");
  std::vector<int64_t> repeats(static_cast<size_t>(context.subject.dim()), 1);
  if (repeats.empty() || draw.chance(25)) {
    repeats.insert(repeats.begin(), 1);
  }
  repeats[static_cast<size_t>(draw.below(static_cast<int64_t>(repeats.size())))] = draw.between(1, 2);
  return one(tupleOf(repeats));
}

Drawn drawWhole(const AttributeContext& context) {
  constexpr std::array<int64_t, 6> kWhole = {1, 2, 3, -1, 2, 1};
  return one(kWhole[catalogue::Draw(context.seed, "WHOLE").below(kWhole.size())]);
}

/// A quarter for floats, else a whole number.
Drawn drawScalar(const AttributeContext& context) {
  catalogue::Draw draw(context.seed, "SCALAR");
  const bool floating =
      !context.subject.defined() || context.subject.is_floating_point() || context.subject.is_complex();
  int64_t quarters = draw.between(-8, 8);
  if (quarters == 0) {
    quarters = 4;
  }
  return floating && draw.chance(60) ? one(language::makeFloat(static_cast<double>(quarters) / 4))
                                     : one(1 + quarters / 4);
}

Drawn drawSameDtype(const AttributeContext& context) {
  return one(dtypeConstant(context.subject.scalar_type()));
}

Drawn drawSameWidth(const AttributeContext& context) {
  switch (context.subject.element_size()) {
    case 8: return one(dtypeConstant(at::kLong));
    case 4: return one(dtypeConstant(at::kInt));
    default: return one(dtypeConstant(at::kShort));
  }
}

Drawn drawFreshShape(const AttributeContext& context) {
  catalogue::Draw draw(context.seed, "DRAWN_SHAPE");
  return one(tupleOf(drawSizes(draw, context.options.maximumElements)));
}

Drawn drawLastSize(const AttributeContext& context) {
  return context.subject.dim() == 0 ? Drawn() : one(tupleOf({context.subject.size(-1)}));
}

Drawn drawExtentFirst(const AttributeContext& context) {
  return context.subject.dim() == 0 || context.subject.size(0) == 0 ? Drawn() : one(context.subject.size(0));
}

struct AttributeEntry {
  std::string_view name;
  Drawn (*draw)(const AttributeContext&);
};

constexpr AttributeEntry kAttributes[] = {
    {"DIM", drawDimension},
    {"OTHER_DIM", drawOtherDimension},
    {"NEW_DIM", drawNewDimension},
    {"ORDER", drawOrder},
    {"SHAPE", drawShapeOperand},
    {"GIVEN_SHAPE", drawGivenShape},
    {"EXPANDED", drawExpanded},
    {"INDEX", drawIndex},
    {"INSIDE", drawInsideOf},
    {"INSIDE_LAST", drawInsideLast},
    {"START", drawStart},
    {"LENGTH", drawLength},
    {"INDICES", drawIndices},
    {"INDICES_FIRST", drawIndicesFirst},
    {"GEOMETRY", drawGeometry},
    {"REPEATS", drawRepeats},
    {"WHOLE", drawWhole},
    {"SCALAR", drawScalar},
    {"SAME_DTYPE", drawSameDtype},
    {"SAME_WIDTH", drawSameWidth},
    {"DRAWN_SHAPE", drawFreshShape},
    {"LAST_SIZE", drawLastSize},
    {"EXTENT_FIRST", drawExtentFirst},
    {"POSITIVE",
     [](const AttributeContext& context) { return one(catalogue::Draw(context.seed, "POSITIVE").between(1, 3)); }},
    {"OFFSET",
     [](const AttributeContext& context) { return one(catalogue::Draw(context.seed, "OFFSET").between(-1, 1)); }},
};

} // namespace

std::optional<std::vector<ExprPtr>> drawAttribute(const std::string& name, const AttributeContext& context) {
  for (const AttributeEntry& entry : kAttributes) {
    if (entry.name == name) {
      return entry.draw(context);
    }
  }
  throw std::out_of_range("No attribute is called `" + name +
                          "`; the table is in generators/decoder/DecoderAttributes.cpp.");
}

} // namespace touchstone::decoder
