// SPDX-License-Identifier: Apache-2.0
#include "harness/run/external/adapter_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "engine/base/input_file.h"
#include "harness/run/process_end.h"
#include "harness/spec/nearest.h"
#include "reports/json_text.h"

namespace assay::run {
namespace {

// An answer is some paths and times. More than this in one line is not an answer.
constexpr std::size_t kLongestLine = std::size_t{1} << 24;
// Of an adapter's own words in a message, which every report repeats.
constexpr std::size_t kLongestError = 2000;

// The last lines of what the adapter printed, on one line.
std::string last_words(const std::string& file) {
  constexpr std::size_t kBytes = 400;
  const Result<std::string> text = read_file(file);
  if (!text.ok()) {
    return "";
  }
  std::string tail = text.value();
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) {
    tail.pop_back();
  }
  if (tail.size() > kBytes) {
    tail = "..." + tail.substr(tail.size() - kBytes);
  }
  for (char& c : tail) {
    c = c == '\n' ? ' ' : c;
  }
  return tail;
}

// In the child: only what is safe between fork and exec. Reports errno through the pipe if the program cannot be
// started.
[[noreturn]] void become(const std::vector<char*>& command, const std::array<int, 3>& standard, pid_t parent,
                         int failure) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) {
    ::_exit(0);
  }
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    ::dup2(standard[static_cast<std::size_t>(descriptor)], descriptor);
  }
  ::signal(SIGPIPE, SIG_DFL);
  ::execvp(command.front(), command.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = ::write(failure, &error, sizeof(error));
  ::_exit(127);
}

class Descriptors {
 public:
  ~Descriptors() {
    for (const int descriptor : open_) {
      ::close(descriptor);
    }
  }
  int add(int descriptor) {
    if (descriptor >= 0) {
      open_.push_back(descriptor);
    }
    return descriptor;
  }
  // Descriptors of 3 and above, so that dup2 onto 0, 1 and 2 meets none of them.
  bool pipe(std::array<int, 2>& ends) {
    std::array<int, 2> raw{};
    if (::pipe2(raw.data(), O_CLOEXEC) != 0) {
      return false;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      ends[i] = add(::fcntl(raw[i], F_DUPFD_CLOEXEC, 3));
      ::close(raw[i]);
    }
    return ends[0] >= 0 && ends[1] >= 0;
  }
  int release(int descriptor) {
    std::erase(open_, descriptor);
    return descriptor;
  }

 private:
  std::vector<int> open_;
};

}  // namespace

Result<std::unique_ptr<AdapterProcess>> AdapterProcess::start(const RuntimeEntry& entry, const std::string& folder) {
  std::unique_ptr<AdapterProcess> adapter(new AdapterProcess(entry.name, folder));
  Descriptors open;
  std::array<int, 2> requests{};
  std::array<int, 2> answers{};
  std::array<int, 2> failure{};
  const std::string log = folder + "/stderr.txt";
  const int raw = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const int errors = raw < 0 ? -1 : open.add(::fcntl(raw, F_DUPFD_CLOEXEC, 3));
  if (raw >= 0) {
    ::close(raw);
  }
  if (errors < 0 || !open.pipe(requests) || !open.pipe(answers) || !open.pipe(failure)) {
    return resource_error(fmt::format("no pipes for runtime '{}': {}", entry.name, std::strerror(errno)));
  }
  std::vector<std::string> words = entry.command;
  std::vector<char*> command;
  for (std::string& word : words) {
    command.push_back(word.data());
  }
  command.push_back(nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // an adapter that has died shows as a failed write
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    return resource_error(fmt::format("no process for runtime '{}': {}", entry.name, std::strerror(errno)));
  }
  if (pid == 0) {
    become(command, {requests[0], answers[1], errors}, parent, failure[1]);
  }
  adapter->pid_ = pid;
  adapter->to_adapter_ = open.release(requests[1]);
  adapter->from_adapter_ = open.release(answers[0]);
  ::close(open.release(failure[1]));
  int error = 0;
  ssize_t got = 0;
  while ((got = ::read(failure[0], &error, sizeof(error))) < 0 && errno == EINTR) {
  }
  if (got == static_cast<ssize_t>(sizeof(error))) {
    return io_error(fmt::format("runtime '{}': '{}' cannot be started: {}", entry.name, entry.command.front(),
                                std::strerror(error)));
  }
  return adapter;
}

