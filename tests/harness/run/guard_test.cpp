// SPDX-License-Identifier: Apache-2.0
// Nothing that a variant starts outlives it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "harness/run/process.h"

namespace assay::run {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A process that is there and not only waits to be reaped.
bool alive(pid_t pid) {
  if (::kill(pid, 0) != 0) {
    return false;
  }
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  char text[512] = {};
  if (std::FILE* file = std::fopen(path.c_str(), "r")) {
    [[maybe_unused]] const std::size_t got = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
  }
  const std::string stat = text;
  const std::size_t mark = stat.rfind(')');
  return mark != std::string::npos && stat[mark + 2] != 'Z';
}

bool gone_within(pid_t pid, milliseconds patience) {
  for (const auto start = steady_clock::now(); steady_clock::now() - start < patience;) {
    if (!alive(pid)) {
      return true;
    }
    std::this_thread::sleep_for(milliseconds(2));
  }
  return !alive(pid);
}

// A process that sleeps, in a session of its own, whose parent is gone. Gives its id.
pid_t start_stray() {
  int ends[2] = {};
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    ::setsid();
    const pid_t stray = ::fork();
    if (stray == 0) {
      ::setsid();
      while (true) {
        ::pause();
      }
    }
    [[maybe_unused]] const ssize_t ignored = ::write(ends[1], &stray, sizeof stray);
    ::_exit(0);
  }
  pid_t stray = -1;
  EXPECT_EQ(::read(ends[0], &stray, sizeof stray), static_cast<ssize_t>(sizeof stray));
  ::close(ends[0]);
  ::close(ends[1]);
  ::waitpid(parent, nullptr, 0);
  return stray;
}

// {"do": "stray"} leaves a stray behind, "hang" and "crash" do so after having answered nothing.
Json serve(const Json& request) {
  const std::string what = request.at("do");
  if (what == "pids") {
    return {{"worker", ::getpid()}, {"guard", ::getppid()}};
  }
  if (what == "stray") {
    return {{"stray", start_stray()}};
  }
  if (what == "crash") {
    ::signal(SIGSEGV, SIG_DFL);  // no sanitizer's handler
    ::raise(SIGSEGV);
  }
  return Json::object();
}

Json ask(Process& process, const std::string& what) {
  EXPECT_TRUE(process.send({{"do", what}}));
  for (int i = 0; i < 5000; ++i) {
    const bool alive = process.pump();
    if (const auto answer = process.next_answer()) {
      return *answer;
    }
    if (!alive) {
      break;
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
  return Json::object();
}

TEST(Guard, StoppingEndsWhatHasLeftTheSession) {
  Result<Process> process = Process::start(serve);
  ASSERT_TRUE(process.ok());
  const pid_t stray = ask(process.value(), "stray").at("stray");
  ASSERT_TRUE(alive(stray));
  const auto start = steady_clock::now();
  EXPECT_EQ(process.value().stop(), "killed by SIGKILL");
  EXPECT_LT(steady_clock::now() - start, milliseconds(1000));
  EXPECT_TRUE(gone_within(stray, milliseconds(0)));
}

TEST(Guard, CrashEndsItToo) {
  Result<Process> process = Process::start(serve);
  ASSERT_TRUE(process.ok());
  const pid_t stray = ask(process.value(), "stray").at("stray");
  ASSERT_TRUE(process.value().send({{"do", "crash"}}));
  EXPECT_TRUE(gone_within(stray, milliseconds(5000)));
  EXPECT_EQ(process.value().stop(), "killed by SIGSEGV");
}

// Whoever kills the guard, in the way of kill -9, leaves nothing behind either.
TEST(Guard, MayBeKilledItself) {
  Result<Process> process = Process::start(serve);
  ASSERT_TRUE(process.ok());
  const Json pids = ask(process.value(), "pids");
  const pid_t stray = ask(process.value(), "stray").at("stray");
  ::kill(pids.at("guard").get<pid_t>(), SIGKILL);
  EXPECT_TRUE(gone_within(pids.at("worker").get<pid_t>(), milliseconds(5000)));
  EXPECT_EQ(process.value().stop(), "killed by SIGKILL");
  EXPECT_TRUE(gone_within(stray, milliseconds(2000)));
}

TEST(Guard, StoppedOneDoesNotHoldTheCoordinatorUp) {
  Result<Process> process = Process::start(serve);
  ASSERT_TRUE(process.ok());
  const Json pids = ask(process.value(), "pids");
  ::kill(pids.at("guard").get<pid_t>(), SIGSTOP);
  process.value().stop();
  EXPECT_TRUE(gone_within(pids.at("worker").get<pid_t>(), milliseconds(2000)));
}

pid_t parent_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat((std::istreambuf_iterator<char>(file)), {});
  char state = 0;
  pid_t parent = 0;
  std::istringstream(stat.substr(stat.rfind(')') + 1)) >> state >> parent;
  return parent;
}

// A coordinator that is killed leaves no worker, no guard and no stray, and neither does one of the guards with it.
void kill_together(const char* also) {
  SCOPED_TRACE(also);
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t coordinator = ::fork();
  if (coordinator == 0) {
    Result<Process> process = Process::start(serve);
    const Json pids = ask(process.value(), "pids");
    const pid_t all[3] = {pids.at("worker").get<pid_t>(), pids.at("guard").get<pid_t>(),
                          ask(process.value(), "stray").at("stray").get<pid_t>()};
    [[maybe_unused]] const ssize_t ignored = ::write(ends[1], all, sizeof all);
    while (true) {
      ::pause();
    }
  }
  pid_t all[4] = {};
  ASSERT_EQ(::read(ends[0], all, 3 * sizeof *all), static_cast<ssize_t>(3 * sizeof *all));
  all[3] = parent_of(all[1]);
  ASSERT_EQ(parent_of(all[3]), coordinator);
  // Stopped first, so that the one is killed before it can see the other's end.
  ::kill(coordinator, SIGSTOP);
  if (also == std::string("the inner guard")) {
    ::kill(all[1], SIGKILL);
  } else if (also == std::string("the outer guard")) {
    ::kill(all[3], SIGKILL);
  }
  ::kill(coordinator, SIGKILL);
  ::waitpid(coordinator, nullptr, 0);
  for (const pid_t pid : all) {
    EXPECT_TRUE(gone_within(pid, milliseconds(5000))) << pid;
  }
}

TEST(Guard, KilledCoordinatorLeavesNothing) {
  for (const char* also : {"nobody else", "the inner guard", "the outer guard"}) {
    kill_together(also);
  }
}

TEST(Guard, TheOuterOneMayBeKilledToo) {
  Result<Process> process = Process::start(serve);
  ASSERT_TRUE(process.ok());
  const Json pids = ask(process.value(), "pids");
  const pid_t stray = ask(process.value(), "stray").at("stray");
  const pid_t outer = parent_of(pids.at("guard").get<pid_t>());
  ASSERT_EQ(parent_of(outer), ::getpid());
  ::kill(outer, SIGKILL);
  EXPECT_TRUE(gone_within(pids.at("worker").get<pid_t>(), milliseconds(5000)));
  EXPECT_TRUE(gone_within(stray, milliseconds(5000)));
  EXPECT_EQ(process.value().stop(), "killed by SIGKILL");
}

}  // namespace
}  // namespace assay::run
