#include "backends/compiled_autograd/PartCutter.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Subgraph.h"

#include <algorithm>
#include <stdexcept>

namespace touchstone::compiled_autograd {

using ir::NodeId;

PartCutter::PartCutter(const ir::Graph& whole)
    : whole_(whole), isChosen_(whole.nodes().size()), numbers_(whole.nodes().size(), -1) {}

std::set<NodeId> PartCutter::choose(NodeId begin, NodeId end, const std::vector<NodeId>& outputs,
                                    const std::function<bool(NodeId)>& isGiven) {
  begin_ = begin;
  end_ = end;
  outputs_ = outputs;
  std::set<NodeId> given, constants;
  const auto read = [&](NodeId id) {
    const ir::Node& node = whole_.node(id);
    if (isGiven(id)) {
      given.insert(id);
    } else if (id >= begin && id < end) {
      isChosen_[static_cast<size_t>(id)] = true;
    } else if (node.kind == ir::NodeKind::kConstant) {
      constants.insert(id);
    } else {
      throw std::logic_error("a part of a backward reads `" + node.name + "` of another part");
    }
  };
  for (const NodeId output : outputs) {
    if (output >= 0) {
      read(output);
    }
  }
  for (NodeId id = end; id-- > begin;) {
    if (isChosen_[static_cast<size_t>(id)] || !whole_.node(id).writes.empty()) {
      isChosen_[static_cast<size_t>(id)] = true;
      ir::forEachOperand(whole_.node(id), read);
    }
  }
  constants_.assign(constants.begin(), constants.end());
  return given;
}

ir::Graph PartCutter::cut(const std::vector<NodeId>& inputs) {
  ir::Graph part;
  for (const NodeId input : inputs) {
    const ir::Node& node = whole_.node(input);
    const NodeId placeholder = part.addPlaceholder(node.name);
    part.node(placeholder).metadata = node.metadata;
    numbers_[static_cast<size_t>(input)] = placeholder;
  }
  for (const NodeId constant : constants_) {
    isChosen_[static_cast<size_t>(constant)] = true;
    ir::copyNodes(whole_, constant, constant + 1, isChosen_, part, numbers_);
  }
  ir::copyNodes(whole_, begin_, end_, isChosen_, part, numbers_);
  std::vector<NodeId> returned;
  for (const NodeId output : outputs_) {
    returned.push_back(output < 0 ? -1 : numbers_[static_cast<size_t>(output)]);
  }
  part.output = ir::nodeTuple(returned);
  const auto forget = [&](NodeId id) {
    isChosen_[static_cast<size_t>(id)] = false;
    numbers_[static_cast<size_t>(id)] = -1;
  };
  std::for_each(inputs.begin(), inputs.end(), forget);
  std::for_each(constants_.begin(), constants_.end(), forget);
  for (NodeId id = begin_; id < end_; ++id) {
    forget(id);
  }
  return part;
}

} // namespace touchstone::compiled_autograd
