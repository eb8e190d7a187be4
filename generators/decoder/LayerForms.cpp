#include "generators/decoder/LayerForms.h"

#include "generators/catalogue/Exclusions.h"
#include "generators/decoder/CallTrial.h"
#include "generators/decoder/FormText.h"
#include "generators/decoder/ProgramEditing.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace touchstone::decoder {

using catalogue::Draw;
using language::ExprKind;
using language::Statement;
using language::StatementPtr;

namespace {

constexpr int64_t kMaximumWidth = 16, kMaximumElements = 256; // of what goes in
constexpr int kAllowedRnnPercent = 60; // else Dynamo breaks its graph there

/// What is done with `TENSOR` and, where there is one, the layer `LAYER`. `OUT` and `STATE` are names that statements bind.
struct LayerUse {
  std::string layer; // what makes it; empty: there is none
  std::string_view name; // of the argument
  std::vector<std::string> statements;
  std::string value; // of the sizes and the dtype of `TENSOR`
  std::string definitions; // functions that the value names
  std::vector<std::string_view> hooks; // of the layer: a method and a function
};

/// Of a layer that returns a pair.
constexpr std::string_view kPairHook = "def scale_first(module, args, output):\n    return output[0] * 2, output[1]\n";
constexpr std::string_view kOfPair = "register_forward_hook(scale_first)";
constexpr std::string_view kOfTensor[] = {"register_forward_hook(scale_output)",
                                          "register_forward_pre_hook(halve_argument)"};
constexpr std::string_view kBackward = "register_full_backward_hook(scale_gradient)";

/// Draws what is done, for one tensor.
class UseDrawer {
 public:
  UseDrawer(const at::Tensor& tensor, Draw& draw, bool mayWrite)
      : tensor_(tensor), draw_(draw), mayWrite_(mayWrite), width_(tensor.size(-1)) {
    if (tensor.dim() == 1) {
      sequence_ = "TENSOR[None]";
      back_ = "[0]";
    } else if (tensor.dim() == 2 && draw.chance(40)) {
      sequence_ = "TENSOR[None]";
      back_ = "[0]";
      isBatched_ = true;
    } else if (tensor.dim() > 3) {
      sequence_ = "TENSOR.flatten(0, -3)";
      back_ = ".reshape(TENSOR.shape)";
    }
    isBatched_ = isBatched_ || tensor.dim() > 2;
    isBatchFirst_ = draw.chance(50);
    along_ = isBatched_ && isBatchFirst_ ? 1 : 0;
  }

  LayerUse gru() {
    const bool isTwoWays = draw_.chance(40);
    const int64_t layers = draw_.chance(35) ? 2 : 1, hidden = draw_.chance(70) ? width_ : draw_.between(1, 3);
    const int64_t directions = isTwoWays ? 2 : 1;
    LayerUse use{.name = "gru"};
    use.layer = fmt::format("torch.nn.GRU({}, {}{}{}{}{}{})", width_, hidden, layers > 1 ? ", num_layers=2" : "",
                            draw_.chance(15) ? ", bias=False" : "", batchFirst(),
                            isTwoWays ? ", bidirectional=True" : "", dtype());
    use.hooks = {kOfPair, kOfPair};
    std::string given = sequence_;
    if (draw_.chance(35)) {
      const std::string batch = isBatched_ ? fmt::format("{}.size({}), ", sequence_, 1 - along_) : "";
      const std::string_view state =
          oneOf({"TENSOR.new_zeros({})", "TENSOR.new_ones({})", "TENSOR.new_full(({}), 0.25)"});
      given += ", " + filled(state, fmt::format("{}, {}{}", layers * directions, batch, hidden));
    } else if (tensor_.requires_grad()) {
      use.hooks.push_back(kBackward);
    }
    std::string out = "OUT";
    const bool takesState = draw_.chance(35);
    if (takesState || draw_.chance(45)) {
      use.statements.push_back(fmt::format("OUT, STATE = LAYER({})", given));
      addWrites(use, {"OUT.mul_(0.5)", "OUT[..., :1].add_(1)", "OUT.transpose(0, -1).mul_(2)", "STATE.add_(1)",
                      "STATE[0].zero_()", "OUT[0] = OUT[-1].detach()"});
    } else {
      out = fmt::format("LAYER({})[0]", given);
    }
    if (hidden != width_) {
      use.value = after("TENSOR + ", out + ".mean(-1, keepdim=True)");
    } else {
      const std::string_view both =
          oneOf({"{}[..., :WIDTH]", "{}[..., WIDTH:]", "{}.unflatten(-1, (2, WIDTH)).sum(-2)"});
      const std::string one = isTwoWays ? replaced(filled(both, out), "WIDTH", std::to_string(width_)) : out;
      use.value = after(draw_.chance(50) ? "TENSOR + " : "", one);
    }
    use.value += takesState ? " + STATE.sum()" : "";
    return use;
  }

