#include "harness/store/Database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstring>
#include <utility>

namespace touchstone::store {

namespace {

constexpr int kBusyMilliseconds = 60'000; // another process writes for a few milliseconds at a time

struct SqliteTrouble {
  int code;
  const char* what;
  bool ofSystem = false; // whose error says more
};
constexpr SqliteTrouble kSqliteTroubles[] = {
    {SQLITE_FULL, "cannot be written: the disk is full", true},
    {SQLITE_IOERR, "cannot be read or written", true},
    {SQLITE_READONLY, "cannot be written"},
    {SQLITE_CANTOPEN, "cannot be opened", true},
    {SQLITE_BUSY, "is held by another process too long"},
    {SQLITE_LOCKED, "is held by another process too long"},
    {SQLITE_CORRUPT, "is damaged"},
    {SQLITE_NOTADB, "is damaged or no store"},
};

[[noreturn]] void failDatabase(const std::string& file, int code, sqlite3* connection) {
  SqliteTrouble trouble{code, "cannot be used"};
  for (const SqliteTrouble& each : kSqliteTroubles) {
    trouble = each.code == (code & 0xff) ? each : trouble;
  }
  const int error = connection == nullptr || !trouble.ofSystem ? 0 : sqlite3_system_errno(connection);
  throw StoreError(fmt::format("The store `{}` {} ({}{}{}).", file, trouble.what,
                               connection == nullptr ? "no memory" : sqlite3_errmsg(connection), error == 0 ? "" : ": ",
                               error == 0 ? "" : std::strerror(error)));
}

/// `file:` with what a URI has a meaning for escaped.
std::string databaseUri(const std::filesystem::path& file, const char* parameters) {
  std::string uri = "file:";
  for (const char character : std::filesystem::absolute(file).string()) {
    const bool special = character == '%' || character == '?' || character == '#';
    uri += special ? fmt::format("%{:02X}", static_cast<unsigned char>(character)) : std::string(1, character);
  }
  return uri + parameters;
}

} // namespace

void StoreQuery::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

StoreQuery::StoreQuery(sqlite3* connection, sqlite3_stmt* statement, std::string file)
    : connection_(connection), statement_(statement), file_(std::move(file)) {}

void StoreQuery::check(int code) const {
  if (code != SQLITE_OK) {
    failDatabase(file_, code, connection_);
  }
}

void StoreQuery::bindOne(int position, const std::string& value) {
  check(sqlite3_bind_text64(statement_.get(), position, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void StoreQuery::bindOne(int position, int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), position, value));
}

void StoreQuery::bindOne(int position, double value) {
  check(sqlite3_bind_double(statement_.get(), position, value));
}

bool StoreQuery::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) {
    return true;
  }
  if (code != SQLITE_DONE) {
    failDatabase(file_, code, connection_); // the statement is not used any more
  }
  sqlite3_reset(statement_.get());
  return false;
}

std::string StoreQuery::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return bytes == nullptr ? ""
                          : std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

int64_t StoreQuery::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double StoreQuery::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

bool Database::hasLog(const std::filesystem::path& file) {
  std::error_code none;
  const auto size = std::filesystem::file_size(file.string() + "-wal", none);
  return !none && size > 0;
}

void Database::Closer::operator()(sqlite3* connection) const {
  sqlite3_close_v2(connection);
}

Database::Database(std::filesystem::path file, Access access) : file_(std::move(file)) {
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  std::string name;
  switch (access) {
    case Access::kWrite:
    case Access::kCreate:
      flags |= SQLITE_OPEN_READWRITE | (access == Access::kCreate ? SQLITE_OPEN_CREATE : 0);
      name = databaseUri(file_, "");
      break;
    case Access::kRead:
      flags |= SQLITE_OPEN_READONLY;
      // Without a log the file is all there is, and SQLite need not make anything beside it to read it.
      name = databaseUri(file_, hasLog(file_) ? "" : "?immutable=1");
      break;
    case Access::kMemory:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
      name = ":memory:";
      break;
  }
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &connection, flags, nullptr);
  connection_.reset(connection);
  if (code != SQLITE_OK) {
    failDatabase(file_.string(), code, connection);
  }
  sqlite3_busy_timeout(connection, kBusyMilliseconds);
  if (access == Access::kRead) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  }
}

void Database::execute(const std::string& statements) {
  const int code = sqlite3_exec(connection_.get(), statements.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) {
    failDatabase(file_.string(), code, connection_.get());
  }
}

StoreQuery Database::prepare(const std::string& statement) {
  sqlite3_stmt* prepared = nullptr;
  const int code =
      sqlite3_prepare_v2(connection_.get(), statement.data(), static_cast<int>(statement.size()), &prepared, nullptr);
  if (code != SQLITE_OK) {
    failDatabase(file_.string(), code, connection_.get());
  }
  return {connection_.get(), prepared, file_.string()};
}

int64_t Database::integer(const std::string& query) {
  StoreQuery statement = prepare(query);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Database::text(const std::string& query) {
  StoreQuery statement = prepare(query);
  return statement.step() ? statement.text(0) : "";
}

void Database::copyInto(Database& other) {
  sqlite3_backup* backup = sqlite3_backup_init(other.connection_.get(), "main", connection_.get(), "main");
  if (backup != nullptr) {
    sqlite3_backup_step(backup, -1);
  }
  if (const int code = sqlite3_backup_finish(backup); code != SQLITE_OK) {
    failDatabase(file_.string(), code, other.connection_.get());
  }
}

int64_t Database::changes() const {
  return sqlite3_changes(connection_.get());
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (open_) {
    try {
      database_.execute("ROLLBACK");
    } catch (const StoreError&) { // SQLite has rolled back already
    }
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

} // namespace touchstone::store
