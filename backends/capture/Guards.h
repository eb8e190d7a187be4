#pragma once

#include "backends/GraphCompiler.h"
#include "backends/capture/GlobalState.h"
#include "backends/capture/MemoryState.h"
#include "backends/capture/Reads.h"
#include "backends/sources/SymbolicLocals.h"
#include "graph/symbols/SymbolicGraph.h"
#include "program/values/Value.h"

#include <ATen/core/Tensor.h>
#include <c10/core/DispatchKeySet.h>

#include <optional>
#include <string>
#include <vector>

namespace touchstone::capture {

/// What must hold of symbols where captured code runs.
struct SizeCondition {
  symbols::Condition condition;
  int line = 0; // of the program, that asks for it; 0: none
};

/// The conditions under which captured and compiled code may run on given values: checked in one flat walk, shown as text.
/// Only what was read is guarded: the values of locals that the code never looked at are free.
class Guards {
 public:
  /// `locals`: the values for which code was captured, `names` their names, `isRead` which of them it looked at.
  /// `distinct`: it also looked at whether tensors or containers are the same objects. `reads`: what it looked at of these
  /// locals; null: everything.
  /// `symbolic`: sizes and ints among the locals that are symbols; null: none is.
  Guards(const std::vector<std::string>& names, const values::ValueList& locals, std::vector<bool> isRead,
         bool distinct, const Reads* reads = nullptr, const sources::SymbolicLocals* symbolic = nullptr);

  /// Tensors among the locals that are read, each object once, in the order of the walk.
  size_t tensorCount() const { return leaves_.size() - duplicates_; }
  int64_t symbolCount() const { return static_cast<int64_t>(symbols_.size()); }
  /// The number of a tensor; -1: it is not among them.
  int numberOf(const at::Tensor& tensor) const;
  /// What compiled code relies on of the tensors that it gets (by number), beyond what is always checked. Those whose
  /// memory it relies on share it with no other of them but as they do now; tensors that it does not get are free.
  /// Called again, it takes the place of what it said of memory before.
  /// `facts`: what the Program has asked of tensors; of those that no other condition looks at it is free.
  void rely(const std::vector<std::pair<size_t, backends::Assumption>>& assumptions,
            const std::vector<std::pair<at::Tensor, evaluator::Fact>>& facts, const values::ValueList& locals);

  /// What must hold of those of the symbols that the code looks at.
  void require(const std::vector<SizeCondition>& conditions);
  /// What is relied on of memory becomes expressions. `samples`: the guards of each assignment of the fitting, these of the
  /// first. Throws symbols::NotSymbolic.
  void unite(const std::vector<const Guards*>& samples, symbols::Fitting& fitting);

  /// True when the code may run. `tensors` then has the tensors of the locals, by number; `assignment`, where it is given,
  /// what the symbols stand for.
  bool check(const values::ValueList& locals, std::vector<const at::Tensor*>& tensors,
             symbols::Assignment* assignment = nullptr) const;
  /// The first condition that does not hold, with what was expected; empty when all hold.
  std::string failure(const values::ValueList& locals) const;
  /// The same, behind how many conditions held before it in the walk.
  std::pair<size_t, std::string> failureBehind(const values::ValueList& locals) const;
  /// Every condition, a line each.
  std::vector<std::string> texts() const;

 private:
  struct TensorLeaf {
    std::string source; // `L['x'][0]`
    int sameAs = -1; // the leaf that was the same object
    int number = -1; // of the object
    bool isFree = false; // any tensor will do
    at::ScalarType dtype{};
    c10::DispatchKeySet keys;
    c10::Device device = c10::kCPU;
    bool requiresGrad = false;
    std::vector<int64_t> sizes, strides;
    std::optional<sources::SymbolicLocals::Tensor> symbolic;
    std::vector<bool> isDerived; // by stride: computed from what several places tell
  };
  enum class Kind {
    kTensor,
    kConstant,
    kPlain, // any constant
    kSymbol, // an int
    kContainer,
    kSeen, // a container that was there before
    kFree,
  };
  struct Node {
    Kind kind = Kind::kFree;
    std::string source;
    values::Value like; // the constant; of a container its type, keys and names
    size_t leaf = 0; // kTensor
    symbols::Symbol symbol = -1; // kSymbol
    int container = -1; // its number, where it can be told from another
    bool training = true, hyper = true; // of a module: its mode and constants are conditions
    std::vector<Node> items;
  };
  struct Walk;

  Node nodeOf(const values::Value& value, const std::string& source, const Reads* reads,
              std::vector<const void*>& containers);
  TensorLeaf leafOf(const at::Tensor& tensor, const std::string& source, bool isFree);
  static bool sameShape(const Node& node, const values::Value& value);
  bool matches(const Node& node, const values::Value& value, Walk& walk) const;
  bool matchesTensor(const TensorLeaf& leaf, const at::Tensor& tensor, Walk& walk) const;
  bool matchesNumber(const symbols::Expression& expected, int64_t actual, bool isSize, Walk& walk) const;
  bool matchesConditions(Walk& walk) const;
  void nameSymbols();
  void deriveStrides();
  bool matchesDerived(Walk& walk) const;
  void bindPlaces(Walk& walk) const;
  std::set<symbols::Symbol> told() const;
  void bindMemory(Walk& walk) const;
  std::string memoryText(size_t state, int64_t MemoryState::*member) const;
  std::string expectedText(const symbols::Expression& number, const std::string& source) const;
  void addSymbolTexts(std::vector<std::string>& texts) const;
  bool matchesMemory(const std::vector<const at::Tensor*>& tensors, Walk& walk) const;
  std::vector<MemoryState> memoryOf(const std::vector<const at::Tensor*>& tensors) const; // of those relied on
  bool run(const values::ValueList& locals, Walk& walk) const;

  GlobalState global_;
  std::vector<Node> roots_; // by local
  std::vector<TensorLeaf> leaves_;
  std::vector<at::Tensor> seen_; // while they are made
  size_t duplicates_ = 0;
  bool distinct_ = false;
  std::vector<size_t> unrelied_; // numbers of the other tensors that compiled code gets
  std::vector<size_t> relied_; // numbers of tensors whose memory is relied on
  std::vector<std::string> sources_; // by number
  std::vector<MemoryState> memory_; // of `relied_`, then of the bases of views among them
  struct AskedFact {
    size_t number = 0; // of the tensor
    evaluator::Fact fact = evaluator::Fact::kOffset;
    FactState state;
  };
  std::vector<AskedFact> facts_;

  const sources::SymbolicLocals* made_ = nullptr; // while they are made
  std::vector<sources::SizeSource> symbols_; // by what is looked at and tells them first
  std::vector<bool> isToldByLooked_; // by symbol
  std::vector<std::pair<SizeCondition, std::set<symbols::Symbol>>> conditions_; // and the symbols in it
  struct DerivedStride {
    size_t leaf = 0, dimension = 0;
  };
  std::vector<DerivedStride> derived_;
  std::optional<symbols::Numbers> memoryNumbers_; // of `memory_`, where some vary
  std::vector<std::pair<size_t, symbols::Symbol>> toldByMemory_; // which of these numbers tells what nothing else does
};

} // namespace touchstone::capture