  LayerUse multiheadAttention() {
    LayerUse use{.name = "attention"};
    use.layer = fmt::format("torch.nn.MultiheadAttention({}, {}{}{}{}{}{}{}){}", width_, heads(),
                            draw_.chance(50) ? ", dropout=0.0" : "", draw_.chance(15) ? ", bias=False" : "",
                            draw_.chance(12) ? ", add_bias_kv=True" : "",
                            draw_.chance(12) ? ", add_zero_attn=True" : "", batchFirst(), dtype(), mode());
    use.hooks = {kOfPair};
    std::string keys = sequence_;
    if (draw_.chance(40)) {
      const std::string_view other = oneOf({"{0} * 0.5", "{0}.flip({1})", "{0}.detach()", "torch.cat([{0}, {0}], {1})",
                                            "{0}.narrow({1}, 0, 1)", "{0}.clone()"});
      use.statements.push_back("STATE = " + fmt::format(fmt::runtime(other), sequence_, along_));
      keys = "STATE";
    }
    const std::string values = draw_.chance(25) ? keys + ".sin()" : keys;
    std::string given = fmt::format("{}, {}, {}", sequence_, keys, values);
    const std::string size = fmt::format("{}.size({})", sequence_, along_),
                      keySize = fmt::format("{}.size({})", keys, along_);
    if (draw_.chance(40)) {
      given += draw_.chance(65) ? maskOf("attn_mask", size, keySize) : hiddenKeys("key_padding_mask", keys, keySize);
    }
    const bool hasWeights = draw_.chance(60);
    given += hasWeights ? (draw_.chance(30) ? ", average_attn_weights=False" : "") : ", need_weights=False";
    std::string out = "OUT";
    std::string more;
    if (draw_.chance(50)) {
      use.statements.push_back(fmt::format("OUT, WEIGHTS = LAYER({})", given));
      addWrites(use,
                {"OUT.mul_(0.5)", "OUT[..., :1].add_(1)", "OUT.transpose(0, -1).mul_(2)", "OUT[0] = OUT[-1].detach()"});
      more = hasWeights && draw_.chance(60) ? " + WEIGHTS.square().sum()" : "";
    } else {
      out = fmt::format("LAYER({})[0]", given);
    }
    use.value = after(draw_.chance(50) ? "TENSOR + " : "", out) + more;
    return use;
  }

  LayerUse encoder() {
    LayerUse use{.name = "encoder"};
    const bool isStack = draw_.chance(15);
    const std::string_view activation =
        oneOf({"", ", activation=\"gelu\"", ", activation=\"relu\"", ", activation=\"gelu\""});
    std::string layer =
        fmt::format("torch.nn.TransformerEncoderLayer({}, {}, dim_feedforward={}, dropout=0.0{}{}{}{}{})", width_,
                    heads(), draw_.between(1, 6), activation, batchFirst(), draw_.chance(40) ? ", norm_first=True" : "",
                    draw_.chance(15) ? ", bias=False" : "", dtype());
    use.layer =
        (isStack ? fmt::format("torch.nn.TransformerEncoder({}, 2, enable_nested_tensor=False)", layer) : layer) +
        mode();
    use.hooks.assign(std::begin(kOfTensor), std::end(kOfTensor));
    if (tensor_.requires_grad()) {
      use.hooks.push_back(kBackward);
    }
    std::string given = sequence_;
    const std::string size = fmt::format("{}.size({})", sequence_, along_);
    if (draw_.chance(40)) {
      given += draw_.chance(65) ? maskOf(isStack ? "mask" : "src_mask", size, size)
                                : hiddenKeys("src_key_padding_mask", sequence_, size);
    }
    std::string out = fmt::format("LAYER({})", given);
    if (draw_.chance(40)) {
      use.statements.push_back("OUT = " + out);
      addWrites(use,
                {"OUT.mul_(0.5)", "OUT[..., :1].add_(1)", "OUT.transpose(0, -1).mul_(2)", "OUT[0] = OUT[-1].detach()"});
      out = "OUT";
    }
    use.value = after(draw_.chance(50) ? "TENSOR + " : "", out);
    return use;
  }