AdapterProcess::~AdapterProcess() {
  if (alive()) {
    stop();
  }
}

std::string AdapterProcess::stop() {
  ::close(to_adapter_);
  ::close(from_adapter_);
  return kill_and_reap(std::exchange(pid_, -1));
}

Error AdapterProcess::died(const std::string& why) {
  const std::string end = stop();
  const std::string words = last_words(folder_ + "/stderr.txt");
  return io_error(
      fmt::format("runtime '{}' {} ({}){}{}", name_, why, end, words.empty() ? "" : "; it said last: ", words));
}

// False where it has died and nothing is left to be read.
bool AdapterProcess::wait_for_output() const {
  constexpr int kMilliseconds = 100;  // between two looks at whether it lives
  pollfd polled{.fd = from_adapter_, .events = POLLIN, .revents = 0};
  while (true) {
    const bool ended = has_ended(pid_);
    if (::poll(&polled, 1, ended ? 0 : kMilliseconds) > 0) {
      return true;
    }
    if (ended) {
      return false;
    }
  }
}

Result<std::string> AdapterProcess::read_line() {
  std::array<char, 1 << 16> bytes{};
  while (true) {
    if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    if (received_.size() > kLongestLine) {
      return died("answered with a line without end");
    }
    const ssize_t got = wait_for_output() ? ::read(from_adapter_, bytes.data(), bytes.size()) : 0;
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return died("ended instead of answering");
    }
    received_.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

// What is there without waiting, before a request or behind an answer, belongs to no request.
Status AdapterProcess::check_nothing_unread() {
  pollfd polled{.fd = from_adapter_, .events = POLLIN, .revents = 0};
  if (received_.empty() && ::poll(&polled, 1, 0) > 0) {
    std::array<char, 1 << 12> bytes{};
    const ssize_t got = ::read(from_adapter_, bytes.data(), bytes.size());
    if (got <= 0) {
      return died("ended between two requests");
    }
    received_.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return received_.empty()
             ? Status()
             : died(fmt::format("printed on stdout what is no answer to a request: '{}'", spec::shortened(received_)));
}

Status AdapterProcess::check_id(const Json& answer) {
  const auto id = answer.find("id");
  if (asked_ == 1) {
    answers_have_id_ = id != answer.end();
  }
  if (id != answer.end() ? *id == asked_ : !answers_have_id_) {
    return {};
  }
  return died(fmt::format("answered request {} with {}", asked_,
                          id == answer.end() ? std::string("no \"id\", which its first answer had")
                                             : fmt::format("the \"id\" {}", spec::shortened(id->dump()))));
}

Result<Json> AdapterProcess::ask(const Json& request) {
  ASSAY_TRY(check_nothing_unread());
  Json numbered = request;
  numbered["id"] = ++asked_;
  const std::string line = numbered.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t wrote = ::write(to_adapter_, line.data() + sent, line.size() - sent);
    if (wrote < 0 && errno != EINTR) {
      return died("took no request");
    }
    sent += wrote < 0 ? 0 : static_cast<std::size_t>(wrote);
  }
  ASSAY_ASSIGN(const std::string text, read_line());
  Json answer = reports::parse_json(text);
  if (!answer.is_object() || !answer.contains("ok") || !answer["ok"].is_boolean()) {
    return died(fmt::format("answered with '{}', which is not a JSON object with \"ok\"", spec::shortened(text)));
  }
  ASSAY_TRY(check_id(answer));
  ASSAY_TRY(check_nothing_unread());
  if (!answer["ok"].get<bool>()) {
    const bool said = answer.contains("error") && answer["error"].is_string();
    return invalid_argument(fmt::format(
        "runtime '{}': {}", name_,
        said ? spec::shortened(answer["error"].get<std::string>(), kLongestError) : "refused without a reason"));
  }
  return answer;
}

}  // namespace assay::run
