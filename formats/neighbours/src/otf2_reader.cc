// SPDX-License-Identifier: Apache-2.0
// Reads an OTF2 archive through its library: definitions, then all events in the order of their times. A pass
// before looks at the non-blocking collectives. The library holds a buffer of the archive's chunk size for
// each location.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "byte_file.h"
#include "counted_reader.h"
#include "little_endian.h"
#include "otf2.h"
#include "otf2_archive.h"
#include "otf2_definitions.h"
#include "otf2_records.h"

namespace vef::neighbours {

namespace fs = std::filesystem;

namespace {

struct CloseReader {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};
struct DeleteCallbacks {
  void operator()(OTF2_EvtReaderCallbacks* calls) const { OTF2_EvtReaderCallbacks_Delete(calls); }
  void operator()(OTF2_GlobalEvtReaderCallbacks* calls) const { OTF2_GlobalEvtReaderCallbacks_Delete(calls); }
};

/// An open archive and its definitions.
class Otf2Archive {
 public:
  static Result<std::unique_ptr<Otf2Archive>> open(const std::string& path) {
    auto archive = std::unique_ptr<Otf2Archive>(new Otf2Archive(path));
    if (Status status = archive->read_definitions(); !status) return status.error();
    return archive;
  }

  const Otf2Definitions& definitions() const { return definitions_; }
  OTF2_Reader* reader() const { return reader_.get(); }
  Error fault(const std::string& what) const { return input_error(path_, 0, what); }
  Error fault(OTF2_ErrorCode code, const char* part) const {
    return fault(std::string("libotf2 cannot read its ") + part + ": " + otf2_message(code));
  }

 private:
  explicit Otf2Archive(std::string path) : path_(std::move(path)) {}

  Status read_definitions();
  Status check_properties() const;
  Status check_anchor() const;
  /// Local definitions turn the numbers in events into global ones, and correct the clocks.
  Status read_local_definitions();

