#include "harness/warm/WarmWorker.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace touchstone::warm {

namespace {

constexpr int kAnswerMilliseconds = 5'000; // a fork, behind those that were asked for before
constexpr int kEndMilliseconds = 5'000;

/// The next line; what has come until then, when the other side ends or takes too long.
std::string lineFrom(int connection) {
  std::string line;
  pollfd waited{connection, POLLIN, 0};
  for (char next = 0;
       poll(&waited, 1, kAnswerMilliseconds) > 0 && recv(connection, &next, 1, 0) == 1 && next != '\n';) {
    line += next;
  }
  return line;
}

} // namespace

std::unique_ptr<WarmWorker> WarmWorker::start(const std::string& socket, const StartRequest& request,
                                              const StartFiles& files) {
  static std::atomic<bool> isStuck = false; // it is not waited for again
  const int connection = isStuck ? -1 : openSocket(socket, false);
  if (connection < 0) {
    return nullptr;
  }
  std::unique_ptr<WarmWorker> worker(new WarmWorker(connection));
  // The descriptors go to whoever takes them at once: what lies unread would hold the results open.
  if (!isOfThisUser(connection) || lineFrom(connection) != kReady || !sendRequest(connection, request, files)) {
    isStuck = true;
    return nullptr;
  }
  const std::string answer = lineFrom(connection);
  isStuck = answer.empty();
  worker->hasStarted_ = answer == kStarted;
  return worker->hasStarted_ ? std::move(worker) : nullptr;
}

WarmWorker::~WarmWorker() {
  shutdown(connection_, SHUT_WR);
  pollfd waited{connection_, POLLIN, 0};
  char rest = 0;
  while (hasStarted_ && poll(&waited, 1, kEndMilliseconds) > 0 && recv(connection_, &rest, 1, 0) > 0) {
  }
  close(connection_);
}

} // namespace touchstone::warm