  /// On the CPU for what requires no grad alone.
  LayerUse flexAttention() {
    LayerUse use{.name = ""};
    const int64_t rows = tensor_.numel() / width_;
    const int64_t heads = tensor_.dim() > 2 ? tensor_.size(0) : 1;
    use.statements.push_back(fmt::format("OUT = TENSOR.detach().reshape(1, {}, {}, {})", heads, rows / heads, width_));
    static constexpr std::string_view kScores[] = {"score + (i - j)",
                                                   "score * 0.5",
                                                   "torch.where(i >= j, score, -10000.0)",
                                                   "torch.where(i - j < 2, score, -float(\"inf\"))",
                                                   "score - (i - j).abs() * 0.125",
                                                   "torch.tanh(score / 2) * 2",
                                                   "score + h",
                                                   "score.abs() + b"};
    static constexpr std::string_view kKnowing[] = {"score + STATE[j]", "score * STATE[h]",
                                                    "score + STATE[i] - STATE[j]"};
    static constexpr std::string_view kMasks[] = {
        "i >= j", "i - j < 2", "(i >= j) & (i - j < 3)", "j < 2", "(i // 2) == (j // 2)", "j > i"};
    std::string given = fmt::format("OUT, {}, {}", oneOf({"OUT", "OUT * 0.5", "OUT.flip(2)"}),
                                    oneOf({"OUT", "OUT.sin()", "OUT.flip(2)"}));
    if (draw_.chance(30)) {
      use.statements.push_back("STATE = TENSOR.detach().flatten()");
      given += fmt::format(", score_mod=lambda score, b, h, i, j: {}", oneOf(kKnowing));
    } else if (draw_.chance(85)) {
      const std::string_view score = oneOf(kScores);
      if (draw_.chance(30)) {
        given += fmt::format(", score_mod=lambda score, b, h, i, j: {}", score);
      } else {
        use.definitions += fmt::format("def drawn_score(score, b, h, i, j):\n    return {}\n", score);
        given += ", score_mod=drawn_score";
      }
    }
    if (draw_.chance(45)) {
      use.definitions += fmt::format("def drawn_mask(b, h, i, j):\n    return {}\n", oneOf(kMasks));
      use.statements.push_back(fmt::format(
          "MASK = torch.nn.attention.flex_attention.create_block_mask(drawn_mask, None, None, {0}, {0}, device=\"cpu\")",
          rows / heads));
      given += ", block_mask=MASK";
    }
    given += draw_.chance(20) ? ", scale=0.5" : "";
    const std::string call = "torch.nn.attention.flex_attention.flex_attention(" + given;
    if (draw_.chance(15)) {
      use.statements.push_back("OUT, WEIGHTS = " + call + ", return_lse=True)");
      use.value = "TENSOR + (OUT + WEIGHTS[..., None]).reshape(TENSOR.shape)";
    } else {
      use.value = "TENSOR + " + call + ").reshape(TENSOR.shape)";
    }
    return use;
  }

 private:
  std::string_view oneOf(std::span<const std::string_view> texts) {
    return texts[static_cast<size_t>(draw_.below(std::ssize(texts)))];
  }
  std::string_view oneOf(std::initializer_list<std::string_view> texts) {
    return oneOf(std::span(texts.begin(), texts.size()));
  }
  static std::string filled(std::string_view text, const std::string& by) {
    return fmt::format(fmt::runtime(text), by);
  }

