#include "backends/compiled_autograd/SymbolicBackward.h"

#include "backends/compiled_autograd/BackwardCache.h"
#include "graph/runtime/Interpreter.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace touchstone::compiled_autograd {

using symbols::NotSymbolic;

namespace {

std::vector<int64_t*> numbersOf(std::vector<Segment::Waiting>& waiting) {
  std::vector<int64_t*> places;
  for (Segment::Waiting& each : waiting) {
    for (std::vector<int64_t>* numbers : {&each.state.sizes, &each.state.strides}) {
      std::transform(numbers->begin(), numbers->end(), std::back_inserter(places),
                     [](int64_t& number) { return &number; });
    }
    places.push_back(&each.state.offset);
  }
  return places;
}

auto placeOf(const SegmentInput& input) {
  return std::make_tuple(input.isGradient, input.gradient, input.tensor);
}
auto placeOf(const SegmentOutput& output) {
  return std::make_tuple(output.kind, output.gradient, output.place);
}

template <class Place>
bool haveSamePlaces(const std::vector<Place>& left, const std::vector<Place>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Place& one, const Place& other) { return placeOf(one) == placeOf(other); });
}

/// Other assignments are captured on the meta device.
bool isLike(const Segment::Waiting& left, const Segment::Waiting& right) {
  return left.slot == right.slot && left.state.isDefined == right.state.isDefined &&
         left.state.dtype == right.state.dtype && left.state.sizes.size() == right.state.sizes.size();
}

bool isLike(const Segment& left, const Segment& right) {
  return left.begin == right.begin && left.end == right.end && left.areHooksCalled == right.areHooksCalled &&
         left.endsBeforeHooks == right.endsBeforeHooks && left.resultCount == right.resultCount &&
         left.givenCount == right.givenCount && haveSamePlaces(left.inputs, right.inputs) &&
         haveSamePlaces(left.outputs, right.outputs) &&
         std::equal(left.waiting.begin(), left.waiting.end(), right.waiting.begin(), right.waiting.end(),
                    [](const auto& one, const auto& other) { return isLike(one, other); });
}

std::vector<const ir::Graph*> wholesOf(const std::vector<BackwardGraph>& captured) {
  std::vector<const ir::Graph*> wholes;
  std::transform(captured.begin(), captured.end(), std::back_inserter(wholes),
                 [](const BackwardGraph& each) { return &each.whole; });
  return wholes;
}

} // namespace

SymbolicBackward::SymbolicBackward(BackwardSymbols symbols, std::vector<c10::IValue> scalars,
                                   std::set<size_t> eagerNodes, std::shared_ptr<FittedSizes> fitted,
                                   const std::vector<BackwardGraph>& captured)
    : symbols_(std::move(symbols)), scalars_(std::move(scalars)), eagerNodes_(std::move(eagerNodes)) {
  for (const BackwardGraph& each : captured) {
    const auto& first = captured[0].segments;
    if (!std::equal(first.begin(), first.end(), each.segments.begin(), each.segments.end(),
                    [](const Segment& one, const Segment& other) { return isLike(one, other); })) {
      throw NotSymbolic("what is handed on between the parts of the backward");
    }
  }
  whole_.emplace(wholesOf(captured), fitted->fitting, runtime::constantTensors());
  for (size_t i = 0; i < captured[0].segments.size(); ++i) {
    std::vector<ir::Graph> graphs;
    std::transform(captured.begin(), captured.end(), std::back_inserter(graphs),
                   [&](const BackwardGraph& each) { return each.segments[i].graph; });
    auto graph = std::make_shared<SymbolicSegment>(std::move(graphs), fitted);
    parts_.push_back({captured[0].segments[i], numbersOfWaiting(captured, i, fitted->fitting), std::move(graph)});
  }
}

symbols::Numbers SymbolicBackward::numbersOfWaiting(const std::vector<BackwardGraph>& captured, size_t part,
                                                    symbols::Fitting& fitting) {
  std::vector<std::vector<int64_t>> numbers;
  for (const BackwardGraph& each : captured) {
    std::vector<Segment::Waiting> waiting = each.segments[part].waiting;
    numbers.push_back(symbols::valuesAt(numbersOf(waiting)));
  }
  return {numbers, fitting, [](size_t) { return std::string("a size of a gradient"); }};
}

BackwardGraph SymbolicBackward::graphAt(const symbols::Assignment& assignment) const {
  BackwardGraph graph{whole_->at(assignment), {}};
  for (const Part& part : parts_) {
    Segment segment = part.model;
    part.waiting.put(numbersOf(segment.waiting), assignment);
    segment.graph = part.graph->graphAt(assignment);
    segment.symbolic = part.graph;
    segment.assignment = assignment;
    segment.compiled = std::make_shared<Segment::Compiled>();
    graph.segments.push_back(std::move(segment));
  }
  return graph;
}

std::shared_ptr<SpecializedBackward> SymbolicBackward::at(const BackwardTask& task, const BackwardKey& key) const {
  constexpr size_t kKnown = 256; // beyond that the sizes that come anew are put in once more
  if (!std::equal(scalars_.begin(), scalars_.end(), key.scalars.begin(), key.scalars.end(), isSameScalar)) {
    return nullptr;
  }
  const std::optional<symbols::Assignment> assignment = symbols_.assignmentOf(LiftedNumbers::of(key));
  if (!assignment) {
    return nullptr;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (known_.size() > kKnown) {
    known_.clear();
  }
  std::shared_ptr<SpecializedBackward>& backward = known_[*assignment];
  if (backward == nullptr) {
    backward = std::make_shared<SpecializedBackward>(task, key);
    backward->addEagerNodes(eagerNodes_);
    backward->add(graphAt(*assignment));
  }
  return backward;
}

} // namespace touchstone::compiled_autograd