  std::string path_;
  std::unique_ptr<OTF2_Reader, CloseReader> reader_;
  Otf2Definitions definitions_;
};

/// Of the anchor's properties the library believes the number, and would go through four thousand millions.
/// It stands behind a fixed part and three texts, in the order of bytes that the second byte tells.
Status Otf2Archive::check_properties() const {
  constexpr std::size_t kFixedBytes = 46;
  constexpr std::size_t kMostBytes = 1 << 20;
  constexpr char kLittleEndian = 'B';
  const auto file = formats::InputFile::open(path_);
  if (!file) return file.error();
  const auto bytes = (*file)->peek(std::min<std::size_t>(kMostBytes, (*file)->size()));
  if (!bytes) return bytes.error();
  std::size_t at = kFixedBytes;
  for (int texts = 0; texts < 3; ++texts) at = std::min(bytes->find('\0', at), bytes->size() - 1) + 1;
  if (bytes->size() < kFixedBytes || at + sizeof(std::uint32_t) > bytes->size())
    return fault("ends after " + std::to_string(bytes->size()) + " bytes; expected a whole anchor");
  std::string number(bytes->substr(at, sizeof(std::uint32_t)));
  if ((*bytes)[1] != kLittleEndian) std::reverse(number.begin(), number.end());
  std::size_t first = 0;
  const auto properties = take_little<std::uint32_t>(number, first);
  const std::uint64_t most = (bytes->size() - at) / 2;  // each has two texts, which end with a zero
  if (properties <= most) return {};
  return fault(std::to_string(properties) + " properties; expected at most " + std::to_string(most) +
               " in an anchor of this size");
}

/// What the anchor claims is not believed: the library would allocate and search for it.
Status Otf2Archive::check_anchor() const {
  std::uint64_t locations = 0;
  std::uint64_t event_chunk = 0;
  std::uint64_t definition_chunk = 0;
  OTF2_ErrorCode code = OTF2_Reader_GetNumberOfLocations(reader_.get(), &locations);
  if (code == OTF2_SUCCESS) code = OTF2_Reader_GetChunkSize(reader_.get(), &event_chunk, &definition_chunk);
  if (code != OTF2_SUCCESS) return fault(code, "anchor");
  constexpr std::uint64_t kMostChunk = 64 << 20;  // the library writes chunks up to 16 MiB
  if (event_chunk > kMostChunk || definition_chunk > kMostChunk)
    return fault("chunks of " + std::to_string(std::max(event_chunk, definition_chunk)) +
                 " bytes; expected at most " + std::to_string(kMostChunk));
  std::error_code failed;
  std::uint64_t files = 0;
  const fs::path anchor = path_;
  for (fs::directory_iterator entry(anchor.parent_path() / anchor.stem(), failed), end;
       !failed && entry != end; entry.increment(failed))
    files += entry->path().extension() == ".evt" ? 1 : 0;
  if (failed) return fault("its folder cannot be read: " + failed.message());
  if (locations == 0 || locations > files)
    return fault(std::to_string(locations) + " locations; expected 1 to " + std::to_string(files) +
                 ", of which there are files of events");
  return {};
}

Status Otf2Archive::read_definitions() {
  if (Status status = check_properties(); !status) return status;
  otf2_keep_messages();
  reader_.reset(OTF2_Reader_Open(path_.c_str()));
  if (reader_ == nullptr) return fault("libotf2 cannot open it: " + otf2_message(OTF2_ERROR_INVALID));
  if (Status status = check_anchor(); !status) return status;
  const OTF2_ErrorCode code = OTF2_Reader_SetSerialCollectiveCallbacks(reader_.get());
  if (code != OTF2_SUCCESS) return fault(code, "anchor");
  if (Status status = definitions_.read(reader_.get(), path_); !status) return status;
  for (const OTF2_LocationRef location : definitions_.locations()) {
    const OTF2_ErrorCode selected = OTF2_Reader_SelectLocation(reader_.get(), location);
    if (selected != OTF2_SUCCESS) return fault(selected, "locations");
  }
  if (Status status = read_local_definitions(); !status) return status;
  const OTF2_ErrorCode opened = OTF2_Reader_OpenEvtFiles(reader_.get());
  return opened == OTF2_SUCCESS ? Status() : fault(opened, "events");
}

Status Otf2Archive::read_local_definitions() {
  // An archive may do without them.
  if (OTF2_Reader_OpenDefFiles(reader_.get()) != OTF2_SUCCESS) {
    otf2_keep_messages();
    return {};
  }
  for (const OTF2_LocationRef location : definitions_.locations()) {
    OTF2_DefReader* const local = OTF2_Reader_GetDefReader(reader_.get(), location);
    if (local == nullptr) {
      otf2_keep_messages();
      continue;
    }
    std::uint64_t count = 0;
    OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions(reader_.get(), local, &count);
    if (code == OTF2_SUCCESS) code = OTF2_Reader_CloseDefReader(reader_.get(), local);
    if (code != OTF2_SUCCESS) return fault(code, "local definitions");
  }
  const OTF2_ErrorCode code = OTF2_Reader_CloseDefFiles(reader_.get());
  return code == OTF2_SUCCESS ? Status() : fault(code, "local definitions");
}

/// What non-blocking collectives are, location by location.
struct EndsPass {
  const Otf2Definitions& definitions;
  Otf2Ends ends;