  std::string batchFirst() const { return isBatchFirst_ ? ", batch_first=True" : ""; }
  std::string dtype() const {
    return tensor_.scalar_type() == at::kFloat    ? ""
           : tensor_.scalar_type() == at::kDouble ? ", dtype=torch.float64"
                                                  : ", dtype=torch.bfloat16";
  }
  const char* mode() { return draw_.chance(25) ? ".eval()" : ""; }
  int64_t heads() { return width_ % 2 == 0 && draw_.chance(60) ? 2 : draw_.chance(30) ? width_ : 1; }
  /// A text in the sizes of the tensor, from one in those of the sequence.
  std::string after(const char* before, const std::string& text) const {
    return before + (back_.empty() ? text : fmt::format("({}){}", text, back_));
  }

  std::string maskOf(const char* name, const std::string& size, const std::string& keySize) {
    switch (draw_.below(4)) {
      case 0: return fmt::format(", {}=torch.ones({}, {}, dtype=torch.bool).triu(1)", name, size, keySize);
      case 1: return fmt::format(", {}=TENSOR.new_full(({}, {}), -float(\"inf\")).triu(1)", name, size, keySize);
      case 2: return fmt::format(", {}=TENSOR.new_full(({}, {}), 0.25)", name, size, keySize);
      default:
        return fmt::format(", {}=torch.ones({}, {}, dtype=torch.bool).triu(1), is_causal=True", name, size, keySize);
    }
  }
  /// All but the first ones.
  std::string hiddenKeys(const char* name, const std::string& keys, const std::string& size) {
    const std::string hidden = fmt::format("torch.arange({}) > {}", size, draw_.below(3));
    return isBatched_ ? fmt::format(", {}=({}).expand({}.size({}), -1)", name, hidden, keys, 1 - along_)
                      : fmt::format(", {}={}", name, hidden);
  }

  void addWrites(LayerUse& use, std::initializer_list<std::string_view> writes) {
    if (draw_.chance(40) && mayWrite_) {
      use.statements.emplace_back(oneOf(writes));
    }
  }

  const at::Tensor& tensor_;
  Draw& draw_;
  const bool mayWrite_; // to what the layer gives
  const int64_t width_;
  std::string sequence_ = "TENSOR", back_; // with one batch dimension or none
  bool isBatched_ = false, isBatchFirst_ = false;
  int along_ = 0; // the dimension of the sequence
};

/// Puts a use into a Case.
class LayerAdder {
 public:
  LayerAdder(language::Case& theCase, const DecoderState& state, Draw& draw)
      : case_(theCase), state_(state), draw_(draw) {}

  /// `drawUse` is asked for one tensor; false: there is none that fits.
  template <class DrawUse>
  bool add(DrawUse drawUse, bool mayNeedPython) {
    const std::optional<size_t> place = choosePlace();
    if (!place) {
      return false;
    }
    name_ = targetOf(*body()[*place]);
    use_ = drawUse(UseDrawer(state_.tensorNamed(name_), draw_, state_.options.features.mutation));
    layer_ = std::string(use_.name);
    if (mayNeedPython && !use_.layer.empty() && draw_.chance(25)) {
      wrapInModule();
    }
    if (!use_.layer.empty()) {
      addArgument();
    }
    std::string text = around(mayNeedPython);
    if (!use_.definitions.empty()) {
      addDefinitions(case_, use_.definitions);
    }
    if (draw_.chance(10)) {
      text += fmt::format("if {0}.requires_grad:\n    {0}.register_hook(double_gradient)\n", name_);
    }
    std::vector<StatementPtr> made = parser::parseFunction("def made():\n" + indented(text)).body;
    body().insert(body().begin() + static_cast<std::ptrdiff_t>(*place) + 1, made.begin(), made.end());
    return true;
  }

 private:
  std::vector<StatementPtr>& body() { return programOf(case_)->body; }

  /// The tensor that a statement of the Program itself makes, where a layer takes it; empty: none.
  std::string targetOf(const Statement& statement) const {
    const std::string name = boundName(statement);
    const at::Tensor tensor = state_.tensorNamed(name);
    const bool fits = tensor.defined() && tensor.dim() > 0 && tensor.numel() > 0 &&
                      tensor.numel() <= kMaximumElements && tensor.size(-1) <= kMaximumWidth &&
                      (tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble ||
                       tensor.scalar_type() == at::kBFloat16);
    return fits ? name : "";
  }

