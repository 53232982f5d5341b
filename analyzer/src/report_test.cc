// SPDX-License-Identifier: Apache-2.0
#include "vef/analyzer/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "temporary_folder.h"
#include "test_traces.h"

namespace vef::analyzer {
namespace {

using formats::CollectiveOp;
using testing::HasSubstr;
using testing::Not;

using test_support::TemporaryFolder;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

Analysis analysed(const TraceMaker& maker, const AnalysisOptions& options = {}) {
  Result<Analysis> analysis = analyze(maker.make(), "made.vef", options);
  EXPECT_TRUE(analysis.ok());
  return std::move(*analysis);
}

/// Messages 0 -> 1 of 10 bytes at 0 ns and 1 -> 2 of 3000 bytes at 5 ns; a broadcast of 8 bytes from task 1
/// at 9 ns.
TraceMaker small_trace() {
  TraceMaker maker(3);
  maker.send(0, 1, 10, 0);
  maker.send(1, 2, 3000, 5);
  maker.collective(CollectiveOp::kBroadcast, 0, {{0, 8}, {8, 0}, {0, 8}}, 9);
  return maker;
}

TEST(Report, IsOneCompletePage) {
  const Result<std::string> page = render_report(analysed(small_trace()));
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->rfind("<!DOCTYPE html>", 0), 0U);
  EXPECT_THAT(*page, Not(HasSubstr("{{")));
  EXPECT_EQ(occurrences(*page, "<script"), occurrences(*page, "</script>"));
  EXPECT_THAT(*page, Not(HasSubstr("<link")));
  EXPECT_THAT(*page, Not(HasSubstr(" src=")));
  EXPECT_THAT(*page, HasSubstr("Permission is hereby granted, free of charge"));  // uPlot's licence
  EXPECT_LT(page->size(), 300'000U);
}

TEST(Report, TablesSayTheNumbersWithoutScript) {
  const Result<std::string> page = render_report(analysed(small_trace()));
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, HasSubstr("<td>send</td><td>2</td><td>2</td><td>2.939 KiB</td><td>2</td><td>0</td>"
                               "<td>2.939 KiB</td><td>3,010</td><td>99.5 %</td>"));
  EXPECT_THAT(*page, HasSubstr("<td>1 → 2</td><td>2</td><td>2.938 KiB</td><td>3,008</td>"));
  EXPECT_THAT(*page, HasSubstr("<td>0 (world)</td><td>3</td><td>1</td><td>3</td><td>24 B</td>"));
}

TEST(Report, NothingFromATraceBecomesMarkup) {
  TraceMaker maker = small_trace();
  maker.metadata("application", "</title></script><script>alert(1)</script>\"'&{{data}}");
  maker.metadata("<b onclick=\"x\">", "<img src=x onerror=alert(1)>\xff");
  Result<Analysis> analysis = analyze(maker.make(), "dir/</script><svg onload=alert(2)>.vef");
  ASSERT_TRUE(analysis.ok());
  analysis->source = "</script><svg onload=alert(2)>\xfe";
  const Result<std::string> plain = render_report(analysed(small_trace()));
  const Result<std::string> page = render_report(*analysis);
  ASSERT_TRUE(plain.ok() && page.ok());
  // No tag more than in a page with harmless names.
  for (const char* tag : {"<script", "</script", "<svg", "<img", "<b ", "</title"}) {
    EXPECT_EQ(occurrences(*page, tag), occurrences(*plain, tag)) << tag;
  }
  EXPECT_THAT(
      *page,
      HasSubstr(
          "&lt;/title&gt;&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;{{data}}"));
  EXPECT_EQ(page->find('\xff'), std::string::npos);
}

TEST(Report, SameAnalysisSamePage) {
  const Result<std::string> first = render_report(analysed(small_trace()));
  const Result<std::string> second = render_report(analysed(small_trace()));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(*first, *second);
}

TEST(Report, AnEmptyTraceHasAPage) {
  const Result<std::string> page = render_report(analysed(TraceMaker(1)));
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, HasSubstr("No message."));
}

TEST(Report, SaysThatTasksAreSummed) {
  AnalysisOptions options;
  options.max_matrix_side = 2;
  const Result<std::string> page = render_report(analysed(small_trace(), options));
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, HasSubstr("Each cell sums 2 × 2 tasks."));
}