  static OTF2_CallbackCode begin(OTF2_LocationRef location, OTF2_TimeStamp, std::uint64_t, void* data,
                                 OTF2_AttributeList*, std::uint64_t request) {
    auto& self = *static_cast<EndsPass*>(data);
    self.ends.begin(self.definitions.task_of(location), request);
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode end(OTF2_LocationRef location, OTF2_TimeStamp, std::uint64_t, void* data,
                               OTF2_AttributeList*, OTF2_CollectiveOp op, OTF2_CommRef comm,
                               std::uint32_t root, std::uint64_t sent, std::uint64_t received,
                               std::uint64_t request) {
    auto& self = *static_cast<EndsPass*>(data);
    self.ends.end(self.definitions.task_of(location), request, {op, comm, root, sent, received});
    return OTF2_CALLBACK_SUCCESS;
  }

  Status run(const Otf2Archive& archive) {
    const std::unique_ptr<OTF2_EvtReaderCallbacks, DeleteCallbacks> calls(OTF2_EvtReaderCallbacks_New());
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(calls.get(), begin);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(calls.get(), end);
    for (const OTF2_LocationRef location : definitions.locations()) {
      OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(archive.reader(), location);
      if (events == nullptr) return archive.fault(OTF2_ERROR_INVALID, "events");
      std::uint64_t count = 0;
      OTF2_ErrorCode code = OTF2_Reader_RegisterEvtCallbacks(archive.reader(), events, calls.get(), this);
      if (code == OTF2_SUCCESS) code = OTF2_Reader_ReadAllLocalEvents(archive.reader(), events, &count);
      if (code == OTF2_SUCCESS) code = OTF2_Reader_CloseEvtReader(archive.reader(), events);
      if (code != OTF2_SUCCESS) return archive.fault(code, "events");
    }
    return {};
  }
};

class Otf2Source final : public RecordSource {
 public:
  Otf2Source(std::unique_ptr<Otf2Archive> archive, Otf2Ends ends, Losses& losses)
      : archive_(std::move(archive)), records_(archive_->definitions(), std::move(ends), losses) {}

  Status start();

  Result<bool> next(formats::Record& record) override {
    while (records_.builder().ready().empty()) {
      if (is_done_) return false;
      if (Status status = read_some(); !status) return status.error();
    }
    record = records_.builder().ready().front().record;
    records_.builder().ready().pop_front();
    return true;
  }

  std::uint64_t line() const override { return 0; }
  formats::Communicators communicators() const override { return archive_->definitions().communicators(); }
  std::uint64_t bytes_read() const override { return events_; }
  std::uint64_t bytes_total() const override { return archive_->definitions().events(); }

 private:
  static Otf2Source& at(void* data) { return *static_cast<Otf2Source*>(data); }
  OTF2_CallbackCode keep(Status status) {
    if (!status && status_) status_ = std::move(status);
    return status_ ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
  }
  void set_calls(OTF2_GlobalEvtReaderCallbacks* calls);
  Status read_some();

