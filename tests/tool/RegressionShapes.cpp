#include "tests/tool/SightQuestions.h"

namespace touchstone::tool {

namespace {

constexpr std::array kShapes{
    EdgeClass{1, "the pattern of aliases changes between calls",
              [](const Sight& sight) {
                const auto storagesOf = [](const observe::CallObservation& call) {
                  std::vector<int> storages;
                  for (const StorageMember& member : call.partition) {
                    if (member.location.role == Location::Role::kArgument) {
                      storages.push_back(member.storage);
                    }
                  }
                  return storages;
                };
                return std::ranges::any_of(sight.seen.calls, [&](const observe::CallObservation& call) {
                  return !call.exception && storagesOf(call).size() == storagesOf(firstOf(sight)).size() &&
                         storagesOf(call) != storagesOf(firstOf(sight));
                });
              }},
    EdgeClass{2, "one of two inputs in one memory is written to, a view of the other at an offset is an output",
              [](const Sight& sight) {
                return anyTwoArguments(sight, [&](size_t one, size_t other) {
                  return argumentsShare(sight, one, other) && overwritten(sight, one) &&
                         sight.given[other].storage_offset() > 0 && hasView(sight, other);
                });
              }},
    EdgeClass{3, "a write through a view with gaps of what is no leaf",
              [](const Sight& sight) {
                return makesViews(sight) && anyArgument(sight, [&](size_t index) {
                         return overwritten(sight, index) && sight.given[index].requires_grad() &&
                                !sight.given[index].is_leaf();
                       });
              }},
    EdgeClass{4, "inputs of one memory and two dtypes, one written to",
              [](const Sight& sight) {
                return anyTwoArguments(sight, [&](size_t one, size_t other) {
                  return argumentsShare(sight, one, other) &&
                         sight.given[one].scalar_type() != sight.given[other].scalar_type() && written(sight, one);
                });
              }},
    EdgeClass{5, "a view to a dtype is written to",
              [](const Sight& sight) { return contains(sight, ".view(torch.") && writesElements(sight); }},
    EdgeClass{6, "a write through an operator that returns its operand",
              [](const Sight& sight) {
                return containsAny(sight, {"training=False", "dropout(", ".contiguous()", "resolve_conj()", ".to("}) &&
                       writesElements(sight);
              }},
    EdgeClass{7, "writes around a view of size one",
              [](const Sight& sight) { return contains(sight, "squeeze(") && writesElements(sight); }},
    EdgeClass{8, "a transposed view of an input is written to and returned",
              [](const Sight& sight) {
                return containsAny(sight, {".t()", "transpose(", "permute(", "swapaxes(", "swapdims(", ".mT", ".T"}) &&
                       anyArgument(sight,
                                   [&](size_t index) { return overwritten(sight, index) && hasView(sight, index); });
              }},
    EdgeClass{9, "as_strided and a write",
              [](const Sight& sight) { return contains(sight, "as_strided(") && writesElements(sight); }},
    EdgeClass{10, "an operator that goes by strides, after a write",
              [](const Sight& sight) {
                return containsAny(sight, {"as_strided", ".stride("}) &&
                       anyArgument(sight, [&](size_t index) { return written(sight, index); });
              }},
    EdgeClass{
        11, "a write to memory that overlaps itself",
        [](const Sight& sight) {
          return firstOf(sight).overlapWritten || (writesElements(sight) && containsAny(sight, {"expand(", "unfold("}));
        }},
    EdgeClass{12, "out= or set_ that resizes",
              [](const Sight& sight) {
                return containsAny(sight, {"out=", "set_."});
              }},
    EdgeClass{13, "resize_", [](const Sight& sight) { return contains(sight, "resize_("); }},
    EdgeClass{14, "as_strided_", [](const Sight& sight) { return contains(sight, "as_strided_("); }},
    EdgeClass{15, "expressions under two grad modes",
              [](const Sight& sight) {
                return containsAny(sight, {"no_grad()", "enable_grad()"}) && firstOf(sight).outputs.size() > 1;
              }},
    EdgeClass{16, "a value and what is detached of it",
              [](const Sight& sight) { return contains(sight, "detach(") && firstOf(sight).outputs.size() > 1; }},
    EdgeClass{17, "a view made under no_grad",
              [](const Sight& sight) { return contains(sight, "no_grad") && makesViews(sight); }},
    EdgeClass{18, "detach",
              [](const Sight& sight) {
                return containsAny(sight, {"detach(", "detach_("});
              }},
    EdgeClass{19, "a tensor is made with requires_grad, or its gradient retained",
              [](const Sight& sight) {
                return containsAny(sight, {"requires_grad", "retain_grad("});
              }},
    EdgeClass{20, "a write to a leaf under no_grad",
              [](const Sight& sight) {
                return contains(sight, "no_grad") && anyArgument(sight, [&](size_t index) {
                         return written(sight, index) && sight.given[index].is_leaf() &&
                                sight.given[index].requires_grad();
                       });
              }},
    EdgeClass{21, "a change between forward and backward", [](const Sight& sight) { return hasPendingWrite(sight); }},
    EdgeClass{22, "a backward through one of several outputs",
              [](const Sight& sight) {
                const auto differentiable =
                    std::ranges::count_if(firstOf(sight).outputs, &TensorObservation::requiresGrad);
                return mentionsCall(sight, [&](const language::CallSpec& call) {
                  return call.backward && !call.backward->empty() &&
                         static_cast<int64_t>(call.backward->size()) < differentiable;
                });
              }},
    EdgeClass{23, "one tensor in two slots, with a gradient",
              [](const Sight& sight) {
                return goesBackward(sight) && std::ranges::any_of(sight.given, [&](const at::Tensor& tensor) {
                         return tensor.requires_grad() &&
                                std::ranges::count_if(
                                    sight.given, [&](const at::Tensor& other) { return other.is_same(tensor); }) > 1;
                       });
              }},
    EdgeClass{24, "slices of one input",
              [](const Sight& sight) {
                return goesBackward(sight) &&
                       (count(sight, "[") > 2 || containsAny(sight, {"narrow(", "slice(", "split(", "chunk("}));
              }},
    EdgeClass{25, "a read of an input that is written to later, with a gradient",
              [](const Sight& sight) {
                return goesBackward(sight) &&
                       anyArgument(sight, [&](size_t index) { return overwritten(sight, index); });
              }},
    EdgeClass{26, "a custom backward, or a value that is saved and returned, beside a write",
              [](const Sight& sight) {
                return goesBackward(sight) && writesElements(sight) &&
                       (containsAny(sight, {".apply(", "register_hook("}) ||
                        (firstOf(sight).outputs.size() > 1 &&
                         anyArgument(sight, [&](size_t index) { return overwritten(sight, index); })));
              }},
    EdgeClass{27, "tangents of other layouts",
              [](const Sight& sight) {
                return mentionsCall(sight, [](const language::CallSpec& call) {
                  return call.backward && call.tangentLayout != language::TangentLayout::kLike;
                });
              }},
    EdgeClass{28, "an output that is not contiguous",
              [](const Sight& sight) {
                return std::ranges::any_of(firstOf(sight).outputs, [](const TensorObservation& each) {
                  int64_t expected = 1;
                  for (size_t dimension = each.sizes.size(); dimension-- > 0;) {
                    if (each.sizes[dimension] > 1 && !each.strides.empty() && each.strides[dimension] != expected) {
                      return true;
                    }
                    expected *= std::max<int64_t>(each.sizes[dimension], 1);
                  }
                  return false;
                });
              }},
    EdgeClass{29, "sizes change between calls with a backward",
              [](const Sight& sight) {
                return goesBackward(sight) &&
                       std::ranges::any_of(sight.seen.calls, [&](const observe::CallObservation& call) {
                         return !call.arguments.empty() && !firstOf(sight).arguments.empty() &&
                                call.arguments[0].sizes != firstOf(sight).arguments[0].sizes;
                       });
              }},
    EdgeClass{30, "autocast that is off inside", [](const Sight& sight) { return contains(sight, "enabled=False"); }},
    EdgeClass{31, "a backward through a chain with views",
              [](const Sight& sight) { return goesBackward(sight) && makesViews(sight); }},
    EdgeClass{32, "equal expressions around a write",
              [](const Sight& sight) {
                if (!writesElements(sight)) {
                  return false;
                }
                std::map<std::string, int> expressions;
                for (size_t at = 0; (at = sight.program.find(" = ", at)) != std::string::npos; ++at) {
                  ++expressions[sight.program.substr(at, sight.program.find('\n', at) - at)];
                }
                return std::ranges::any_of(expressions, [](const auto& each) { return each.second > 1; });
              }},
    EdgeClass{33, "operands of other sizes, with a gradient, called again",
              [](const Sight& sight) {
                return sight.theCase.calls.size() >= 2 && std::ranges::any_of(sight.given, [&](const at::Tensor& one) {
                         return one.requires_grad() && std::ranges::any_of(sight.given, [&](const at::Tensor& other) {
                                  return one.sizes() != other.sizes();
                                });
                       });
              }},
    EdgeClass{34, "compiled autograd, gradients added up",
              [](const Sight& sight) {
                return mentionsCall(sight, [](const language::CallSpec& call) { return call.compiledAutograd; });
              }},
    EdgeClass{35, "complex views, fill_diagonal_, indices from data",
              [](const Sight& sight) {
                return containsAny(sight, {"view_as_real", "view_as_complex", ".real", ".imag", "fill_diagonal_(",
                                           "index_select(", "index_put", "gather(", "take("});
              }},
};

} // namespace

std::span<const EdgeClass> regressionShapes() {
  return kShapes;
}

} // namespace touchstone::tool
