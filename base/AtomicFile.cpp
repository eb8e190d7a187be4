#include "base/AtomicFile.h"

#include "base/ExitStatus.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace touchstone::base {

namespace {

[[noreturn]] void failFile(const char* what, const std::filesystem::path& path) {
  throw std::runtime_error(std::string("Cannot ") + what + " `" + path.string() + "`: " + std::strerror(errno) + ".");
}

/// A device, a pipe, or a stream of this process such as `/dev/stdout`: written to as it is. A file beside it that takes its
/// name would take its place.
bool isStream(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return !std::filesystem::is_directory(status);
  }
  return std::filesystem::read_symlink(path, ignored).string().starts_with("/proc/");
}

/// The file that is to be another one afterwards: of a link, which stays, what it leads to.
std::filesystem::path replacedBy(const std::filesystem::path& path) {
  return std::filesystem::is_symlink(path) ? std::filesystem::weakly_canonical(path) : path;
}

std::filesystem::path writeBeside(const std::filesystem::path& path, const std::string& text) {
  if (path.has_parent_path()) {
    std::error_code ignored; // opening the file says it better
    std::filesystem::create_directories(path.parent_path(), ignored);
  }
  const std::filesystem::path temporary = unfinishedName(path);
  std::ofstream file(temporary, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    const int error = errno;
    std::error_code ignored; // there is none where the folder is missing
    std::filesystem::remove(temporary, ignored);
    errno = error;
    failFile("write", path);
  }
  return temporary;
}

} // namespace

std::filesystem::path unfinishedName(const std::filesystem::path& path) {
  static std::atomic<int64_t> count{0};
  return path.string() + ".part" + std::to_string(getpid()) + "_" + std::to_string(count++);
}

void writeFile(const std::filesystem::path& path, const std::string& text) {
  if (isStream(path)) {
    std::ofstream stream(path, std::ios::binary | std::ios::app);
    stream << text << std::flush;
    if (!stream) {
      failFile("write", path);
    }
    return;
  }
  const std::filesystem::path replaced = replacedBy(path);
  const std::filesystem::path temporary = writeBeside(replaced, text);
  if (std::rename(temporary.c_str(), replaced.c_str()) != 0) {
    std::filesystem::remove(temporary);
    failFile("write", path);
  }
}

void tryToWrite(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    errno = EISDIR;
    failFile("write", path);
  }
  if (!isStream(path)) {
    std::filesystem::remove(writeBeside(replacedBy(path), ""));
  }
}

bool writeNewFile(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path temporary = writeBeside(path, text);
  const bool made = link(temporary.c_str(), path.c_str()) == 0;
  const int error = errno;
  std::filesystem::remove(temporary);
  if (!made && error != EEXIST) {
    errno = error;
    failFile("write", path);
  }
  return made;
}

std::string readFile(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    errno = EISDIR;
    failFile("read", path);
  }
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) {
    failFile("read", path);
  }
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) {
    failFile("read", path);
  }
  return text;
}

void tryToWriteFile(const std::filesystem::path& path) {
  if (path.empty()) {
    return;
  }
  try {
    tryToWrite(path);
  } catch (const std::exception& error) {
    throw WrongUse(std::string(error.what()) + " It was tried before anything else, so nothing was done.");
  }
}

void tryToWriteInto(const std::filesystem::path& folder) {
  if (!folder.empty()) {
    tryToWriteFile(folder / "case.py");
  }
}

} // namespace touchstone::base
