#include "generators/sequences/SequenceInputs.h"

#include "program/parser/CaseParser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace touchstone::sequences {

namespace {

using Gradient = SequenceTensor::Gradient;

constexpr int64_t kMemory = 64; // elements of a base that arguments look into
constexpr int64_t kMostElements = 30;

std::string shapeText(const std::vector<int64_t>& sizes) {
  return sizes.size() == 1 ? fmt::format("({},)", sizes[0]) : fmt::format("({})", fmt::join(sizes, ", "));
}

std::vector<int64_t> stridesOf(const SequenceTensor& tensor) {
  std::vector<int64_t> strides(tensor.sizes.size(), tensor.hasGaps ? 2 : 1);
  if (strides.size() == 2) {
    strides[tensor.isTransposed ? 1 : 0] *= std::max<int64_t>(tensor.sizes[tensor.isTransposed ? 0 : 1], 1);
  }
  return strides;
}

bool has(const std::vector<std::string>& parameters, const std::string& name) {
  return std::find(parameters.begin(), parameters.end(), name) != parameters.end();
}

/// Writes the body of an `inputs` function.
class InputsWriter {
 public:
  InputsWriter(const SequenceInputs& inputs, const std::vector<std::string>& parameters)
      : inputs_(inputs), parameters_(parameters) {}

  std::string text(const std::string& name) {
    used_ = inputs_.tensorsOf(parameters_);
    for (size_t i : std::vector<size_t>(used_)) { // whose memory it is must be there too
      need(inputs_.tensors[i].sameAs);
      need(inputs_.tensors[i].shares);
    }
    std::sort(used_.begin(), used_.end());
    for (size_t i : used_) {
      writeTensor(i);
    }
    std::vector<std::string> arguments;
    for (const std::string& parameter : parameters_) {
      arguments.push_back(argument(parameter));
    }
    return fmt::format("def {}(seed, kind):\n{}    return ({},), ({}{})\n", name, body_, fmt::join(arguments, ", "),
                       fmt::join(watched_, ", "), watched_.size() == 1 ? "," : "");
  }

 private:
  void need(int tensor) {
    if (tensor >= 0 && std::find(used_.begin(), used_.end(), static_cast<size_t>(tensor)) == used_.end()) {
      used_.push_back(static_cast<size_t>(tensor));
      need(inputs_.tensors[static_cast<size_t>(tensor)].shares);
    }
  }

  void line(const std::string& text) { body_ += "    " + text + "\n"; }

  bool isShared(size_t i) const {
    return std::any_of(used_.begin(), used_.end(),
                       [&](size_t other) { return inputs_.tensors[other].shares == static_cast<int>(i); });
  }

  void writeTensor(size_t i) {
    const SequenceTensor& tensor = inputs_.tensors[i];
    if (tensor.sameAs >= 0) {
      line(fmt::format("t{} = t{}", i, tensor.sameAs));
      return;
    }
    const size_t owner = tensor.shares >= 0 ? static_cast<size_t>(tensor.shares) : i;
    const bool isPlain = tensor.shares < 0 && !isShared(i) && !tensor.isTransposed && !tensor.hasGaps &&
                         !tensor.isView && tensor.offset == 0;
    const bool isComputed = inputs_.tensors[owner].gradient == Gradient::kComputed;
    if (owner == i) {
      const std::string shape = isPlain ? shapeText(tensor.sizes) : fmt::format("({},)", kMemory);
      const std::string data = fmt::format("data({}, {}, (seed, {}), kind)", shape, tensor.dtype, i);
      const char* made = isPlain ? "t" : "b";
      if (isComputed) {
        line(fmt::format("l{} = {}.requires_grad_()", i, data));
        line(fmt::format("{}{} = l{} * 1", made, i, i));
        watched_.push_back(fmt::format("l{}", i));
      } else {
        line(fmt::format("{}{} = {}{}", made, i, data,
                         isPlain && tensor.gradient == Gradient::kLeaf ? ".requires_grad_()" : ""));
      }
      if (isPlain) {
        return;
      }
      watched_.push_back(fmt::format("b{}", i));
    }
    const int64_t offset = inputs_.tensors[owner].offset + (owner == i ? 0 : tensor.distance);
    const bool keepsGraph = isComputed && tensor.gradient == Gradient::kComputed;
    line(fmt::format("t{} = torch.as_strided(b{}, {}, {}, {}){}{}", i, owner, shapeText(tensor.sizes),
                     shapeText(stridesOf(tensor)), offset,
                     keepsGraph || (tensor.isView && !isComputed) ? "" : ".detach()",
                     tensor.gradient == Gradient::kLeaf ? ".requires_grad_()" : ""));
  }

  std::string listOfParts() const {
    std::vector<std::string> items;
    for (size_t i = SequenceInputs::kParts; i < inputs_.tensors.size(); ++i) {
      items.push_back(fmt::format("t{}", i));
    }
    return fmt::format("[{}]", fmt::join(items, ", "));
  }