TEST(Report, SaysHowCollectivesAreExpanded) {
  for (const auto& [expansion, text] :
       {std::pair{tracelib::Expansion::kN, "Collectives as stars (n)."},
        std::pair{tracelib::Expansion::kLogN, "Collectives as binomial trees (log n)."},
        std::pair{tracelib::Expansion::kOpenMpi, "Collectives as in Open MPI."},
        std::pair{tracelib::Expansion::kMpich, "Collectives as in MPICH."}}) {
    AnalysisOptions options;
    options.expansion = expansion;
    const Result<std::string> page = render_report(analysed(small_trace(), options));
    ASSERT_TRUE(page.ok());
    EXPECT_THAT(*page, HasSubstr(text));
  }
}

TEST(Report, WritesTheFileWholeOrReportsWhyNot) {
  const TemporaryFolder folder;
  const Analysis analysis = analysed(small_trace());
  ASSERT_TRUE(write_report(analysis, folder.file("report.html")).ok());
  EXPECT_EQ(content(folder.file("report.html")), *render_report(analysis));
  EXPECT_EQ(folder.entries(), 1U);
  const Status failed = write_report(analysis, folder.file("absent/report.html"));
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind, ErrorKind::kSystem);
  EXPECT_THAT(failed.error().message, HasSubstr("absent/report.html"));
  ASSERT_TRUE(write_report(analysis, "/dev/null").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Data, FilesHoldTheNumbersBehindTheFigures) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_data(analysed(small_trace()), folder.file("a/b")).ok());
  const std::string data = folder.file("a/b/");
  EXPECT_THAT(content(data + "calls.csv"),
              HasSubstr("operation,calls,operations\nsend,2,2\nbroadcast,3,1\nreduce,0,0\n"));
  EXPECT_THAT(content(data + "bytes.csv"), HasSubstr("send,3010,2,3010,0\nbroadcast,24,2,16,0\n"));
  EXPECT_EQ(content(data + "matrix_messages.csv"),
            "# source \\ destination,0,1,2\n0,0,1,0\n1,1,0,2\n2,0,0,0\n");
  EXPECT_EQ(content(data + "matrix_bytes.csv"),
            "# source \\ destination,0,1,2\n0,0,10,0\n1,8,0,3008\n2,0,0,0\n");
  // 10 bytes: class 8 ... 15; 3000: 2048 ... 4095.
  EXPECT_EQ(
      content(data + "message_sizes.csv"),
      "first_bytes,last_bytes,send,broadcast,reduce,all-reduce,gather,scatter,all-gather,barrier,all-to-all,"
      "reduce-scatter,scan,exscan\n"
      "8,15,1,2,0,0,0,0,0,0,0,0,0,0\n2048,4095,1,0,0,0,0,0,0,0,0,0,0,0\n");
  EXPECT_EQ(content(data + "communicators.csv"),
            "communicator,members,operations,calls,call_bytes\n0,3,1,3,24\n");
  EXPECT_THAT(content(data + "README.txt"), HasSubstr("Static analysis of made.vef"));
}

// From 0 to 9000 ps in at most 10 intervals: 1 ns each.
TEST(Data, TimeSeriesHaveExactTimes) {
  const TemporaryFolder folder;
  AnalysisOptions options;
  options.max_intervals = 10;
  ASSERT_TRUE(write_data(analysed(small_trace(), options), folder.file("d")).ok());
  const std::string bytes = content(folder.file("d/bytes_over_time.csv"));
  EXPECT_EQ(occurrences(bytes, "\n"), 11U);
  EXPECT_THAT(bytes, HasSubstr("\n0.000000000000,0.000000001000,10,0,"));
  EXPECT_THAT(bytes, HasSubstr("\n0.000000005000,0.000000006000,3000,0,"));
  EXPECT_THAT(bytes, HasSubstr("\n0.000000009000,0.000000010000,0,16,"));
  EXPECT_THAT(content(folder.file("d/messages_over_time.csv")),
              HasSubstr("\n0.000000009000,0.000000010000,0,2,"));
}

TEST(Report, IsTitledByTheProgramWithoutItsFolders) {
  TraceMaker maker = small_trace();
  maker.metadata("application", "/opt/apps/lmp");
  const Result<std::string> page = render_report(analysed(maker));
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, HasSubstr("<title>Communication of lmp</title>"));
}

TEST(Summary, IsJsonWithTheTotals) {
  const auto json = nlohmann::json::parse(summary_json(analysed(small_trace())));
  EXPECT_EQ(json["tasks"], 3);
  EXPECT_EQ(json["calls"], 5);
  EXPECT_EQ(json["messages"], 4);
  EXPECT_EQ(json["message_bytes"], 3026);
  EXPECT_EQ(json["ideal_time_ps"], 9000);
  EXPECT_EQ(json["expansion"], "n");
  EXPECT_EQ(json["operations"]["broadcast"]["messages"], 2);
}

}  // namespace
}  // namespace vef::analyzer
