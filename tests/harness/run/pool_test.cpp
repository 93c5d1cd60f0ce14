// SPDX-License-Identifier: Apache-2.0
#include "harness/run/pool.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <new>
#include <set>
#include <thread>

#include "harness/run/job_queue.h"

namespace assay::run {
namespace {

std::vector<PoolJob> jobs_of(const std::vector<std::string>& groups) {
  std::vector<PoolJob> jobs;
  for (const std::string& group : groups) {
    jobs.push_back({.case_key = static_cast<std::uint32_t>(group[0]),
                    .group_key = static_cast<std::uint32_t>(group[0] * 256 + group[1])});
  }
  return jobs;
}

std::map<std::size_t, JobReport> run_all(std::size_t count, int workers, double timeout_s, const Handler& handler) {
  std::map<std::size_t, JobReport> reports;
  PoolOptions options;
  options.workers = workers;
  options.timeout_s = timeout_s;
  options.handler = handler;
  options.on_report = [&](const JobReport& report) {
    EXPECT_TRUE(reports.emplace(report.job, report).second) << "job " << report.job << " reported twice";
  };
  options.interrupted = [] { return false; };
  const Status status = run_jobs(std::vector<PoolJob>(count, PoolJob{}), options);
  EXPECT_TRUE(status.ok());
  return reports;
}

std::size_t job_of(const Json& request) { return request.at("job").get<std::size_t>(); }

// What comes after a first answer has the time of a job again, and cannot take the answer back.
TEST(Pool, AFirstAnswerStands) {
  std::size_t job = 0;
  const auto reports = run_all(6, 2, 0.5, [&job](const Json& request) -> Json {
    if (!request.contains(kMore)) {
      job = job_of(request);
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      return {{kMore, {{"first", job}}}};
    }
    if (job % 3 == 1) {
      std::abort();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(job % 3 == 2 ? 60000 : 300));
    return {{"whole", job}};
  });
  ASSERT_EQ(reports.size(), 6U);
  for (const auto& [i, report] : reports) {
    EXPECT_EQ(report.first, (Json{{"first", i}}));
    EXPECT_EQ(report.end, i % 3 == 0 ? JobEnd::kAnswered : i % 3 == 1 ? JobEnd::kCrashed : JobEnd::kTimedOut);
    if (i % 3 == 0) {
      EXPECT_EQ(report.answer, (Json{{"whole", i}}));
    }
    EXPECT_GE(report.seconds, 0.3);
  }
}

TEST(Pool, EveryJobIsAnsweredOnceWhateverTheNumberOfWorkers) {
  for (const int workers : {1, 2, 5, 40}) {
    const auto reports = run_all(20, workers, 30, [](const Json& request) -> Json {
      return {{"square", job_of(request) * job_of(request)}, {"pid", ::getpid()}};
    });
    ASSERT_EQ(reports.size(), 20U);
    std::set<int> pids;
    for (const auto& [job, report] : reports) {
      EXPECT_EQ(report.end, JobEnd::kAnswered);
      EXPECT_EQ(report.answer.at("square"), job * job);
      pids.insert(report.answer.at("pid").get<int>());
    }
    EXPECT_LE(pids.size(), static_cast<std::size_t>(workers));
    EXPECT_FALSE(pids.contains(::getpid()));
  }
}

TEST(Pool, CrashCostsItsOwnJobOnly) {
  const auto reports = run_all(9, 2, 30, [](const Json& request) -> Json {
    switch (job_of(request)) {
      case 2:
        std::abort();
      case 4:
        ::kill(::getpid(), SIGKILL);
        break;
      case 6:
        ::_exit(3);
      default:
        break;
    }
    return Json::object();
  });
  ASSERT_EQ(reports.size(), 9U);
  for (const auto& [job, report] : reports) {
    EXPECT_EQ(report.end == JobEnd::kCrashed, job == 2 || job == 4 || job == 6) << job;
  }
  EXPECT_EQ(reports.at(2).text, "killed by SIGABRT");
  EXPECT_EQ(reports.at(4).text, "killed by SIGKILL");
  EXPECT_EQ(reports.at(6).text, "exited with status 3");
}

TEST(Pool, HangIsKilledAfterTheTimeout) {
  const auto reports = run_all(4, 1, 0.3, [](const Json& request) -> Json {
    while (job_of(request) == 1) {
      ::pause();
    }
    return Json::object();
  });
  ASSERT_EQ(reports.size(), 4U);
  for (const auto& [job, report] : reports) {
    EXPECT_EQ(report.end, job == 1 ? JobEnd::kTimedOut : JobEnd::kAnswered);
  }
}

// An exception that the handler lets out ends the child, and does not unwind into the parent's code.
TEST(Pool, ExceptionEndsTheWorker) {
  const auto reports = run_all(2, 1, 30, [](const Json& request) -> Json {
    if (job_of(request) == 0) {
      throw std::bad_alloc();
    }
    return Json::object();
  });
  EXPECT_EQ(reports.at(0).text, "killed by SIGABRT");
  EXPECT_EQ(reports.at(1).end, JobEnd::kAnswered);
}

// Larger than a pipe's buffer, so that it arrives in pieces.
TEST(Pool, LargeAnswersArriveWhole) {
  const auto reports = run_all(3, 3, 30, [](const Json& request) -> Json {
    return {{"text", std::string(1'000'000, static_cast<char>('a' + job_of(request)))}};
  });
  for (const auto& [job, report] : reports) {
    EXPECT_EQ(report.answer.at("text"), std::string(1'000'000, static_cast<char>('a' + job)));
  }
}

TEST(Pool, InterruptionEndsItWithWhatThereIs) {
  std::size_t reported = 0;
  PoolOptions options;
  options.workers = 1;
  options.handler = [](const Json&) -> Json { return Json::object(); };
  options.on_report = [&](const JobReport&) { ++reported; };
  options.interrupted = [&] { return reported >= 3; };
  ASSERT_TRUE(run_jobs(std::vector<PoolJob>(10, PoolJob{}), options).ok());
  EXPECT_EQ(reported, 3U);
}

TEST(JobQueue, KeepsAWorkerAtItsGroupThenItsCase) {
  JobQueue queue(jobs_of({"a1", "a2", "a1", "b1", "a2", "b2"}));
  EXPECT_EQ(queue.take(std::nullopt), 0U);  // a1
  EXPECT_EQ(queue.take(std::nullopt), 3U);  // another worker: another case
  EXPECT_EQ(queue.take(0), 2U);             // a1 goes on
  EXPECT_EQ(queue.take(2), 1U);             // a2: the same case
  EXPECT_EQ(queue.take(3), 5U);             // b2
  EXPECT_EQ(queue.take(5), 4U);             // nothing untouched: helps with a2
  EXPECT_EQ(queue.take(1), std::nullopt);
  EXPECT_TRUE(queue.empty());
}

TEST(JobQueue, GivesEachJobOnce) {
  std::vector<PoolJob> jobs;
  for (std::uint32_t i = 0; i < 100; ++i) {
    jobs.push_back({.case_key = i % 3, .group_key = i % 21});
  }
  JobQueue queue(jobs);
  std::set<std::size_t> taken;
  std::optional<std::size_t> last;
  while (const auto job = queue.take(last)) {
    EXPECT_TRUE(taken.insert(*job).second);
    last = taken.size() % 5 == 0 ? std::nullopt : job;
  }
  EXPECT_EQ(taken.size(), 100U);
}

}  // namespace
}  // namespace assay::run