  std::string argument(const std::string& parameter) {
    if (parameter.size() == 1 && parameter[0] >= 'x' && parameter[0] <= 'z') {
      return fmt::format("t{}", parameter[0] - 'x');
    }
    if (parameter == "parts" || parameter == "others") {
      if (!inputs_.isSameList) {
        return listOfParts();
      }
      if (body_.find("parts = ") == std::string::npos) {
        line("parts = " + listOfParts());
      }
      return "parts";
    }
    const size_t table = SequenceInputs::kTable, module = SequenceInputs::kModule;
    if (parameter == "table") {
      return fmt::format("{{\"a\": t{}, \"{}\": t{}{}}}", table, inputs_.key, table + 1,
                         inputs_.hasThirdKey ? fmt::format(", \"d\": t{}", table) : "");
    }
    if (parameter == "m") {
      line("m = torch.nn.Module()");
      line(fmt::format("m.weight = torch.nn.Parameter(t{}.detach())", module));
      line(fmt::format("m.register_buffer(\"count\", t{})", module + 1));
      line(fmt::format("m.scale = {}", inputs_.scale));
      if (!inputs_.isTraining) {
        line("m.training = False");
      }
      return "m";
    }
    return parameter == "n"        ? std::to_string(inputs_.integer)
           : parameter == "factor" ? fmt::format("{:.2f}", inputs_.number * 0.25)
           : parameter == "flag"   ? (inputs_.flag ? "True" : "False")
           : parameter == "text"   ? fmt::format("\"{}\"", inputs_.text)
           : inputs_.isNone        ? "None"
                                   : "1.5";
  }

  const SequenceInputs& inputs_;
  const std::vector<std::string>& parameters_;
  std::vector<size_t> used_;
  std::vector<std::string> watched_;
  std::string body_;
};

int64_t elementsOf(const SequenceTensor& tensor) {
  int64_t count = 1;
  for (int64_t size : tensor.sizes) {
    count *= size;
  }
  return count;
}

bool changeTensor(SequenceTensor& tensor, SequenceChange change, bool isOwner, catalogue::Draw& draw) {
  switch (change) {
    case SequenceChange::kSize: {
      int64_t& size = tensor.sizes[static_cast<size_t>(draw.below(static_cast<int64_t>(tensor.sizes.size())))];
      size = size > 1 && draw.chance(30) ? size - 1 : draw.chance(10) ? (size == 0 ? 2 : 0) : size + 1;
      return elementsOf(tensor) <= kMostElements / (tensor.hasGaps ? 2 : 1);
    }
    case SequenceChange::kRank:
      tensor.sizes =
          tensor.sizes.size() == 1 ? std::vector<int64_t>{2, tensor.sizes[0]} : std::vector<int64_t>{tensor.sizes[1]};
      return true;
    case SequenceChange::kStride: {
      bool& flag = draw.chance(60) && tensor.sizes.size() == 2 ? tensor.isTransposed : tensor.hasGaps;
      flag = !flag;
      return elementsOf(tensor) <= kMostElements / (tensor.hasGaps ? 2 : 1);
    }
    case SequenceChange::kOffset:
      tensor.offset = tensor.offset == 0 ? draw.between(1, 3) : draw.below(tensor.offset);
      return isOwner;
    case SequenceChange::kDtype:
      tensor.dtype = std::string_view(tensor.dtype) == "torch.float32"
                         ? (draw.chance(80) ? "torch.float64" : "torch.bfloat16")
                         : "torch.float32";
      return isOwner;
    case SequenceChange::kRequiresGrad:
      tensor.gradient = tensor.gradient != Gradient::kNone ? Gradient::kNone
                        : draw.chance(70) || !isOwner      ? Gradient::kLeaf
                                                           : Gradient::kComputed;
      return true;
    case SequenceChange::kLeaf:
      if (tensor.gradient == Gradient::kNone || !isOwner) {
        return false;
      }
      tensor.gradient = tensor.gradient == Gradient::kLeaf ? Gradient::kComputed : Gradient::kLeaf;
      return true;
    case SequenceChange::kView: tensor.isView = !tensor.isView; return tensor.gradient != Gradient::kComputed;
    default: return false;
  }
}

} // namespace

std::string_view sequenceChangeName(SequenceChange change) {
  constexpr std::array<std::string_view, kSequenceChangeCount> kNames = {"values",
                                                                         "size",
                                                                         "rank",
                                                                         "stride",
                                                                         "storage offset",
                                                                         "dtype",
                                                                         "requires_grad",
                                                                         "leaf",
                                                                         "view",
                                                                         "same tensor",
                                                                         "shared memory",
                                                                         "overlap",
                                                                         "int",
                                                                         "float",
                                                                         "bool",
                                                                         "string",
                                                                         "None",
                                                                         "list length",
                                                                         "same list",
                                                                         "dict key",
                                                                         "module attribute",
                                                                         "module mode",
                                                                         "grad mode",
                                                                         "autocast",
                                                                         "same objects",
                                                                         "back"};
  return kNames[static_cast<size_t>(change)];
}

