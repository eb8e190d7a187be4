#pragma once

#include "backends/compilers/StandIn.h"
#include "graph/ir/Graph.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace touchstone::compilers {

/// A defect of libtorch's TorchScript that is known; `corpus/known/NAME.py` shows it. It is told from others by its cause:
/// where the operators that it is about are written so that TorchScript cannot do what is wrong, it is gone.
struct KnownDefect {
  std::string_view name; // of the file, without the ending; one defect may have several symptoms
  std::string_view
      symptom; // what a verdict's text begins with: `Differs/gradient_values`; empty: anything but of gradients
  std::string_view message; // what its message holds; empty: anything
  bool (*concerns)(const ir::Graph& graph, const ir::Node& node); // of an operator or a constant
  CallForm form; // in which these are written to avoid it
  bool showsAlone =
      false; // also where TorchScript has these operators alone: by its formulas for their gradients, or as it
  // replaces them
  bool (*seenBy)(const ir::Graph& graph,
                 const ir::Node& node) = nullptr; // of those: it shows only where TorchScript
  // has these, too, which on their own are right
  bool (*beside)(const ir::Graph& graph,
                 const ir::Node& node) = nullptr; // it shows only where some Graph of the Case has
  // one of these
};

/// All of them, in the order in which they are tried.
const std::vector<KnownDefect>& knownDefects();

/// While it lives, TorchScript differentiates an operator by its formula also where no other one is differentiated with it.
class LoneOperatorsDifferentiated {
 public:
  LoneOperatorsDifferentiated();
  ~LoneOperatorsDifferentiated();
  LoneOperatorsDifferentiated(const LoneOperatorsDifferentiated&) = delete;
  LoneOperatorsDifferentiated& operator=(const LoneOperatorsDifferentiated&) = delete;
};

/// While it lives, what is compiled to TorchScript, on whichever thread, is looked through for known defects, and avoids some.
/// One thread at a time compiles, and makes and ends these.
class DefectsAvoided {
 public:
  /// Which operators.
  using Operators = std::function<bool(const ir::Graph& graph, const ir::Node& node)>;

  /// Avoids these, by name. Where values are handed on, what is left of a differentiated group is differentiated still.
  explicit DefectsAvoided(std::set<std::string_view> names);
  /// Leaves TorchScript nothing but some operators: all others are stand-ins. One alone is differentiated, too.
  static DefectsAvoided allBut(Operators left) { return DefectsAvoided(std::move(left)); }
  ~DefectsAvoided();
  DefectsAvoided(const DefectsAvoided&) = delete;
  DefectsAvoided& operator=(const DefectsAvoided&) = delete;
  /// Those that some node of what was compiled since is about, avoided ones included.
  std::set<std::string_view> met() const;

 private:
  friend CallForm callFormOf(const ir::Graph& graph, const ir::Node& node);
  explicit DefectsAvoided(Operators left);
  CallForm formOf(const ir::Graph& graph, const ir::Node& node);

  Operators left_;
  std::set<std::string_view> avoided_, met_,
      besides_; // besides_: of those that ask for something beside, which have it
  std::optional<LoneOperatorsDifferentiated> loneOperators_;
  DefectsAvoided* outer_;
};

/// In which form an operator or a constant is written: its own where nothing is to be avoided.
CallForm callFormOf(const ir::Graph& graph, const ir::Node& node);

} // namespace touchstone::compilers
