#include "harness/reducer/OutsideJudge.h"

#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "harness/worker/Progress.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

namespace touchstone::reducer {

namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(2);

/// The path as one word of the shell.
std::string quotedPath(const std::filesystem::path& path) {
  std::string text = "'";
  for (const char character : path.string()) {
    text += character == '\'' ? std::string("'\\''") : std::string(1, character);
  }
  return text + "'";
}

/// A shell that runs the command in a process group of its own, and hears and says nothing. It ends when we do.
pid_t startShell(const std::string& command) {
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) {
    throw std::runtime_error(std::string("No process can be started for --check: ") + std::strerror(errno));
  }
  if (process == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) { // it has ended already
      _exit(127);
    }
    const int nothing = open("/dev/null", O_RDWR);
    for (int descriptor = 0; descriptor < 3; ++descriptor) {
      dup2(nothing, descriptor);
    }
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  setpgid(process, process);
  return process;
}

bool isReadable(const std::string& text) {
  try {
    parser::parseCase(text);
    return true;
  } catch (const parser::ParseError&) {
    return false;
  }
}

/// A run of the command that has not ended.
struct RunningCheck {
  pid_t process;
  size_t candidate;
  double deadline;
};

/// The runs that have not ended; they are ended with it.
struct RunningChecks {
  std::vector<RunningCheck> all;

  static void end(const RunningCheck& check) {
    kill(-check.process, SIGKILL);
    waitpid(check.process, nullptr, 0);
  }
  ~RunningChecks() { std::for_each(all.begin(), all.end(), end); }
};

} // namespace

struct OutsideJudge::Answer {
  bool isYes = false;
  std::string refusal;
};

OutsideJudge::OutsideJudge(OutsideJudgeOptions options) : options_(std::move(options)) {
  std::string pattern = (std::filesystem::temp_directory_path() / "touchstone_check_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("No folder `" + pattern + "` can be made for --check: " + std::strerror(errno));
  }
  folder_ = pattern;
}

OutsideJudge::~OutsideJudge() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string OutsideJudge::commandFor(const std::filesystem::path& file) const {
  const std::string word = quotedPath(file);
  std::string command = options_.command;
  size_t place = command.find("{}");
  if (place == std::string::npos) {
    return command + " " + word;
  }
  for (; place != std::string::npos; place = command.find("{}", place + word.size())) {
    command.replace(place, 2, word);
  }
  return command;
}

// Candidates behind one that was answered with yes need no answer.
std::vector<OutsideJudge::Answer> OutsideJudge::ask(const std::vector<language::Case>& candidates,
                                                    double deadline) const {
  std::vector<Answer> answers(candidates.size());
  RunningChecks runningOnes;
  std::vector<RunningCheck>& running = runningOnes.all;
  size_t next = 0, end = candidates.size();
  const auto folderOf = [&](size_t candidate) { return folder_ / std::to_string(candidate); };
  const auto startNext = [&] {
    const std::string text = standalone::printCase(candidates[next]);
    if (!isReadable(text)) {
      answers[next++].refusal = "it is no valid case file";
      return;
    }
    std::filesystem::create_directories(folderOf(next));
    base::writeFile(folderOf(next) / options_.fileName, text);
    const double endOfRun = std::min(deadline, worker::wallSeconds() + options_.secondsPerRun);
    running.push_back({startShell(commandFor(folderOf(next) / options_.fileName)), next, endOfRun});
    ++next;
  };
  // True when the run has ended.
  const auto collect = [&](const RunningCheck& check) {
    int status = 0;
    Answer& answer = answers[check.candidate];
    if (waitpid(check.process, &status, WNOHANG) == check.process) {
      kill(-check.process, SIGKILL); // what it left behind
      answer.isYes = WIFEXITED(status) && WEXITSTATUS(status) == 0;
      answer.refusal = WIFEXITED(status) ? fmt::format("exit status {}", WEXITSTATUS(status))
                                         : fmt::format("ended by signal {}", WTERMSIG(status));
      end = answer.isYes ? std::min(end, check.candidate) : end;
    } else if (worker::wallSeconds() > check.deadline || check.candidate > end) {
      RunningChecks::end(check);
      answer.refusal = fmt::format("no answer in {:g} seconds", options_.secondsPerRun);
    } else {
      return false;
    }
    std::filesystem::remove_all(folderOf(check.candidate));
    return true;
  };
  while (next < end || !running.empty()) {
    if (base::interruptRequested()) {
      throw base::Interrupted();
    }
    if (worker::wallSeconds() > deadline) {
      end = std::min(end, next);
    }
    while (next < end && running.size() < static_cast<size_t>(options_.jobs)) {
      startNext();
    }
    std::erase_if(running, collect);
    if (!running.empty()) {
      std::this_thread::sleep_for(kBetweenLooks);
    }
  }
  return answers;
}

std::optional<Sighting> OutsideJudge::operator()(const std::vector<language::Case>& candidates, double deadline) const {
  const std::vector<Answer> answers = ask(candidates, deadline);
  const auto yes = std::find_if(answers.begin(), answers.end(), [](const Answer& answer) { return answer.isYes; });
  return yes == answers.end() ? std::nullopt : std::optional(Sighting{static_cast<size_t>(yes - answers.begin()), {}});
}

std::string OutsideJudge::refusalOf(const language::Case& theCase) const {
  const Answer answer = ask({theCase}, kNoDeadline).at(0);
  return answer.isYes ? "" : answer.refusal;
}

} // namespace touchstone::reducer
