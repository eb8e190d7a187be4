#include "graph/ir/Graphviz.h"

#include "base/AtomicFile.h"

#include <sys/wait.h>

#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace touchstone::ir {

namespace {

/// A file that is gone with this object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

} // namespace

std::string svgOf(const std::string& drawing) {
  const std::filesystem::path own = base::unfinishedName(std::filesystem::temp_directory_path() / "touchstone_drawing");
  const TemporaryFile input(own.string() + ".dot"), output(own.string() + ".svg");
  base::writeFile(input.path(), drawing);
  std::array<std::string, 5> texts{"dot", "-Tsvg", "-o", output.path().string(), input.path().string()};
  std::array<char*, 6> arguments{};
  for (size_t i = 0; i < texts.size(); ++i) {
    arguments[i] = texts[i].data();
  }
  pid_t process = -1;
  const int error = posix_spawnp(&process, "dot", nullptr, nullptr, arguments.data(), environ);
  if (error == ENOENT) {
    throw GraphvizUnavailable(
        "Pictures are laid out by Graphviz, and there is no `dot` on this machine. Install the package graphviz "
        "(`sudo apt-get install -y graphviz`), or take the drawing as text with --dot FILE.");
  }
  if (error != 0) {
    throw std::runtime_error(std::string("`dot` cannot be run: ") + std::strerror(error) + ".");
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error("`dot` has failed; --dot FILE writes what it was given.");
  }
  return base::readFile(output.path());
}

} // namespace touchstone::ir
