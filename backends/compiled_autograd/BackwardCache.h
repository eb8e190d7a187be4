#pragma once

#include "backends/compiled_autograd/BackwardGraph.h"
#include "backends/compiled_autograd/BackwardKey.h"
#include "backends/compiled_autograd/CacheMiss.h"
#include "backends/compiled_autograd/LiftedNumbers.h"
#include "backends/compiled_autograd/Segment.h"
#include "backends/compiled_autograd/SymbolicBackward.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace touchstone::compiled_autograd {

/// A backward of one structure with these sizes, scalars, strides and offsets: the Graph of all of it, and Graphs of what is left of
/// it where a Program's code gave gradients of another kind.
class SpecializedBackward {
 public:
  explicit SpecializedBackward(const BackwardTask& task, const BackwardKey& key);

  bool fits(const BackwardKey& key) const;
  bool hasScalars(const BackwardKey& key) const;
  const LiftedNumbers& numbers() const { return numbers_; }
  /// Of a backward of the same structure: by node what is as here and what is not, and then tensors that are not.
  std::vector<std::string> differences(const BackwardKey& key) const;
  /// The part of a Graph that goes on from a node with what waits; null: none is captured yet.
  std::shared_ptr<const Segment> find(size_t begin, bool areHooksCalled, const WaitingGradients& waiting) const;
  void add(BackwardGraph graph);

  /// How many parts of Graphs go on from a node, each for gradients of other kinds.
  size_t countFrom(size_t begin) const;

  std::set<size_t> eagerNodes() const;
  void addEagerNodes(const std::set<size_t>& nodes);
  /// `MulBackward0 (NodeCall 2)`, by node of the task.
  const std::vector<std::string>& origins() const { return origins_; }
  /// What was captured, in order.
  std::vector<ir::Graph> graphs() const;

 private:
  LiftedNumbers numbers_;
  std::vector<c10::IValue> scalars_;
  std::vector<std::string> origins_;
  mutable std::mutex mutex_;
  std::set<size_t> eagerNodes_;
  std::multimap<std::pair<size_t, bool>, std::shared_ptr<const Segment>> segments_;
  std::vector<ir::Graph> graphs_;
};

/// Compiled backwards by key. Thread-safe.
class BackwardCache {
 public:
  struct Found {
    std::shared_ptr<SpecializedBackward> backward; // null: there are as many as there may be
    std::string reasonOfMiss; // empty: it was there
    std::vector<std::string> missByNode; // see CaptureListener::onMiss()
    /// Of a miss: numbers of this backward, and of those that are compiled and are like it but for these. Empty: there are none, or
    /// symbols were tried often enough.
    std::vector<LiftedNumbers> alike;
  };
  /// `isExplained`: a miss is told by node, too. Threads compare with what is there side by side: the lock is held to look up and to add.
  Found findOrAdd(const BackwardTask& task, const BackwardKey& key, size_t limit, bool isExplained = false);
  /// What was captured for symbols of the backwards of this key; null: they cannot be symbols.
  void addSymbolic(const BackwardKey& key, std::shared_ptr<const SymbolicBackward> symbolic);
  std::vector<std::shared_ptr<SpecializedBackward>> all() const;
  void clear();

 private:
  using Specialized = std::vector<std::shared_ptr<SpecializedBackward>>;
  /// All backwards of one key.
  struct Entry {
    KnownKey key;
    Specialized specialized; // used last comes first
    std::vector<std::shared_ptr<const SymbolicBackward>> symbolic; // the newest first
    size_t failures = 0; // sizes could not be symbols
  };
  /// What one look-up has to compare with, as it was at a moment.
  struct Seen {
    std::shared_ptr<Entry> entry; // null: the key is new
    Specialized specialized;
    std::vector<std::shared_ptr<const SymbolicBackward>> symbolic;
    bool maySymbols = false;
    std::shared_ptr<const Entry> newest; // of all keys
  };
  static std::vector<LiftedNumbers> alike(const BackwardKey& key, const Seen& seen);
  Seen lookUp(const std::string& bytes) const;
  /// Null: another thread has added to the entry since `seen`.
  std::shared_ptr<SpecializedBackward> add(const BackwardTask& task, const BackwardKey& key, const Seen& seen);

  mutable std::mutex mutex_;
  std::unordered_map<std::string_view, std::shared_ptr<Entry>> entries_; // by the bytes of Entry::key
  std::shared_ptr<const Entry> newest_;
  Specialized inOrder_;
};

} // namespace touchstone::compiled_autograd
