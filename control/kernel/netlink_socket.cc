// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/netlink_socket.hh"

#include <linux/netlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/startup_error.hh"
#include "control/kernel/netlink_attributes.hh"
#include "control/kernel/netlink_messages.hh"
#include "control/kernel/network_namespace.hh"

namespace rackway::control {
namespace {

constexpr std::size_t kDatagramCapacity = 65536;  // the kernel's own dumps use 32 KiB at most
constexpr int kDumpAttempts = 4;

void set_option(mnl_socket* socket, int option, int value) {
  // Each option is for clearer answers or less work; a kernel without it still answers.
  (void)mnl_socket_setsockopt(socket, option, &value, sizeof value);
}

SocketHandle open_socket(const std::string& network_namespace, int flags) {
  SocketHandle socket;
  inside_namespace(network_namespace, [&] {
    socket.reset(mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | flags));
    if (socket && mnl_socket_bind(socket.get(), 0, MNL_SOCKET_AUTOPID) == 0) return;
    const int error = errno;
    throw StartupError(std::string("can not open a netlink socket: ") + std::strerror(error),
                       network_namespace, "check limits and permissions of this program");
  });
  return socket;
}

void size_buffer(int fd, int size) {
  if (::setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) == 0) return;
  // Without CAP_NET_ADMIN up to net.core.rmem_max; the rest is what overruns are for.
  (void)::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

Bytes bytes_of(const std::vector<char>& buffer, ssize_t size) {
  return std::as_bytes(std::span(buffer.data(), static_cast<std::size_t>(size)));
}

// The text that the kernel adds to a refusal (NETLINK_EXT_ACK), with the request left out of the
// answer (NETLINK_CAP_ACK).
std::string words_of_kernel(const nlmsghdr& header, Bytes payload) {
  std::string words;
  if ((header.nlmsg_flags & NLM_F_ACK_TLVS) == 0 || (header.nlmsg_flags & NLM_F_CAPPED) == 0) {
    return words;
  }
  (void)for_each_attribute(payload.subspan(sizeof(nlmsgerr)), [&](const Attribute& attribute) {
    return attribute.type != NLMSGERR_ATTR_MSG || attribute.read(words, 256);
  });
  return words;
}

NetlinkRefusal refusal_of(int negative_errno, const std::string& words) {
  const int code = -negative_errno;
  if (code == 0) return {};
  const std::string text = std::strerror(code);
  return {code, words.empty() ? text : text + " (" + words + ")"};
}

}  // namespace

NetlinkEvents::NetlinkEvents(const std::string& network_namespace,
                             std::initializer_list<int> groups, std::uint32_t buffer)
    : socket_(open_socket(network_namespace, SOCK_NONBLOCK)), buffer_(kDatagramCapacity) {
  size_buffer(fd(), static_cast<int>(buffer));
  for (int group : groups) {
    if (mnl_socket_setsockopt(socket_.get(), NETLINK_ADD_MEMBERSHIP, &group, sizeof group) == 0) {
      continue;
    }
    throw StartupError(
        "can not listen to netlink group " + std::to_string(group) + ": " + std::strerror(errno),
        network_namespace, "use a kernel of 5.3 or newer");
  }
}

NetlinkEvents::Received NetlinkEvents::receive(std::span<const std::byte>& datagram) {
  for (;;) {
    const ssize_t size = mnl_socket_recvfrom(socket_.get(), buffer_.data(), buffer_.size());
    if (size >= 0) {
      datagram = bytes_of(buffer_, size);
      return Received::datagram;
    }
    if (errno == EINTR) continue;
    // Whatever else it is (ENOBUFS, a datagram over our buffer), something may have been lost.
    return errno == EAGAIN ? Received::nothing : Received::overrun;
  }
}

NetlinkRequests::NetlinkRequests(const std::string& network_namespace)
    : socket_(open_socket(network_namespace, 0)), buffer_(kDatagramCapacity) {
  set_option(socket_.get(), NETLINK_EXT_ACK, 1);
  set_option(socket_.get(), NETLINK_CAP_ACK, 1);
  set_option(socket_.get(), NETLINK_GET_STRICT_CHK, 1);  // dumps are filtered by the kernel
}

NetlinkReply NetlinkRequests::ask(NetlinkRequest& request, const Visit& visit) {
  Answer answer = exchange(request, NLM_F_ACK, visit);
  if (answer.refusal.code != 0) return tl::unexpected(std::move(answer.refusal));
  return {};
}

NetlinkReply NetlinkRequests::dump(NetlinkRequest& request, const Visit& visit) {
  Answer answer = exchange(request, NLM_F_DUMP, visit);
  if (answer.refusal.code != 0) return tl::unexpected(std::move(answer.refusal));
  if (answer.interrupted) {
    return tl::unexpected(NetlinkRefusal{EINTR, "changes keep interrupting the dump"});
  }
  return {};
}

NetlinkReply until_consistent(const std::function<NetlinkReply()>& body) {
  NetlinkReply reply;
  for (int attempt = 0; attempt < kDumpAttempts; ++attempt) {
    reply = body();
    if (reply || reply.error().code != EINTR) break;
  }
  return reply;
}

NetlinkRequests::Answer NetlinkRequests::exchange(NetlinkRequest& request, std::uint16_t flags,
                                                  const Visit& visit) {
  Answer answer;
  request.header()->nlmsg_flags |= flags;
  request.header()->nlmsg_seq = ++sequence_;
  if (mnl_socket_sendto(socket_.get(), request.header(), request.size()) < 0) {
    answer.refusal = refusal_of(-errno, "sending");
    return answer;
  }
  while (!answer.complete) {
    const ssize_t size = mnl_socket_recvfrom(socket_.get(), buffer_.data(), buffer_.size());
    if (size >= 0) {
      read_answer(bytes_of(buffer_, size), visit, answer);
    } else if (errno != EINTR) {
      answer.refusal = refusal_of(-errno, "receiving");
      return answer;
    }
  }
  return answer;
}

void NetlinkRequests::read_answer(std::span<const std::byte> datagram, const Visit& visit,
                                  Answer& answer) {
  const bool sound = for_each_message(datagram, [&](Bytes message) {
    const auto header = *read_struct<nlmsghdr>(message);
    // The rest of an answer that was given up, for example after a refusal in a dump.
    if (header.nlmsg_seq != sequence_ || answer.complete) return;
    if ((header.nlmsg_flags & NLM_F_DUMP_INTR) != 0) answer.interrupted = true;
    const Bytes payload = message.subspan(sizeof header);
    if (header.nlmsg_type == NLMSG_ERROR || header.nlmsg_type == NLMSG_DONE) {
      answer.complete = true;
      const int result = read_struct<int>(payload).value_or(0);
      const bool is_error = header.nlmsg_type == NLMSG_ERROR && payload.size() >= sizeof(nlmsgerr);
      answer.refusal = refusal_of(result, is_error ? words_of_kernel(header, payload) : "");
    } else if (visit) {
      visit(message);
    }
  });
  if (!sound) answer = {true, false, {EBADMSG, "the kernel's answer is cut off"}};
}

}  // namespace rackway::control
