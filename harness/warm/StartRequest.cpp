#include "harness/warm/StartRequest.h"

#include <nlohmann/json.hpp>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

extern char** environ;

namespace touchstone::warm {

namespace {

constexpr uint64_t kLongestRequest = 16 << 20; // bytes
constexpr time_t kSecondsForRequest = 5; // of the other side

bool sendAll(int socket, const char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) {
      continue;
    }
    if (sent <= 0) {
      return false;
    }
    bytes += sent;
    count -= static_cast<size_t>(sent);
  }
  return true;
}

bool receiveAll(int socket, char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t received = recv(socket, bytes, count, 0);
    if (received < 0 && errno == EINTR) {
      continue;
    }
    if (received <= 0) {
      return false;
    }
    bytes += received;
    count -= static_cast<size_t>(received);
  }
  return true;
}

/// Room for the descriptors beside the bytes of a message.
union FilesBeside {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(StartFiles))];
};

msghdr messageOf(iovec& bytes, FilesBeside& beside) {
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = beside.bytes;
  message.msg_controllen = sizeof(beside.bytes);
  return message;
}

} // namespace

std::string fileIdentity(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) {
    return "";
  }
  std::error_code none;
  return std::filesystem::weakly_canonical(path, none).string() + ":" + std::to_string(found.st_ino) + ":" +
         std::to_string(found.st_size) + ":" + std::to_string(found.st_mtim.tv_sec) + "." +
         std::to_string(found.st_mtim.tv_nsec);
}

std::map<std::string, std::string> environmentOfProcess() {
  std::map<std::string, std::string> variables;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string text = *each;
    if (const size_t end = text.find('='); end != std::string::npos) {
      variables[text.substr(0, end)] = text.substr(end + 1);
    }
  }
  return variables;
}

std::vector<uint64_t> limitsOfProcess() {
  std::vector<uint64_t> limits;
  for (const auto resource : {RLIMIT_AS, RLIMIT_CPU, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_STACK}) {
    rlimit limit{};
    getrlimit(resource, &limit);
    limits.push_back(limit.rlim_cur);
  }
  return limits;
}

StartRequest requestOfProcess(const std::string& executable, std::vector<std::string> arguments,
                              const std::map<std::string, std::string>& more) {
  StartRequest request{.executable = fileIdentity(executable), .arguments = std::move(arguments)};
  request.environment = more;
  request.environment.merge(environmentOfProcess());
  std::error_code none;
  request.folder = std::filesystem::current_path(none);
  request.niceness = getpriority(PRIO_PROCESS, 0);
  request.limits = limitsOfProcess();
  return request;
}

bool sendRequest(int socket, const StartRequest& request, const StartFiles& files) {
  const std::string text = nlohmann::json{{"executable", request.executable},   {"arguments", request.arguments},
                                          {"environment", request.environment}, {"folder", request.folder},
                                          {"niceness", request.niceness},       {"limits", request.limits}}
                               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  uint64_t length = text.size();
  iovec bytes{&length, sizeof(length)};
  FilesBeside beside{};
  msghdr message = messageOf(bytes, beside);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(StartFiles));
  std::memcpy(CMSG_DATA(header), files.data(), sizeof(StartFiles));
  return sendmsg(socket, &message, MSG_NOSIGNAL) == sizeof(length) && sendAll(socket, text.data(), text.size());
}

std::optional<std::pair<StartRequest, StartFiles>> receiveRequest(int socket) {
  const timeval patience{kSecondsForRequest, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  uint64_t length = 0;
  iovec bytes{&length, sizeof(length)};
  FilesBeside beside{};
  msghdr message = messageOf(bytes, beside);
  const ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  const cmsghdr* header = received > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(StartFiles))) {
    return std::nullopt;
  }
  StartFiles files{};
  std::memcpy(files.data(), CMSG_DATA(header), sizeof(StartFiles));
  try {
    std::string text(received == sizeof(length) && length <= kLongestRequest ? length : 0, '\0');
    if (text.empty() || !receiveAll(socket, text.data(), text.size())) {
      throw std::invalid_argument("not whole");
    }
    const nlohmann::json told = nlohmann::json::parse(text);
    StartRequest request;
    told.at("executable").get_to(request.executable);
    told.at("arguments").get_to(request.arguments);
    told.at("environment").get_to(request.environment);
    told.at("folder").get_to(request.folder);
    told.at("niceness").get_to(request.niceness);
    told.at("limits").get_to(request.limits);
    return std::pair(std::move(request), files);
  } catch (const std::exception&) {
    for (const int file : files) {
      close(file);
    }
    return std::nullopt;
  }
}

bool isOfThisUser(int connection) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

int openSocket(const std::string& path, bool listens) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) {
    return -1;
  }
  const timeval patience{kSecondsForRequest, 0};
  setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  const auto* general = reinterpret_cast<const sockaddr*>(&address);
  const bool isOpen = listens ? bind(made, general, sizeof(address)) == 0 && chmod(path.c_str(), 0600) == 0 &&
                                    listen(made, SOMAXCONN) == 0
                              : connect(made, general, sizeof(address)) == 0;
  if (!isOpen) {
    const int error = errno;
    close(made);
    errno = error;
    return -1;
  }
  return made;
}

} // namespace touchstone::warm
