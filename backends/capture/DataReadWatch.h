#pragma once

namespace touchstone::backends {

/// While it lives, notices that tensor data became a Python number outside any recorded operator: `x[index]` with a tensor
/// as the index, a tensor where a size is expected. One at a time in a thread.
class DataReadWatch {
 public:
  DataReadWatch();
  ~DataReadWatch();
  DataReadWatch(const DataReadWatch&) = delete;
  DataReadWatch& operator=(const DataReadWatch&) = delete;

  /// Operators read data of their own accord; what happens between these two calls does not count.
  void enterOperator();
  void leaveOperator();
  bool hasRead() const;

 private:
  unsigned long callback_;
};

} // namespace touchstone::backends