std::vector<size_t> SequenceInputs::tensorsOf(const std::vector<std::string>& parameters) const {
  std::set<size_t> found;
  for (const std::string& parameter : parameters) {
    if (parameter.size() == 1 && parameter[0] >= 'x') {
      found.insert(static_cast<size_t>(parameter[0] - 'x'));
    } else if (parameter == "table") {
      found.insert({kTable, kTable + 1});
    } else if (parameter == "m") {
      found.insert({kModule, kModule + 1});
    } else if (parameter == "parts" || parameter == "others") {
      for (size_t i = kParts; i < tensors.size(); ++i) {
        found.insert(i);
      }
    }
  }
  return {found.begin(), found.end()};
}

language::Function SequenceInputs::function(const std::string& name, const std::vector<std::string>& parameters) const {
  return parser::parseFunction(InputsWriter(*this, parameters).text(name));
}

bool SequenceInputs::change(SequenceChange change, const std::vector<std::string>& parameters, catalogue::Draw& draw,
                            int target) {
  const std::vector<size_t> held = tensorsOf(parameters);
  auto pick = [&] { return held[static_cast<size_t>(draw.below(static_cast<int64_t>(held.size())))]; };
  auto isOwned = [&](size_t i) {
    return std::none_of(tensors.begin(), tensors.end(), [&](const SequenceTensor& each) {
      return each.sameAs == static_cast<int>(i) || each.shares == static_cast<int>(i);
    });
  };
  switch (change) {
    case SequenceChange::kValues: return true;
    case SequenceChange::kInteger:
      integer = integer == 2 && draw.chance(50) ? 1 : integer + 1;
      return has(parameters, "n");
    case SequenceChange::kNumber: number += 1; return has(parameters, "factor");
    case SequenceChange::kFlag: flag = !flag; return has(parameters, "flag");
    case SequenceChange::kText: text = *text == 'a' ? "bc" : "a"; return has(parameters, "text");
    case SequenceChange::kNone: isNone = !isNone; return has(parameters, "nothing");
    case SequenceChange::kSameList:
      isSameList = !isSameList;
      return has(parameters, "parts") && has(parameters, "others");
    case SequenceChange::kDictKey:
      if (draw.chance(50)) {
        hasThirdKey = !hasThirdKey;
      } else {
        key = *key == 'b' ? "c" : "b";
      }
      return has(parameters, "table");
    case SequenceChange::kModuleAttribute: scale += 1; return has(parameters, "m");
    case SequenceChange::kModuleMode: isTraining = !isTraining; return has(parameters, "m");
    case SequenceChange::kListLength:
      if (tensors.size() > kParts + 1 && draw.chance(50) && isOwned(tensors.size() - 1)) {
        tensors.pop_back();
      } else {
        tensors.emplace_back();
      }
      return has(parameters, "parts") || has(parameters, "others");
    case SequenceChange::kSameTensor:
    case SequenceChange::kSharedMemory:
    case SequenceChange::kOverlap: break;
    default: {
      if (held.empty()) {
        return false;
      }
      SequenceTensor& tensor = tensors[target >= 0 ? static_cast<size_t>(target) : pick()];
      return tensor.sameAs < 0 && changeTensor(tensor, change, tensor.shares < 0, draw);
    }
  }
  if (held.size() < 2) {
    return false;
  }
  size_t second = held[static_cast<size_t>(draw.between(1, static_cast<int64_t>(held.size()) - 1))];
  if (change == SequenceChange::kOverlap) { // of one that shares memory, if there is any
    for (size_t i : held) {
      second = tensors[i].shares >= 0 ? i : second;
    }
  }
  size_t first = pick();
  SequenceTensor& tensor = tensors[second];
  if (change == SequenceChange::kOverlap) {
    tensor.distance =
        tensor.distance == 0 || draw.chance(50) ? tensor.distance + draw.between(1, 6) : tensor.distance - 1;
    return tensor.shares >= 0 && tensor.distance < 20;
  }
  int& link = change == SequenceChange::kSameTensor ? tensor.sameAs : tensor.shares;
  if (link >= 0) {
    link = -1;
    return true;
  }
  if (first >= second || !isOwned(second) || tensor.sameAs >= 0 || tensor.shares >= 0 || tensors[first].sameAs >= 0 ||
      tensors[first].shares >= 0 || second == kModule) {
    return false;
  }
  link = static_cast<int>(first);
  if (change == SequenceChange::kSharedMemory) {
    tensor.dtype = tensors[first].dtype;
    tensor.offset = 0;
    tensor.distance = draw.chance(50) ? draw.below(6) : draw.between(6, 18);
    if (tensor.gradient == Gradient::kComputed && tensors[first].gradient != Gradient::kComputed) {
      tensor.gradient = Gradient::kNone;
    }
  }
  return true;
}

} // namespace touchstone::sequences
