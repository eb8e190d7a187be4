#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

struct sqlite3;
struct sqlite3_stmt;

namespace touchstone::store {

/// What was found cannot be kept, in the store or in a file: the disk is full, a lock is held for too long. `what()` is a
/// whole sentence that names the file.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What `action` returns; a file that it cannot write is a StoreError.
template <class Action>
auto storing(const Action& action) {
  try {
    return action();
  } catch (const std::runtime_error& error) {
    throw StoreError(error.what());
  }
}

/// One SQL statement. Texts are UTF-8; what is not is kept byte by byte.
class StoreQuery {
 public:
  /// Binds the values to `?1`, `?2`, …; then step() or run().
  template <class... Values>
  StoreQuery& bind(const Values&... values) {
    int position = 0;
    (bindOne(++position, values), ...);
    return *this;
  }
  /// Goes to the next row; false: there is none, and the statement can be bound anew.
  bool step();
  /// Binds, and runs to the end.
  template <class... Values>
  void run(const Values&... values) {
    bind(values...);
    while (step()) {
    }
  }

  // Columns of the row, from 0; NULL is an empty text and 0.
  std::string text(int column) const;
  int64_t integer(int column) const;
  double real(int column) const;

  // A column into a variable of its kind; of an enumeration by its name.
  void read(int column, std::string& value) const { value = text(column); }
  void read(int column, int64_t& value) const { value = integer(column); }
  void read(int column, int& value) const { value = static_cast<int>(integer(column)); }
  void read(int column, double& value) const { value = real(column); }
  template <class Enum>
    requires std::is_enum_v<Enum>
  void read(int column, Enum& value) const {
    readName(text(column), value);
  }

 private:
  friend class Database;
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  StoreQuery(sqlite3* connection, sqlite3_stmt* statement, std::string file);
  void bindOne(int position, const std::string& value);
  void bindOne(int position, const char* value) { bindOne(position, std::string(value)); }
  void bindOne(int position, int64_t value);
  void bindOne(int position, int value) { bindOne(position, static_cast<int64_t>(value)); }
  void bindOne(int position, double value);
  template <class Enum>
    requires std::is_enum_v<Enum>
  void bindOne(int position, Enum value) {
    bindOne(position, std::string(nameOf(value)));
  }
  void check(int code) const;

  sqlite3* connection_;
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  std::string file_; // for messages
};

/// A connection to an SQLite file, of one thread. Every error is a StoreError.
class Database {
 public:
  enum class Access {
    kWrite, // an existing file
    kCreate, // makes the file where there is none
    kRead, // changes nothing, neither in the file nor beside it
    kMemory, // no file: the name is for messages
  };
  Database(std::filesystem::path file, Access access);

  /// Several statements without values.
  void execute(const std::string& statements);
  StoreQuery prepare(const std::string& statement);
  /// The first column of the first row.
  int64_t integer(const std::string& query);
  std::string text(const std::string& query);
  /// Makes `other`, which is empty, the same.
  void copyInto(Database& other);
  /// Rows that the last statement changed.
  int64_t changes() const;
  /// Something is in the log beside the file, so somebody writes, or was killed while writing.
  static bool hasLog(const std::filesystem::path& file);
  const std::filesystem::path& file() const { return file_; }

 private:
  struct Closer {
    void operator()(sqlite3* connection) const;
  };
  std::filesystem::path file_;
  std::unique_ptr<sqlite3, Closer> connection_;
};

/// Everything until commit(), or nothing. Takes the lock for writing at once, and waits for it while another process has it.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

} // namespace touchstone::store
