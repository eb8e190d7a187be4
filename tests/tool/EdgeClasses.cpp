#include "tests/tool/SightQuestions.h"

namespace touchstone::tool {

namespace {

constexpr std::array kClasses{
    EdgeClass{1, "numbers, None or containers among the inputs",
              [](const Sight& sight) { return sight.hasOtherArguments; }},
    EdgeClass{2, "outputs, in containers or not", [](const Sight& sight) { return !firstOf(sight).outputs.empty(); }},
    EdgeClass{3, "some outputs need no grad",
              [](const Sight& sight) {
                const auto& outputs = firstOf(sight).outputs;
                return std::ranges::any_of(outputs, &TensorObservation::requiresGrad) &&
                       !std::ranges::all_of(outputs, &TensorObservation::requiresGrad);
              }},
    EdgeClass{4, "an output is a view of an input, without grad",
              [](const Sight& sight) {
                return anyArgument(sight, [&](size_t index) {
                  return sight.given[index].requires_grad() &&
                         anyViewOf(sight, index, [](const TensorObservation& each) { return !each.requiresGrad; });
                });
              }},
    EdgeClass{5, "a value and its detached alias",
              [](const Sight& sight) { return contains(sight, "detach(") && differInGrad(sight); }},
    EdgeClass{6, "the grad mode changes between calls",
              [](const Sight& sight) {
                return mentionsCall(sight, [&](const language::CallSpec& call) {
                  return call.gradMode != sight.theCase.calls[0].gradMode;
                });
              }},
    EdgeClass{7, "no_grad or inference mode around a call or inside",
              [](const Sight& sight) {
                return contains(sight, "inference_mode") || mentionsCall(sight, [](const language::CallSpec& call) {
                         return call.gradMode != language::GradMode::kEnable;
                       });
              }},
    EdgeClass{8, "a sparse gradient", [](const Sight& sight) { return contains(sight, "sparse=True"); }},
    EdgeClass{
        9, "an input is written to",
        [](const Sight& sight) { return anyArgument(sight, [&](size_t index) { return overwritten(sight, index); }); }},
    EdgeClass{10, "an input that is written to is an output",
              [](const Sight& sight) {
                return anyArgument(sight, [&](size_t index) {
                  const StorageMember* given = argument(sight, index);
                  return written(sight, index) &&
                         std::ranges::any_of(firstOf(sight).partition, [&](const StorageMember& member) {
                           return given != nullptr && member.location.role == Location::Role::kOutput &&
                                  member.object == given->object;
                         });
                });
              }},
    EdgeClass{11, "several inputs are written to",
              [](const Sight& sight) {
                return anyTwoArguments(sight, [&](size_t one, size_t other) {
                  return overwritten(sight, one) && overwritten(sight, other) &&
                         !share(argument(sight, one), argument(sight, other));
                });
              }},
    EdgeClass{12, "an input that is no leaf is written to through an alias without history",
              [](const Sight& sight) {
                return contains(sight, "detach(") && anyArgument(sight, [&](size_t index) {
                         return overwritten(sight, index) && sight.given[index].requires_grad() &&
                                !sight.given[index].is_leaf();
                       });
              }},
    EdgeClass{13, "a leaf is written to under no_grad",
              [](const Sight& sight) {
                return contains(sight, "no_grad") && anyArgument(sight, [&](size_t index) {
                         return written(sight, index) && sight.given[index].requires_grad() &&
                                sight.given[index].is_leaf();
                       });
              }},
    EdgeClass{14, "a leaf is written to where no gradient is asked for",
              [](const Sight& sight) {
                return (!goesBackward(sight) || sight.theCase.calls[0].gradMode != language::GradMode::kEnable) &&
                       anyArgument(sight, [&](size_t index) {
                         return written(sight, index) && sight.given[index].requires_grad() &&
                                sight.given[index].is_leaf();
                       });
              }},
    EdgeClass{15, "writes of several kinds to inputs",
              [](const Sight& sight) {
                return contains(sight, "no_grad") && contains(sight, "detach(") &&
                       anyArgument(sight, [&](size_t index) { return overwritten(sight, index); });
              }},
    EdgeClass{16, "an input with gaps or turned is written to",
              [](const Sight& sight) {
                return anyArgument(sight, [&](size_t index) {
                  return overwritten(sight, index) && !sight.given[index].is_contiguous();
                });
              }},
    EdgeClass{17, "an alias outside sees the write",
              [](const Sight& sight) {
                return anyArgument(sight, [&](size_t index) {
                  return written(sight, index) &&
                         std::ranges::any_of(firstOf(sight).partition, [&](const StorageMember& member) {
                           return member.location.role == Location::Role::kWatched &&
                                  share(argument(sight, index), &member);
                         });
                });
              }},
    EdgeClass{18, "running statistics are written to",
              [](const Sight& sight) {
                return contains(sight, "batch_norm(") && contains(sight, "True"); // its kernel counts no versions
              }},
    EdgeClass{19, "a buffer of a module is counted up",
              [](const Sight& sight) {
                return hasModule(sight) && anyArgument(sight, [&](size_t index) { return written(sight, index); });
              }},
    EdgeClass{20, "what is written to has another shape than its users",
              [](const Sight& sight) {
                return anyArgument(sight, [&](size_t index) {
                  return overwritten(sight, index) &&
                         std::ranges::any_of(firstOf(sight).outputs, [&](const TensorObservation& each) {
                           return at::IntArrayRef(each.sizes) != sight.given[index].sizes();
                         });
                });
              }},
    EdgeClass{21, "buffers of a batch norm module",
              [](const Sight& sight) {
                return std::ranges::any_of(sight.theCase.functions, [](const language::Function& function) {
                  return language::anyExpression(function.body, [](const language::Expr& expression) {
                    return expression.text.starts_with("BatchNorm");
                  });
                });
              }},
    EdgeClass{22, "an input comes to require grad by a write",
              [](const Sight& sight) {
                return anyArgument(sight, [&](size_t index) {
                  return !sight.given[index].requires_grad() && firstOf(sight).arguments[index].requiresGrad;
                });
              }},
    EdgeClass{23, "requires_grad_ inside", [](const Sight& sight) { return contains(sight, "requires_grad_("); }},
    EdgeClass{24, "batch norm with stored statistics",
              [](const Sight& sight) {
                return contains(sight, "batch_norm(") &&
                       !anyArgument(sight, [&](size_t index) { return written(sight, index); });
              }},
    EdgeClass{25, "a squeeze view of a copy is written to",
              [](const Sight& sight) {
                return contains(sight, "squeeze(") && containsAny(sight, {"clone(", " * ", " + ", ".sin("}) &&
                       writesElements(sight);
              }},
    EdgeClass{
        26, "an input gets other sizes or strides",
        [](const Sight& sight) { return anyArgument(sight, [&](size_t index) { return turned(sight, index); }); }},
    EdgeClass{27, "data and sizes of one input",
              [](const Sight& sight) {
                return anyArgument(sight, [&](size_t index) { return turned(sight, index) && writesElements(sight); });
              }},
    EdgeClass{28, "data through a view of a turned input",
              [](const Sight& sight) {
                return makesViews(sight) && anyArgument(sight, [&](size_t index) {
                         return overwritten(sight, index) && (!sight.given[index].is_contiguous() ||
                                                              turned(sight, index) || contains(sight, ".t()"));
                       });
              }},
    EdgeClass{29, "one input gets other sizes, an output is a view of another",
              [](const Sight& sight) {
                return anyTwoArguments(
                    sight, [&](size_t one, size_t other) { return turned(sight, one) && hasView(sight, other); });
              }},
    EdgeClass{30, "set_", [](const Sight& sight) { return contains(sight, "set_."); }},
    EdgeClass{31, "set_, then a write to its source",
              [](const Sight& sight) { return contains(sight, "set_.") && writesElements(sight); }},
    EdgeClass{
        32, "set_, then a write to a view of the old data",
        [](const Sight& sight) { return contains(sight, "set_.") && writesElements(sight) && makesViews(sight); }},
    EdgeClass{33, "set_ and back", [](const Sight& sight) { return count(sight, "set_.") > 1; }},
    EdgeClass{34, "set_ to a view", [](const Sight& sight) { return contains(sight, "set_.") && makesViews(sight); }},
    EdgeClass{35, "an output is a view of an input",
              [](const Sight& sight) {
                return anyArgument(sight,
                                   [&](size_t index) { return !written(sight, index) && hasView(sight, index); });
              }},
    EdgeClass{36, "views of an input that is written to and of one that is not",
              [](const Sight& sight) {
                return anyTwoArguments(sight, [&](size_t one, size_t other) {
                  return written(sight, one) && !written(sight, other) && hasView(sight, one) && hasView(sight, other);
                });
              }},
    EdgeClass{37, "an output is a view of an input with other sizes",
              [](const Sight& sight) {
                return anyArgument(sight, [&](size_t index) { return turned(sight, index) && hasView(sight, index); });
              }},
    EdgeClass{38, "a write and a view as output",
              [](const Sight& sight) {
                return anyArgument(sight,
                                   [&](size_t index) { return overwritten(sight, index) && hasView(sight, index); });
              }},
    EdgeClass{39, "pieces of an input",
              [](const Sight& sight) {
                return makesPieces(sight) && anyArgument(sight, [&](size_t index) { return hasView(sight, index); });
              }},
    EdgeClass{40, "pieces of an input and another view of it",
              [](const Sight& sight) {
                return makesPieces(sight) && anyArgument(sight, [&](size_t index) {
                         return std::ranges::count_if(firstOf(sight).partition, [&](const StorageMember& member) {
                                  return member.location.role == Location::Role::kOutput &&
                                         share(argument(sight, index), &member);
                                }) > 2;
                       });
              }},
    EdgeClass{41, "a custom function returns its input",
              [](const Sight& sight) {
                return contains(sight, ".apply(") &&
                       anyArgument(sight, [&](size_t index) { return hasView(sight, index); });
              }},
    EdgeClass{42, "two inputs of one memory, each with a view as output",
              [](const Sight& sight) {
                return anyTwoArguments(sight, [&](size_t one, size_t other) {
                  return argumentsShare(sight, one, other) && hasView(sight, one);
                });
              }},
    EdgeClass{43, "an output is a view of an intermediate",
              [](const Sight& sight) { return makesViews(sight) && !hiddenStorages(sight).empty(); }},
    EdgeClass{44, "an alias of an intermediate without grad",
              [](const Sight& sight) {
                return differInGrad(sight) || (hasHiddenViews(sight) && contains(sight, "no_grad"));
              }},
    EdgeClass{45, "an intermediate and its view", [](const Sight& sight) { return hasHiddenViews(sight); }},
    EdgeClass{46, "an intermediate twice, and a view",
              [](const Sight& sight) {
                return hasHiddenViews(sight) &&
                       anyHiddenPair(sight, [&](size_t one, size_t other) { return isSameObject(sight, one, other); });
              }},
    EdgeClass{47, "two views of a hidden intermediate",
              [](const Sight& sight) { return hasHiddenViews(sight) && makesViews(sight); }},
    EdgeClass{48, "views of two intermediates",
              [](const Sight& sight) {
                return std::ranges::count_if(hiddenStorages(sight),
                                             [](const auto& storage) { return storage.second.size() > 1; }) > 1;
              }},
    EdgeClass{49, "a view, its base, and one without grad",
              [](const Sight& sight) {
                return differInGrad(sight) &&
                       anyHidden(sight, [](const std::vector<size_t>& outputs) { return outputs.size() > 2; });
              }},
    EdgeClass{50, "pieces of an intermediate",
              [](const Sight& sight) {
                return makesPieces(sight) &&
                       anyHidden(sight, [](const std::vector<size_t>& outputs) { return outputs.size() > 1; });
              }},
    EdgeClass{51, "an intermediate gets other sizes in place",
              [](const Sight& sight) { return turnsInPlace(sight) && !hiddenStorages(sight).empty(); }},
    EdgeClass{52, "outputs alias each other and no node stands between",
              [](const Sight& sight) {
                return anyHidden(sight, [](const std::vector<size_t>& outputs) { return outputs.size() > 2; }) ||
                       (hasHiddenViews(sight) && !anyRequiresGrad(sight));
              }},
    EdgeClass{53, "aliases of an input, of an intermediate and of an output",
              [](const Sight& sight) {
                return hasHiddenViews(sight) && anyArgument(sight, [&](size_t index) { return hasView(sight, index); });
              }},
    EdgeClass{54, "one of two inputs with the same view is written to",
              [](const Sight& sight) {
                return anyTwoArguments(sight, [&](size_t one, size_t other) {
                  return argumentsShare(sight, one, other) && written(sight, one) &&
                         sight.given[one].sizes() == sight.given[other].sizes() &&
                         sight.given[one].strides() == sight.given[other].strides() &&
                         sight.given[one].storage_offset() == sight.given[other].storage_offset();
                });
              }},
    EdgeClass{55, "one input is the other's base",
              [](const Sight& sight) {
                return anyTwoArguments(sight, [&](size_t one, size_t other) {
                  return argumentsShare(sight, one, other) && sight.given[other].is_view() &&
                         sight.given[other]._base().is_same(sight.given[one]);
                });
              }},
    EdgeClass{56, "inputs of one memory, a write, and an alias as output",
              [](const Sight& sight) {
                return anyTwoArguments(sight, [&](size_t one, size_t other) {
                  return argumentsShare(sight, one, other) && overwritten(sight, one) &&
                         (hasView(sight, one) || hasView(sight, other));
                });
              }},
    EdgeClass{57, "inputs of one memory: data of the one, sizes of the other",
              [](const Sight& sight) {
                return writesElements(sight) && anyTwoArguments(sight, [&](size_t one, size_t other) {
                         return argumentsShare(sight, one, other) && turned(sight, other);
                       });
              }},
    EdgeClass{58, "inputs of one memory, no gradient",
              [](const Sight& sight) {
                return anyTwoArguments(sight, [&](size_t one, size_t other) {
                  return argumentsShare(sight, one, other) && !sight.given[one].requires_grad() &&
                         !sight.given[other].requires_grad();
                });
              }},
    EdgeClass{59, "two memories with several inputs each",
              [](const Sight& sight) {
                std::map<int, int> members;
                for (size_t index = 0; index < arguments(sight); ++index) {
                  if (const StorageMember* member = argument(sight, index)) {
                    ++members[member->storage];
                  }
                }
                return std::ranges::count_if(members, [](const auto& each) { return each.second > 1; }) > 1;
              }},
    EdgeClass{60, "inputs of one memory in different places",
              [](const Sight& sight) {
                return anyTwoArguments(sight, [&](size_t one, size_t other) {
                  return argumentsShare(sight, one, other) &&
                         (sight.given[one].storage_offset() != sight.given[other].storage_offset() ||
                          sight.given[one].strides() != sight.given[other].strides());
                });
              }},
    EdgeClass{61, "the same tensor twice among the inputs",
              [](const Sight& sight) {
                for (size_t one = 0; one < sight.given.size(); ++one) {
                  for (size_t other = 0; other < one; ++other) {
                    if (sight.given[one].is_same(sight.given[other])) {
                      return true;
                    }
                  }
                }
                return false;
              }},
    EdgeClass{62, "writes, sizes, and aliases of inputs and intermediates",
              [](const Sight& sight) {
                return hasHiddenViews(sight) && writesElements(sight) &&
                       anyArgument(sight,
                                   [&](size_t index) { return turned(sight, index) || hasView(sight, index); }) &&
                       anyArgument(sight, [&](size_t index) { return written(sight, index); });
              }},
};

} // namespace

std::span<const EdgeClass> edgeClasses() {
  return kClasses;
}

} // namespace touchstone::tool