  std::unique_ptr<Otf2Archive> archive_;
  Otf2Records records_;
  OTF2_GlobalEvtReader* reader_ = nullptr;  // the archive's
  std::uint64_t events_ = 0;
  bool is_done_ = false;
  Status status_;
};

void Otf2Source::set_calls(OTF2_GlobalEvtReaderCallbacks* calls) {
  using Location = OTF2_LocationRef;
  using Attributes = OTF2_AttributeList*;
  OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(
      calls, [](Location location, OTF2_TimeStamp time, void* data, Attributes, OTF2_RegionRef region) {
        return at(data).keep(at(data).records_.enter(location, time, region));
      });
  OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(
      calls, [](Location location, OTF2_TimeStamp time, void* data, Attributes, OTF2_RegionRef region) {
        return at(data).keep(at(data).records_.leave(location, time, region));
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(
      calls, [](Location location, OTF2_TimeStamp, void* data, Attributes, std::uint32_t receiver,
                OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
        return at(data).keep(at(data).records_.send(location, comm, receiver, tag, bytes));
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(
      calls, [](Location location, OTF2_TimeStamp, void* data, Attributes, std::uint32_t receiver,
                OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes, std::uint64_t) {
        return at(data).keep(at(data).records_.send(location, comm, receiver, tag, bytes));
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvRequestCallback(
      calls, [](Location location, OTF2_TimeStamp, void* data, Attributes, std::uint64_t request) {
        return at(data).keep(at(data).records_.post_receive(location, request));
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(
      calls, [](Location location, OTF2_TimeStamp, void* data, Attributes, std::uint32_t sender,
                OTF2_CommRef comm, std::uint32_t tag, std::uint64_t, std::uint64_t request) {
        return at(data).keep(at(data).records_.receive(location, comm, sender, tag, request));
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(
      calls, [](Location location, OTF2_TimeStamp, void* data, Attributes, std::uint32_t sender,
                OTF2_CommRef comm, std::uint32_t tag, std::uint64_t) {
        return at(data).keep(at(data).records_.receive(location, comm, sender, tag, {}));
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiRequestCancelledCallback(
      calls, [](Location location, OTF2_TimeStamp, void* data, Attributes, std::uint64_t request) {
        return at(data).keep(at(data).records_.cancel(location, request));
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(
      calls, [](Location location, OTF2_TimeStamp, void* data, Attributes, OTF2_CollectiveOp op,
                OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
        return at(data).keep(at(data).records_.collective(location, {op, comm, root, sent, received}));
      });
  OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
      calls, [](Location location, OTF2_TimeStamp, void* data, Attributes, std::uint64_t request) {
        return at(data).keep(at(data).records_.begin_collective(location, request));
      });
  OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
      calls, [](Location location, OTF2_TimeStamp, void* data, Attributes, OTF2_CollectiveOp, OTF2_CommRef,
                std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t request) {
        return at(data).keep(at(data).records_.end_collective(location, request));
      });
  const auto one_sided = [](Location, OTF2_TimeStamp, void* data, Attributes, OTF2_RmaWinRef, std::uint32_t,
                            std::uint64_t, std::uint64_t) {
    at(data).records_.one_sided();
    return at(data).keep({});
  };
  OTF2_GlobalEvtReaderCallbacks_SetRmaPutCallback(calls, one_sided);
  OTF2_GlobalEvtReaderCallbacks_SetRmaGetCallback(calls, one_sided);
}

Status Otf2Source::start() {
  for (const OTF2_LocationRef location : archive_->definitions().locations()) {
    if (OTF2_Reader_GetEvtReader(archive_->reader(), location) == nullptr)
      return archive_->fault(OTF2_ERROR_INVALID, "events");
  }
  reader_ = OTF2_Reader_GetGlobalEvtReader(archive_->reader());
  if (reader_ == nullptr) return archive_->fault(OTF2_ERROR_INVALID, "events");
  const std::unique_ptr<OTF2_GlobalEvtReaderCallbacks, DeleteCallbacks> calls(
      OTF2_GlobalEvtReaderCallbacks_New());
  set_calls(calls.get());
  const OTF2_ErrorCode code =
      OTF2_Reader_RegisterGlobalEvtCallbacks(archive_->reader(), reader_, calls.get(), this);
  return code == OTF2_SUCCESS ? Status() : archive_->fault(code, "events");
}

Status Otf2Source::read_some() {
  constexpr std::uint64_t kEvents = 1024;
  otf2_keep_messages();
  std::uint64_t read = 0;
  const OTF2_ErrorCode code = OTF2_Reader_ReadGlobalEvents(archive_->reader(), reader_, kEvents, &read);
  events_ += read;
  if (!status_) return archive_->fault(status_.error().message);
  if (code != OTF2_SUCCESS) return archive_->fault(code, "events");
  if (read == kEvents) return {};
  is_done_ = true;
  if (events_ < archive_->definitions().events())
    return archive_->fault(std::to_string(events_) + " events; expected the " +
                           std::to_string(archive_->definitions().events()) + " of its locations");
  const Status status = records_.finish();
  return status ? Status() : archive_->fault(status.error().message);
}

}  // namespace

Result<std::unique_ptr<RecordSource>> open_otf2(const std::string& path, Losses& losses) {
  Otf2Ends ends;
  {
    auto archive = Otf2Archive::open(path);
    if (!archive) return archive.error();
    EndsPass pass{(*archive)->definitions(), {}};
    if (Status status = pass.run(**archive); !status) return status.error();
    ends = std::move(pass.ends);
  }
  auto archive = Otf2Archive::open(path);
  if (!archive) return archive.error();
  auto source = std::make_unique<Otf2Source>(std::move(*archive), std::move(ends), losses);
  if (Status status = source->start(); !status) return status.error();
  return std::unique_ptr<RecordSource>(std::move(source));
}

}  // namespace vef::neighbours
