#include "generators/decoder/DrawnOperators.h"

#include "generators/catalogue/Catalogue.h"
#include "generators/catalogue/Draw.h"
#include "generators/decoder/OperandChoice.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace touchstone::decoder {

namespace {

using catalogue::CatalogueEntry;
using catalogue::Draw;

/// Rows of the catalogue whose result is new and has the sizes and the dtype of a floating operand.
constexpr std::string_view kOfOne[] = {"sin", "cos", "tanh", "sigmoid", "neg", "abs", "relu", "atan", "erf"};
constexpr std::string_view kOfTwo[] = {"add", "sub", "mul", "maximum", "minimum", "atan2"};
constexpr std::string_view kInPlace[] = {"add_", "sub_", "mul_", "copy_"};
constexpr std::string_view kInPlaceOfOne[] = {"neg_", "abs_", "tanh_", "zero_"};

const CatalogueEntry& entryNamed(std::string_view name) {
  const std::vector<CatalogueEntry>& all = catalogue::catalogue();
  return *std::ranges::find_if(all, [&](const CatalogueEntry& entry) { return entry->name == name; });
}

/// One operator of a drawn body after the other.
class Steps {
 public:
  explicit Steps(uint64_t seed, std::string_view body) : draw_(seed, body) {}

  std::string ofOne(const char* operand) { return text(kOfOne, operand, operand); }
  std::string ofTwo(const char* first, const char* second) { return text(kOfTwo, first, second); }
  std::string inPlace(const char* written, const char* read) {
    return draw_.chance(70) ? text(kInPlace, written, read) : text(kInPlaceOfOne, written, read);
  }
  bool chance(int percent) { return draw_.chance(percent); }

  /// `z = torch.sin(x)`, and what goes on from there; the last is returned.
  std::string returning(const std::string& first) {
    std::string lines = "    z = " + first + "\n";
    if (draw_.chance(50)) {
      lines += "    z = " + ofOne("z") + "\n";
    }
    return lines + "    return " + ofOne("z") + "\n";
  }

 private:
  template <size_t size>
  std::string text(const std::string_view (&names)[size], const char* first, const char* second) {
    std::vector<language::ExprPtr> spellings;
    for (const catalogue::Spelling& each : entryNamed(names[draw_.below(size)]).spellings) {
      if (each.attributes.empty() && !each.target) {
        spellings.push_back(each.value);
      }
    }
    const language::ExprPtr& chosen =
        spellings.at(static_cast<size_t>(draw_.below(static_cast<int64_t>(spellings.size()))));
    return language::printExpression(
        *instantiate(chosen, {{"A", {language::makeName(first)}}, {"B", {language::makeName(second)}}}));
  }

