// SPDX-License-Identifier: Apache-2.0
// Point-to-point events: posting, completion, probes, persistent requests.
#include "rank_builder.h"

namespace vef::merge {

using formats::kAnySource;
using formats::kProcNull;

Result<RankBuilder::Pending> RankBuilder::post_send(const Context& context, const Event& event) {
  Pending pending;
  if (event.peer == kProcNull) return pending;
  Send send;
  send.comm = find_comm(event.comm, context);
  if (send.comm == kNoIndex) return pending;
  if (!translate(send.comm, event.peer, send.peer)) {
    return error(context,
                 "destination " + std::to_string(event.peer) + "; expected a rank of the communicator");
  }
  send.bytes = event.bytes;
  send.event = context.number;
  send.sequence = static_cast<std::uint32_t>(event.sequence);
  send.tag = event.tag;
  send.call = event.call;
  pending = {PendingKind::kSend, static_cast<std::uint32_t>(data_.sends.size())};
  data_.sends.push_back(send);
  return pending;
}

Result<RankBuilder::Pending> RankBuilder::post_receive(const Context& context, const Event& event,
                                                       std::int32_t peer, std::int32_t tag,
                                                       std::uint64_t bytes) {
  Pending pending;
  if (peer == kProcNull) return pending;
  Receive receive;
  receive.comm = find_comm(event.comm, context);
  if (receive.comm == kNoIndex) return pending;
  receive.source = kAnySource;
  if (peer != kAnySource && !translate(receive.comm, peer, receive.source)) {
    return error(context, "source " + std::to_string(peer) + "; expected a rank of the communicator");
  }
  receive.bytes = bytes;
  receive.event = context.number;
  receive.sequence = static_cast<std::uint32_t>(event.sequence);
  receive.tag = tag;
  receive.call = event.call;
  pending = {PendingKind::kReceive, static_cast<std::uint32_t>(data_.receives.size())};
  data_.receives.push_back(receive);
  return pending;
}

/// Takes over what the status said.
Status RankBuilder::resolve(const Context& context, Receive& receive, const formats::Completion& completion) {
  if (completion.source >= 0) {
    std::int32_t source = 0;
    if (!translate(receive.comm, completion.source, source)) {
      return error(context, "a message from " + std::to_string(completion.source) +
                                "; expected a rank of the communicator");
    }
    receive.source = source;
    receive.tag = completion.tag;
    receive.bytes = completion.bytes;
  }
  receive.state = ReceiveState::kCompleted;
  return {};
}

Status RankBuilder::on_send(const Context& context, const Event& event) {
  auto pending = post_send(context, event);
  if (!pending.ok()) return pending.error();
  if (event.kind == formats::EventKind::kIsend) {
    // A send and a receive that share a request (MPI_Isendrecv): what matters at completion is the receive.
    Pending& entry = requests_[event.request];
    if (entry.kind != PendingKind::kReceive) entry = *pending;
  }
  if (pending->kind == PendingKind::kSend) push_op(context, OpKind::kSend, pending->index, 1);
  return {};
}

Status RankBuilder::on_receive(const Context& context, const Event& event) {
  auto pending = post_receive(context, event, event.peer, event.tag, event.bytes);
  if (!pending.ok()) return pending.error();
  if (event.kind == formats::EventKind::kIrecv) {
    requests_[event.request] = *pending;
    return {};
  }
  if (pending->kind != PendingKind::kReceive) return {};
  return complete_now(context, event, pending->index, "a receive");
}

/// The call that posted the receive also completed it: its status is event.completions[0].
Status RankBuilder::complete_now(const Context& context, const Event& event, std::uint32_t receive,
                                 const char* what) {
  if (event.completions.empty()) {
    return error(context, std::string(what) + " without its status; expected one");
  }
  if (auto status = resolve(context, data_.receives[receive], event.completions[0]); !status.ok()) {
    return status;
  }
  push_receive(context, receive);
  return {};
}

void RankBuilder::push_receive(const Context& context, std::uint32_t receive) {
  const auto first = static_cast<std::uint32_t>(data_.things.size());
  data_.things.push_back(receive);
  push_complete(context, first);
}

Status RankBuilder::on_sendrecv(const Context& context, const Event& event) {
  auto sent = post_send(context, event);
  if (!sent.ok()) return sent.error();
  auto received = post_receive(context, event, event.recv_peer, event.recv_tag, event.recv_bytes);
  if (!received.ok()) return received.error();
  const bool sends = sent->kind == PendingKind::kSend;
  const bool receives = received->kind == PendingKind::kReceive;
  if (sends) {
    // The send takes no time of its own where a receive follows: the call's duration belongs to the receive.
    Context sending = context;
    if (receives) sending.end = context.start;
    push_op(sending, OpKind::kSend, sent->index, 1);
  }
  if (!receives) return {};
  return complete_now(context, event, received->index, "a receive");
}

void RankBuilder::make_persistent(const Context& context, const Event& event) {
  using formats::EventKind;
  Persistent persistent;
  persistent.event = event;
  persistent.event.completions = {};
  persistent.event.requests = persistent.event.sizes = {};
  persistent.event.members = persistent.event.remote_members = {};
  persistent.event.in_neighbours = persistent.event.out_neighbours = {};
  persistent.event.text = {};
  if (event.kind == EventKind::kCollectiveInit) {
    // After a hole nobody knows the how-manieth it is.
    if (data_.hole.any || !make_part(context, event, persistent.part)) return;
    persistent.part.comm = add_order(persistent.part.comm, event.call, kCommPersistent);
  }
  if (event.kind == EventKind::kPsendInit || event.kind == EventKind::kPrecvInit) {
    const bool is_send = event.kind == EventKind::kPsendInit;
    persistent.channel = ++channels_[{is_send, event.comm, event.peer, event.tag}];
  }
  persistent_[event.request] = persistent;
}

/// Begins a round of a persistent request. A partitioned send is posted when it is ready.
Result<RankBuilder::Pending> RankBuilder::start_one(const Context& context, Persistent& persistent,
                                                    std::uint64_t sequence) {
  Event posted = persistent.event;
  posted.sequence = persistent.channel != 0 ? persistent.channel : sequence;
  persistent.ready_bytes = 0;
  persistent.sent = false;
  switch (posted.kind) {
    case formats::EventKind::kSendInit:
      return post_send(context, posted);
    case formats::EventKind::kPsendInit:
      return Pending{};
    case formats::EventKind::kCollectiveInit: {
      Part part = persistent.part;
      part.sequence = static_cast<std::uint32_t>(sequence);
      const auto index = static_cast<std::uint32_t>(data_.parts.size());
      push_part(context, part, 0, false);
      return Pending{PendingKind::kPart, index};
    }
    default:
      break;
  }
  auto pending = post_receive(context, posted, posted.peer, posted.tag, posted.bytes);
  if (pending.ok() && persistent.channel != 0 && pending->kind == PendingKind::kReceive) {
    data_.receives[pending->index].kind = ReceiveKind::kPartitioned;
  }
  return pending;
}

Status RankBuilder::on_start(const Context& context, const Event& event) {
  std::vector<std::uint32_t> sends;
  for (const std::uint64_t request : event.requests) {
    const auto found = persistent_.find(request);
    if (found == persistent_.end()) {
      if (data_.hole.any) {
        ++lost_requests_;
        continue;
      }
      note(context, "persistent request " + std::to_string(request) +
                        " is started, but nothing that was read makes it");
      continue;
    }
    auto pending = start_one(context, found->second, event.sequence);
    if (!pending.ok()) return pending.error();
    found->second.active = *pending;
    if (pending->kind == PendingKind::kSend) sends.push_back(pending->index);
  }
  for (std::size_t i = 0; i < sends.size(); ++i) {
    Context sending = context;
    if (i + 1 < sends.size()) sending.end = context.start;
    push_op(sending, OpKind::kSend, sends[i], 1);
  }
  return {};
}

/// The message leaves with the partitions that complete it.
Status RankBuilder::on_pready(const Context& context, const Event& event) {
  const auto found = persistent_.find(event.request);
  if (found == persistent_.end()) {
    if (data_.hole.any) {
      ++lost_requests_;
    } else {
      note(context, "partitions of request " + std::to_string(event.request) +
                        " are ready, but nothing that was read makes it");
    }
    return {};
  }
  Persistent& persistent = found->second;
  persistent.ready_bytes += event.bytes;
  if (persistent.sent || persistent.ready_bytes < persistent.event.bytes) return {};
  persistent.sent = true;
  Event posted = persistent.event;
  posted.sequence = persistent.channel;
  const auto pending = post_send(context, posted);
  if (!pending.ok()) return pending.error();
  if (pending->kind != PendingKind::kSend) return {};
  data_.sends[pending->index].flags |= Send::kPartitioned;
  push_op(context, OpKind::kSend, pending->index, 1);
  return {};
}

Status RankBuilder::on_complete(const Context& context, const Event& event) {
  const auto first = static_cast<std::uint32_t>(data_.things.size());
  for (const formats::Completion& completion : event.completions) {
    if (auto status = complete_one(context, completion); !status.ok()) return status;
  }
  push_complete(context, first);
  return {};
}

Status RankBuilder::complete_one(const Context& context, const formats::Completion& completion) {
  Pending pending;
  if (!requests_.take(completion.request, pending)) {
    const auto started = persistent_.find(completion.request);
    if (started == persistent_.end()) {
      if (data_.hole.any) {
        ++lost_requests_;
      } else {
        note(context, "request " + std::to_string(completion.request) +
                          " completes, but nothing that was read posts it");
      }
      return {};
    }
    pending = std::exchange(started->second.active, Pending{});
  }
  switch (pending.kind) {
    case PendingKind::kNothing:
      break;
    case PendingKind::kSend:
      if (completion.cancelled) data_.sends[pending.index].flags |= Send::kCancelled;
      break;
    case PendingKind::kReceive: {
      Receive& receive = data_.receives[pending.index];
      if (completion.cancelled) {
        receive.state = ReceiveState::kCancelled;
        break;
      }
      if (auto status = resolve(context, receive, completion); !status.ok()) return status;
      data_.things.push_back(pending.index);
      break;
    }
    case PendingKind::kPart:
      data_.things.push_back(pending.index | kPartBit);
      break;
    case PendingKind::kAnswer:
      data_.accesses[pending.index].awaited = true;
      data_.things.push_back(pending.index | kAnswerBit);
      break;
  }
  return {};
}

Status RankBuilder::on_probe(const Context& context, const Event& event) {
  auto pending = post_receive(context, event, event.peer, event.tag, 0);
  if (!pending.ok()) return pending.error();
  if (pending->kind != PendingKind::kReceive) return {};
  if (event.completions.empty()) return error(context, "a probe without its status; expected one");
  Receive& probe = data_.receives[pending->index];
  probe.kind = ReceiveKind::kProbe;
  if (auto status = resolve(context, probe, event.completions[0]); !status.ok()) return status;
  const auto first = static_cast<std::uint32_t>(data_.things.size());
  data_.things.push_back(pending->index);
  push_complete(context, first);
  return {};
}

Status RankBuilder::on_mprobe(const Context& context, const Event& event) {
  auto pending = post_receive(context, event, event.peer, event.tag, 0);
  if (!pending.ok()) return pending.error();
  messages_[event.request] = *pending;
  if (pending->kind != PendingKind::kReceive) return {};
  // A matched probe takes the message: it is the receive, as far as matching goes.
  return complete_now(context, event, pending->index, "a probe");
}

Status RankBuilder::on_mrecv(const Context& context, const Event& event) {
  const auto found = messages_.find(event.request);
  if (found == messages_.end()) return {};  // MPI_MESSAGE_NO_PROC, or its probe was not read
  const Pending pending = found->second;
  messages_.erase(found);
  if (pending.kind == PendingKind::kReceive) push_receive(context, pending.index);
  return {};
}

Status RankBuilder::on_imrecv(const Context&, const Event& event) {
  Pending pending;
  if (const auto found = messages_.find(event.message); found != messages_.end()) {
    pending = found->second;
    messages_.erase(found);
  }
  requests_[event.request] = pending;
  return {};
}

void RankBuilder::on_request_free(const Event& event) {
  Pending pending;
  if (!requests_.take(event.request, pending)) {
    if (const auto started = persistent_.find(event.request); started != persistent_.end()) {
      pending = started->second.active;
      persistent_.erase(started);
    }
  }
  if (pending.kind != PendingKind::kReceive) return;
  // A request of a matched message has its source and tag already.
  Receive& receive = data_.receives[pending.index];
  if (receive.state == ReceiveState::kPosted) receive.state = ReceiveState::kFreed;
}

void RankBuilder::on_cancel(const Event& event) {
  Pending pending;
  if (const Pending* found = requests_.find(event.request)) {
    pending = *found;
  } else if (const auto started = persistent_.find(event.request); started != persistent_.end()) {
    pending = started->second.active;
  }
  if (pending.kind == PendingKind::kSend) data_.sends[pending.index].flags |= Send::kCancelAsked;
}

}  // namespace vef::merge
