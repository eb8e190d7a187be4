#pragma once

#include "graph/symbols/Condition.h"
#include "graph/symbols/Fitting.h"
#include "program/values/Value.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::sources {

/// A size or an int that a program is given, or where a tensor with such sizes lies.
struct SizeSource {
  enum class Kind {
    kSize,
    kInt,
    kPlace, // a stride, an offset, or how many elements a memory has: of tensors of which a size is a symbol
  };
  std::string text; // `L['x'].size()[0]`, `L['n']`, `L['x'].stride()[0]`
  int64_t hint = 0; // what is there
  Kind kind = Kind::kSize;
  bool isApart = false; // a size of a tensor that shares memory with no other
  bool isOwn = false; // a size, with Dynamism::kOwn

  bool isSize() const { return kind == Kind::kSize; }
};

/// What a size is to be. Of ints and places only whether it is a number is asked.
enum class Dynamism {
  kNumber,
  kShared, // one symbol with all equal sizes that are shared, too: duck sizing
  kOwn, // a symbol that no other size has, as PyTorch gives it to one that was seen to change or is marked; needs isApart
};
using DynamismOf = std::function<Dynamism(const SizeSource& source)>; // null: all are numbers

/// The sizes and ints of locals that are symbols, and locals like them under other assignments. As in PyTorch, a size of 0 or 1
/// is none (torch/fx/experimental/symbolic_shapes.py).
class SymbolicLocals {
 public:
  /// A tensor of which it is an expression how it lies in memory.
  struct Tensor {
    std::vector<symbols::Expression> sizes, strides;
    symbols::Expression offset = 0;
    symbols::Symbol memory = -1; // how many elements there are in its memory; -1: as many as are read
  };

  /// `parameters`: tensors that stay as they are. What shares memory with one, or with a tensor of which autograd knows more
  /// than it can be told of another, keeps its sizes, too.
  SymbolicLocals(std::vector<std::string> names, values::ValueList locals, const DynamismOf& dynamismOf,
                 const std::vector<at::Tensor>& parameters);

  /// By symbol: where it is first found.
  const std::vector<SizeSource>& sources() const { return sources_; }
  symbols::Assignment hints() const;
  /// Dimensions of a tensor that has symbols.
  size_t largestRank() const;
  /// Those that have symbols, by source.
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }
  /// Null: its sizes are no symbols.
  const Tensor* tensor(const std::string& source) const;
  /// -1: none.
  symbols::Symbol integer(const std::string& source) const;
  /// What holds of strides and offsets, so that no two elements lie in one place.
  const std::vector<symbols::Condition>& conditions() const { return conditions_; }
  /// What holds of all tensors that there are.
  const std::vector<symbols::Condition>& limits() const { return limits_; }
  /// Tensors whose sizes were to be symbols and had to stay, and why: `L['x']: it has hooks`.
  const std::vector<std::string>& kept() const { return kept_; }

  /// Locals like these, of the sizes of an assignment, with values that these have. What is no symbol is the same.
  values::ValueList at(const symbols::Assignment& assignment) const;

 private:
  SizeSource sizeSource(const std::string& source, const at::Tensor& tensor, size_t dimension) const;
  bool mayVary(const std::string& source, const at::Tensor& tensor, const DynamismOf& dynamismOf) const;
  static std::vector<size_t> byStride(const at::Tensor& tensor);
  static bool shareMemory(const at::Tensor& one, const at::Tensor& other);
  void noteTensors(const std::vector<at::Tensor>& parameters);
  void addLeaf(const std::string& source, const values::Value& value, const DynamismOf& dynamismOf);
  bool addSizes(const std::string& source, const at::Tensor& tensor, const DynamismOf& dynamismOf);
  symbols::Expression sizeOf(SizeSource source, const DynamismOf& dynamismOf);
  std::string whyStatic(const at::Tensor& tensor) const;
  void addBases(const DynamismOf& dynamismOf);
  void place(const at::Tensor& tensor, const DynamismOf& dynamismOf);
  void placeStrides(const at::Tensor& tensor, const std::map<int64_t, symbols::Expression>& known, Tensor& symbolic,
                    const DynamismOf& dynamismOf);
  void placeApart(const std::vector<at::Tensor>& sharing, const DynamismOf& dynamismOf);
  void placeInMemory(const std::vector<at::Tensor>& sharing, const DynamismOf& dynamismOf);
  symbols::Expression placeOf(std::string text, int64_t hint, const DynamismOf& dynamismOf);
  std::map<const c10::TensorImpl*, at::Tensor> tensorsAt(const symbols::Assignment& assignment) const;

  std::vector<std::string> names_;
  values::ValueList locals_;
  std::vector<SizeSource> sources_;
  std::map<int64_t, symbols::Symbol> bySize_;
  std::vector<at::Tensor> all_; // of the locals, then the bases of views among them that are no locals
  std::set<const c10::TensorImpl*> given_; // those of the locals
  std::set<const c10::TensorImpl*> fixed_; // parameters, and what modules hold
  std::set<const c10::TensorImpl*> placed_; // those of which a place was looked at
  std::map<const c10::TensorImpl*, Tensor> symbolic_; // of all
  std::map<const c10::TensorImpl*, std::string> sourceOf_; // of those of the locals that are symbolic: the first
  std::set<const c10::StorageImpl*> memories_; // in which a symbolic one lies
  std::vector<symbols::Condition> conditions_, limits_;
  std::map<std::string, Tensor> tensors_; // of the locals
  std::map<std::string, symbols::Symbol> integers_;
  std::vector<std::string> kept_;
};

/// Of symbols that together are not one code for all sizes, for `reason`: those that by themselves are not, each with why; all of
/// them where each is. `isPossibleAlone` sets `why` where it returns false.
std::vector<std::pair<SizeSource, std::string>> blamedOf(
    const std::vector<SizeSource>& sources, const std::string& reason,
    const std::function<bool(const SizeSource& source, std::string& why)>& isPossibleAlone);

} // namespace touchstone::sources
