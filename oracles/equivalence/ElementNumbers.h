#pragma once

#include "graph/ir/Graph.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace touchstone::equivalence {

/// Thrown for a Graph of which no normal form is known; a sentence says why.
class NotComparable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The elements of a tensor of numbers, in logical order.
std::vector<int64_t> numbersIn(const at::Tensor& tensor);

/// Runs Graphs on numbers instead of values: each element of a tensor has a number that says how it is computed, so two
/// elements with one number are computed alike. What only moves elements (views, copies, scatters, cat) moves numbers;
/// what computes an element from elements gives it a number made of theirs; any other operator numbers its results by the
/// operator and all that it was given. So views, copies, the order of nodes, names, repeated expressions and dead code leave
/// no trace. Numbers are hashes of 63 bits.
///
/// Tensors of numbers are int64 and laid out as what they stand for.
class ElementNumbers {
 public:
  /// The number of zeros, and of gradients that do not arise.
  static constexpr int64_t kZero = 0;

  /// `inputs` by placeholder; a node that writes changes them. Returns the Graph's outputs, undefined for None. `tangents`:
  /// which placeholders are tangents, of a backward. Of what depends on one, what is added to zero is itself, sums have no
  /// order, zero times anything is zero, and so is what a linear operator makes of zeros alone. Throws NotComparable.
  std::vector<at::Tensor> run(const ir::Graph& graph, const std::vector<at::Tensor>& inputs,
                              const std::vector<bool>& tangents = {});

  /// Some operator does more than move elements.
  static bool computes(const ir::Graph& graph);
  /// The next Graphs are another pipeline's: their draws are the same draws.
  void beginAgain() { draws_ = 0; }

  int64_t ofMemory(const std::string& memory, int64_t position, int64_t elementSize);
  /// Of the tangent of an element.
  int64_t ofTangent(int64_t element);
  /// Of a sum of gradients, in any order; of two that are alike both count.
  int64_t ofSum(int64_t left, int64_t right, const std::string& dtype);

  /// Where two computations part first: a sentence.
  std::string firstDifference(int64_t left, int64_t right) const;
  /// Is in the memory of an input.
  bool isOfMemory(int64_t number) const;

 private:
  class Run;
  struct Producer {
    std::string text; // operator and constants
    std::vector<int64_t> from;
    enum class Kind { kMemory, kComputed } kind = Kind::kComputed;
  };
  int64_t number(Producer producer);
  int64_t elementOf(int64_t result, int64_t output, int64_t position);
  std::string textOf(int64_t number, int depth) const;

  std::unordered_map<int64_t, Producer> producers_;
  std::unordered_map<int64_t, int64_t> conjugates_;
  int64_t draws_ = 0; // random operators that have run
};

} // namespace touchstone::equivalence
