#include "backends/capture/GuardTexts.h"

#include "backends/capture/Guards.h"
#include "backends/sources/LocalSources.h"
#include "program/language/Ast.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <regex>

namespace touchstone::capture {

using values::Value;

std::string constantText(const Value& value) {
  if (const auto* flag = value.maybe<bool>()) {
    return *flag ? "True" : "False";
  }
  if (const auto* number = value.maybe<int64_t>()) {
    return std::to_string(*number);
  }
  if (const auto* number = value.maybe<double>()) {
    return language::pythonFloatText(*number);
  }
  if (const auto* text = value.maybe<std::string>()) {
    return "'" + *text + "'";
  }
  if (const auto* dtype = value.maybe<at::ScalarType>()) {
    return "torch." + std::string(c10::getDtypeNames(*dtype).first);
  }
  if (const auto* device = value.maybe<at::Device>()) {
    return device->str();
  }
  return value.isNone() ? "None" : value.typeName();
}

namespace {

/// `None` where a number is no constant, as PyTorch writes it.
std::string numbersText(const std::vector<int64_t>& numbers, const std::vector<symbols::Expression>* symbolic) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < numbers.size(); ++i) {
    texts.push_back(symbolic != nullptr && !(*symbolic)[i].constant() ? "None" : std::to_string(numbers[i]));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

} // namespace

std::string bySources(const std::string& text, const std::vector<sources::SizeSource>& symbols) {
  static const std::regex kSymbol(R"(\bs(\d+)\b)");
  std::string written;
  auto begin = text.cbegin();
  for (std::sregex_iterator found(text.begin(), text.end(), kSymbol), end; found != end; ++found) {
    written.append(begin, (*found)[0].first);
    written += symbols.at(std::stoul((*found)[1].str())).text;
    begin = (*found)[0].second;
  }
  return written.append(begin, text.cend());
}

/// Conditions on sizes, by where the sizes come from: `2 <= L['x'].size()[0]`.
void Guards::addSymbolTexts(std::vector<std::string>& texts) const {
  for (size_t symbol = 0; symbol < symbols_.size(); ++symbol) {
    if (symbols_[symbol].isSize() && isToldByLooked_[symbol]) {
      texts.push_back("2 <= " + symbols_[symbol].text);
    }
  }
  for (const TensorLeaf& leaf : leaves_) {
    if (leaf.isFree || leaf.sameAs >= 0 || !leaf.symbolic) {
      continue;
    }
    for (const bool isSize : {true, false}) {
      const std::vector<symbols::Expression>& numbers = isSize ? leaf.symbolic->sizes : leaf.symbolic->strides;
      for (size_t d = 0; d < numbers.size(); ++d) {
        const std::string source =
            isSize ? sources::sourceOfSize(leaf.source, d) : sources::sourceOfStride(leaf.source, d);
        const std::string expected = bySources(numbers[d].text(), symbols_);
        if (!numbers[d].constant() && source != expected) {
          texts.push_back(source + " == " + expected);
        }
      }
    }
  }
  for (const auto& [each, symbols] : conditions_) {
    texts.push_back(bySources(each.condition.text(), symbols_) +
                    (each.line > 0 ? fmt::format(" # line {}", each.line) : ""));
  }
}

/// A number of a MemoryState, or what it is computed from.
std::string Guards::memoryText(size_t state, int64_t MemoryState::*member) const {
  if (memoryNumbers_) {
    std::vector<MemoryState> memory = memory_;
    const std::vector<int64_t*> places = numbersOf(memory);
    for (const auto& [number, expression] : memoryNumbers_->varying()) {
      if (places[number] == &(memory[state].*member)) {
        return bySources(expression.text(), symbols_);
      }
    }
  }
  return std::to_string(memory_[state].*member);
}

std::string Guards::expectedText(const symbols::Expression& number, const std::string& source) const {
  const std::string text = bySources(number.text(), symbols_);
  return text == source ? "2 or more" : text;
}

std::vector<std::string> Guards::texts() const {
  std::vector<std::string> texts;
  texts.push_back(fmt::format(
      "___check_global_state() (grad_mode={}, inference_mode={}, autocast={}{}{})", global_.gradMode ? "True" : "False",
      global_.inferenceMode ? "True" : "False", global_.autocast ? toString(global_.autocastDtype) : "off",
      global_.deterministic ? ", deterministic" : "",
      global_.defaultDtype == at::kFloat ? "" : fmt::format(", default_dtype={}", toString(global_.defaultDtype))));
  std::vector<const Node*> open;
  for (auto root = roots_.rbegin(); root != roots_.rend(); ++root) {
    open.push_back(&*root);
  }
  while (!open.empty()) {
    const Node& node = *open.back();
    open.pop_back();
    switch (node.kind) {
      case Kind::kFree: break;
      case Kind::kTensor: {
        const TensorLeaf& leaf = leaves_[node.leaf];
        if (leaf.isFree) {
          texts.push_back("___check_type_id(" + leaf.source + ", Tensor)");
        }
        if (leaf.sameAs >= 0) {
          texts.push_back(leaves_[static_cast<size_t>(leaf.sameAs)].source + " is " + leaf.source);
        } else if (!leaf.isFree) {
          texts.push_back(
              fmt::format("check_tensor({}, Tensor, {}, torch.{}, device={}, requires_grad={}, size=[{}], "
                          "stride=[{}])",
                          leaf.source, toString(leaf.keys), c10::getDtypeNames(leaf.dtype).first, leaf.device.str(),
                          leaf.requiresGrad ? "True" : "False",
                          numbersText(leaf.sizes, leaf.symbolic ? &leaf.symbolic->sizes : nullptr),
                          numbersText(leaf.strides, leaf.symbolic ? &leaf.symbolic->strides : nullptr)));
        }
        break;
      }
      case Kind::kConstant:
        texts.push_back(node.source + (node.like.isNone() ? " is " : " == ") + constantText(node.like));
        break;
      case Kind::kSymbol:
        texts.push_back(fmt::format("___check_type_id({0}, int) and {0} not in (0, 1)", node.source));
        break;
      case Kind::kPlain: texts.push_back("___check_constant(" + node.source + ")"); break;
      case Kind::kSeen: texts.push_back(node.source + " is the container that it was"); break;
      case Kind::kContainer:
        texts.push_back("___check_type_id(" + node.source + ", " + node.like.typeName() + ")");
        if (const values::ValueList* items = node.like.items()) {
          texts.push_back(fmt::format("len({}) == {}", node.source, items->size()));
        }
        for (auto item = node.items.rbegin(); item != node.items.rend(); ++item) {
          open.push_back(&*item);
        }
        break;
    }
  }
  addSymbolTexts(texts);
  for (const AskedFact& asked : facts_) {
    const std::string& source = sources_[asked.number];
    texts.push_back(
        asked.fact == evaluator::Fact::kOffset ? fmt::format("{}.storage_offset() == {}", source, asked.state.offset)
        : asked.fact == evaluator::Fact::kBase
            ? fmt::format("check_base({}, requires_grad={})", source, asked.state.baseRequiresGrad ? "True" : "False")
        : asked.fact == evaluator::Fact::kHooks
            ? fmt::format("{}check_hooks({})", asked.state.hasHooks ? "" : "not ", source)
            : fmt::format("check_leaf({}, is_leaf={}{}{})", source, asked.state.isLeaf ? "True" : "False",
                          asked.state.retainsGrad ? ", retains_grad" : "", asked.state.view >= 0 ? ", view" : ""));
  }
  for (size_t i = 0; i < relied_.size(); ++i) {
    const MemoryState& state = memory_[i];
    texts.push_back(fmt::format(
        "check_memory({}, offset={}, bytes={}, is_leaf={}{}{}, memory #{}, version #{})", sources_[relied_[i]],
        memoryText(i, &MemoryState::offset), memoryText(i, &MemoryState::bytes), state.isLeaf ? "True" : "False",
        state.retainsGrad ? ", retains_grad" : "", state.view >= 0 ? ", view" : "", state.storage, state.version));
  }
  for (size_t number : unrelied_) {
    for (size_t each : relied_) {
      texts.push_back(fmt::format("{} and {} share no memory", sources_[number], sources_[each]));
    }
  }
  if (distinct_) {
    texts.push_back(fmt::format("___check_no_aliasing({})", fmt::join(sources_, ", ")));
  }
  return texts;
}

} // namespace touchstone::capture