  /// At the places of matrices and batches more often than at those of vectors.
  std::optional<size_t> choosePlace() {
    std::vector<size_t> places;
    for (size_t place = 0; place < body().size(); ++place) {
      if (const std::string name = targetOf(*body()[place]); !name.empty()) {
        places.insert(places.end(), state_.tensorNamed(name).dim() > 1 ? 4 : 1, place);
      }
    }
    return places.empty() ? std::nullopt : std::optional(places[static_cast<size_t>(draw_.below(std::ssize(places)))]);
  }

  std::string textOf(std::string text, const std::string& tensor, const std::string& layer,
                     const std::string& suffix) const {
    text = replaced(replaced(std::move(text), "TENSOR", tensor), "LAYER", layer);
    for (const auto& [placeholder, local] :
         {std::pair{"OUT", "out"}, {"STATE", "kept"}, {"WEIGHTS", "weights"}, {"MASK", "mask"}}) {
      text = replaced(std::move(text), placeholder, local + suffix);
    }
    return text;
  }
  static std::string indented(const std::string& text) {
    std::string result = "    " + replaced(text, "\n", "\n    ");
    return result.substr(0, result.find_last_not_of(' ') + 1);
  }
  /// What the function of `t` does.
  std::string functionBody(const std::string& layer) const {
    std::string text;
    for (const std::string& statement : use_.statements) {
      text += statement + "\n";
    }
    return textOf(text + "return " + use_.value + "\n", "t", layer, "");
  }

  /// `block`, as a module of the file that holds the layer.
  void wrapInModule() {
    const std::string type = layer_ == "encoder" ? "Encoding" : "Attending";
    addDefinitions(
        case_,
        fmt::format(
            "class {}(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.inner = {}\n\n"
            "    def forward(self, t):\n{}",
            type, use_.layer, indented(indented(functionBody("self.inner")))));
    use_ = {.layer = type + "()",
            .name = use_.name,
            .statements = {},
            .value = "LAYER(TENSOR)",
            .definitions = "",
            .hooks = {}};
  }

  /// The layer is the Program's last argument, of all inputs.
  void addArgument() {
    std::string made = fmt::format("{} = {}\n", layer_, use_.layer);
    if (!use_.hooks.empty() && draw_.chance(15)) {
      const std::string_view hook = use_.hooks[static_cast<size_t>(draw_.below(std::ssize(use_.hooks)))];
      if (hook == kOfPair && case_.find("scale_first") == nullptr) {
        addDefinitions(case_, std::string(kPairHook));
      }
      made += fmt::format("{}.{}\n", layer_, hook);
    }
    const std::vector<StatementPtr> statements = parser::parseFunction("def made():\n" + indented(made)).body;
    for (language::Function& function : case_.functions) {
      const bool returns = language::isInputsName(function.name) && !function.body.empty() &&
                           function.body.back()->kind == language::StatementKind::kReturn;
      if (!returns) {
        continue;
      }
      const language::Expr& both = *function.body.back()->value;
      std::vector<language::ExprPtr> arguments = both.children[0]->children;
      arguments.push_back(language::makeName(layer_));
      function.body.back() =
          language::makeReturn(language::makeTuple({language::makeTuple(std::move(arguments)), both.children[1]}));
      function.body.insert(function.body.end() - 1, statements.begin(), statements.end());
    }
    programOf(case_)->parameters.push_back(layer_);
  }