  Draw draw_;
};

std::string headOf(const std::string& name, const std::string& parameters, const std::string& returns,
                   const std::string& mutated = "") {
  return fmt::format("@torch.library.custom_op(\"drawn::{0}\", mutates_args=({1}))\ndef {0}({2}) -> {3}:\n", name,
                     mutated, parameters, returns);
}

std::string fakeOf(const std::string& name, const std::string& parameters, const std::string& body) {
  return fmt::format("@{}.register_fake\ndef _({}):\n{}", name, parameters, body);
}

std::string formulaOf(const std::string& name, const std::string& setup, const std::string& gradients,
                      const std::string& backward) {
  return fmt::format(
      "def setup(ctx, inputs, output):\n{1}\ndef backward(ctx, {2}):\n{3}\n{0}.register_autograd(backward, "
      "setup_context=setup)\n",
      name, setup, gradients, backward);
}

std::string ofOne(uint64_t seed) {
  Steps steps(seed, "op_of_one");
  const std::string body = steps.returning(steps.ofOne("x"));
  const std::string fake = steps.chance(50) ? body : "    return torch.empty_like(x)\n";
  return headOf("op_of_one", "x: torch.Tensor", "torch.Tensor") + body + fakeOf("op_of_one", "x", fake) +
         formulaOf("op_of_one", "    ctx.save_for_backward(inputs[0])\n", "g",
                   "    (x,) = ctx.saved_tensors\n    return g * (" + steps.ofOne("x") + ")\n");
}

std::string ofTwo(uint64_t seed) {
  Steps steps(seed, "op_of_two");
  const std::string body = steps.returning(steps.ofTwo("x", "y"));
  return headOf("op_of_two", "x: torch.Tensor, y: torch.Tensor", "torch.Tensor") + body +
         fakeOf("op_of_two", "x, y", body) +
         formulaOf("op_of_two", "    x, y = inputs\n    ctx.save_for_backward(x, y, output)\n", "g",
                   "    x, y, z = ctx.saved_tensors\n    first = g * (" + steps.ofTwo("y", "z") +
                       ") if ctx.needs_input_grad[0] else None\n    return first, g * (" + steps.ofOne("x") + ")\n");
}

std::string plain(uint64_t seed) {
  Steps steps(seed, "op_plain");
  const std::string body = steps.returning(steps.ofOne("x"));
  return headOf("op_plain", "x: torch.Tensor", "torch.Tensor") + body + fakeOf("op_plain", "x", body);
}

std::string pair(uint64_t seed) {
  Steps steps(seed, "op_pair");
  const std::string body = "    y = " + steps.ofOne("x") + "\n    return y, " + steps.ofTwo("x", "y") + "\n";
  return headOf("op_pair", "x: torch.Tensor", "tuple[torch.Tensor, torch.Tensor]") + body +
         fakeOf("op_pair", "x", body) +
         formulaOf("op_pair", "    ctx.save_for_backward(inputs[0], output[0])\n", "g, h",
                   "    x, y = ctx.saved_tensors\n    return g * (" + steps.ofOne("x") + ") + h * (" +
                       steps.ofOne("y") + ")\n");
}

std::string ofList(uint64_t seed) {
  Steps steps(seed, "op_of_list");
  const std::string first = steps.ofOne("a"), second = steps.ofTwo("a", "b");
  const std::string body = "    a, b = xs\n    return [" + first + " * by, " + second + "]\n";
  return headOf("op_of_list", "xs: list[torch.Tensor], by: float", "list[torch.Tensor]") + body +
         fakeOf("op_of_list", "xs, by", body) +
         formulaOf("op_of_list", "    ctx.by = inputs[1]\n", "gradients",
                   "    g, h = gradients\n    return [g * ctx.by, g * 3 - h], None\n");
}

std::string into(uint64_t seed) {
  Steps steps(seed, "op_into_");
  const std::string body = "    z = " + steps.ofOne("x") + "\n    " + steps.inPlace("out", "z") + "\n    " +
                           steps.inPlace("out", "x") + "\n";
  const std::string fake = steps.chance(50) ? fakeOf("op_into_", "out, x", "    return None\n") : "";
  return headOf("op_into_", "out: torch.Tensor, x: torch.Tensor", "None", "\"out\",") + body + fake;
}

std::string step(uint64_t seed) {
  Steps steps(seed, "op_step_");
  const std::string body = "    before = out.clone()\n    " + steps.inPlace("out", "x") + "\n    return " +
                           steps.ofTwo("before", "out") + "\n";
  return headOf("op_step_", "out: torch.Tensor, x: torch.Tensor", "torch.Tensor", "\"out\",") + body +
         fakeOf("op_step_", "out, x", "    return " + steps.ofTwo("out", "out") + "\n");
}

} // namespace

std::vector<language::CustomOperator> drawnOperators(uint64_t seed) {
  std::string text;
  for (const auto make : {ofOne, ofTwo, plain, pair, ofList, into, step}) {
    text += make(seed) + "\n";
  }
  return parser::parseDefinitions(text).customOperators;
}

} // namespace touchstone::decoder
