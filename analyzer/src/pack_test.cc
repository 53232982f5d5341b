// SPDX-License-Identifier: Apache-2.0
#include "pack.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <limits>

#include "escape.h"

namespace vef::analyzer {
namespace {

std::string varint(std::uint64_t value) {
  std::string out;
  append_varint(value, out);
  return out;
}

// LEB128: 300 = 0b10'0101100.
TEST(Pack, Varints) {
  EXPECT_EQ(varint(0), std::string(1, '\0'));
  EXPECT_EQ(varint(127), "\x7f");
  EXPECT_EQ(varint(128), std::string("\x80\x01", 2));
  EXPECT_EQ(varint(300), "\xac\x02");
  EXPECT_EQ(varint(std::numeric_limits<std::uint64_t>::max()), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

// Row 0: one cell, column 1 (one skipped), 2 messages, 300 bytes. Row 1: columns 0 and 1.
TEST(Pack, MatrixRows) {
  TrafficMatrix matrix;
  matrix.tasks = matrix.side = 2;
  matrix.messages = {0, 2, 1, 3};
  matrix.bytes = {0, 300, 0, 5};
  EXPECT_EQ(pack_matrix(matrix), std::string("\x01\x01\x02\xac\x02\x02\x00\x01\x00\x00\x03\x05", 12));
}

// RFC 4648, section 10.
TEST(Pack, Base64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xff\xfe"), "///+");
}

TEST(Pack, GzipIsWhatZlibInflates) {
  std::string text;
  for (unsigned i = 0; i < 200'000; ++i) text += static_cast<char>(i * i >> 3 & 0xff);
  for (const std::string& data : {std::string(), std::string("a"), text}) {
    const Result<std::string> packed = gzip(data);
    ASSERT_TRUE(packed.ok());
    std::string out(data.size() + 1, '\0');
    z_stream stream{};
    ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed->data()));
    stream.avail_in = static_cast<uInt>(packed->size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    inflateEnd(&stream);
    EXPECT_EQ(out, data);
  }
}

TEST(Escape, Html) {
  EXPECT_EQ(escape_html("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&#39;c");
  EXPECT_EQ(escape_html("µ → 😀\tx\n"), "µ → 😀\tx\n");
  EXPECT_EQ(escape_html(std::string("\0\x01\x7f", 3)), "\uFFFD\uFFFD\uFFFD");
}

// Ill-formed: lone continuation, overlong '/', surrogate, beyond U+10FFFF, cut short.
TEST(Escape, HtmlReplacesWhatIsNotUtf8) {
  EXPECT_EQ(escape_html("\x80"), "\uFFFD");
  EXPECT_EQ(escape_html("\xC0\xAF"), "\uFFFD\uFFFD");
  EXPECT_EQ(escape_html("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(escape_html("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(escape_html("a\xE2\x82"), "a\uFFFD\uFFFD");
  EXPECT_EQ(escape_html("\xE2<script>"), "\uFFFD&lt;script&gt;");
}

TEST(Escape, ScriptLeavesNoAngleBracket) {
  EXPECT_EQ(escape_script("{\"a\":\"</script><!--\"}"), "{\"a\":\"\\u003c/script>\\u003c!--\"}");
}

}  // namespace
}  // namespace vef::analyzer