  /// The statements that bind the tensor's name anew.
  std::string around(bool mayNeedPython) {
    const bool hasLayer = !use_.layer.empty(), isExpression = use_.statements.empty();
    const std::string parameters = hasLayer ? "t, " + layer_ : "t",
                      arguments = hasLayer ? name_ + ", " + layer_ : name_;
    const std::string function = "through_" + (hasLayer ? layer_ : "flex");
    const std::string target = name_ + " = ";
    const auto defined = [&] {
      use_.definitions += fmt::format("def {}({}):\n{}", function, parameters, indented(functionBody(layer_)));
      return function;
    };
    const auto inside = [&] { return fmt::format("def {}(t):\n{}", function, indented(functionBody(layer_))); };
    const auto lambda = [&] { return "lambda t: " + textOf(use_.value, "t", layer_, ""); };
    const int64_t roll = draw_.below(100);
    if (roll < 18) {
      const std::string call = fmt::format("{}({})", defined(), arguments);
      const bool isTwice = draw_.chance(20);
      return target + (isTwice ? fmt::format("{}({}{})", function, call, hasLayer ? ", " + layer_ : "") : call) + "\n";
    }
    if (roll < 33) {
      return fmt::format("{}torch.utils.checkpoint.checkpoint({}, {}, use_reentrant=False)\n", target, defined(),
                         arguments);
    }
    if (roll < 43 && isExpression) {
      return fmt::format("{}torch.utils.checkpoint.checkpoint({}, {}, use_reentrant=False)\n", target, lambda(), name_);
    }
    if (roll < 55) {
      return fmt::format("{}{}{}({})\n", inside(), target, function, name_);
    }
    if (roll < 62) {
      return fmt::format("{}{}torch.utils.checkpoint.checkpoint({}, {}, use_reentrant=False)\n", inside(), target,
                         function, name_);
    }
    if (roll < 70 && mayNeedPython) {
      const std::string_view forms[] = {
          "{0}torch.func.vjp({1}, {2})[0]\n", "{0}torch.func.vmap({1})(torch.stack([{2}, {2}]))[1]\n",
          "{0}torch.compiler.disable({1})({2})\n", "{0}torch.compile({1}, backend=\"eager\")({2})\n",
          "{0}torch.cond({2}.sum() > 0, {1}, lambda t: t.clone(), ({2},))\n"};
      return inside() + fmt::format(fmt::runtime(forms[draw_.below(std::ssize(forms))]), target, function, name_);
    }
    std::string text;
    for (const std::string& statement : use_.statements) {
      text += statement + "\n";
    }
    text = textOf(text + target + use_.value + "\n", name_, layer_, "_" + (hasLayer ? layer_ : "flex"));
    return draw_.chance(10) ? "with torch.no_grad():\n" + indented(text) : text;
  }

  language::Case& case_;
  const DecoderState& state_;
  Draw& draw_;
  std::string name_, layer_; // of the tensor, and of the argument
  LayerUse use_;
};

/// A profile says that a backend does not take what layers are made of.
bool areExcluded(const DecoderState& state, std::initializer_list<std::string_view> operators) {
  const auto& exclusions = state.options.features.exclusions;
  return !state.options.features.modules ||
         (exclusions != nullptr &&
          std::ranges::any_of(operators, [&](std::string_view name) { return exclusions->refuses(name); }));
}

} // namespace

void addRecurrentLayer(language::Case& theCase, const DecoderState& state, Draw& draw) {
  if (areExcluded(state, {"linear", "sigmoid", "tanh"})) {
    return;
  }
  language::Case other = theCase;
  if (!LayerAdder(other, state, draw).add([](UseDrawer drawer) { return drawer.gru(); }, /*mayNeedPython=*/false) ||
      callsThatRun(other).size() < callsThatRun(theCase).size()) {
    return;
  }
  theCase = std::move(other);
  if (state.options.features.parts.has(catalogue::Part::kFlags) && draw.chance(kAllowedRnnPercent)) {
    std::erase_if(theCase.compile.config, [](const auto& known) { return known.first == "dynamo.allow_rnn"; });
    theCase.compile.config.emplace_back("dynamo.allow_rnn", language::makeBool(true));
  }
}

void addAttention(language::Case& theCase, const DecoderState& state, Draw& draw) {
  if (areExcluded(state, {"linear", "softmax", "attention", "layer_norm"})) {
    return;
  }
  const auto use = [&draw](UseDrawer drawer) {
    switch (draw.below(8)) {
      case 0:
      case 1:
      case 2: return drawer.multiheadAttention();
      case 3:
      case 4:
      case 5: return drawer.encoder();
      default: return drawer.flexAttention();
    }
  };
  LayerAdder(theCase, state, draw).add(use, /*mayNeedPython=*/true);
}

} // namespace touchstone::decoder
