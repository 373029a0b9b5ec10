/*
 * A receiver of Stats Hero lines in C, the limit that the hub is measured against: recv of 256 KiB or
 * recvmmsg of up to 256 datagrams, one walk over the bytes, a hash table of names with their sums.
 * No types, no limits, no errors: every line is key:digits|m, every packet has its header.
 *
 *   text-receiver      prints its port, both transports; then, for each line it reads, its sum
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 18, REST_BYTES = 1 << 16, SLOTS = 1 << 20, CONNECTIONS = 8 };
enum { MESSAGES = 256, DATAGRAM_BYTES = 2048 };

struct entry {
  uint64_t sum;
  uint32_t hash, length;
  char key[];
};

static struct entry *table[SLOTS];
static uint64_t total;

static void count(const char *key, uint32_t length, uint32_t hash, uint64_t value) {
  uint32_t slot = hash & (SLOTS - 1);
  for (; table[slot]; slot = (slot + 1) & (SLOTS - 1)) {
    struct entry *e = table[slot];
    if (e->hash == hash && e->length == length && !memcmp(e->key, key, length)) {
      e->sum += value;
      return;
    }
  }
  struct entry *e = malloc(sizeof *e + length);
  e->sum = value, e->hash = hash, e->length = length;
  memcpy(e->key, key, length);
  table[slot] = e;
}

/* Lines and packet headers up to the last LF. Returns where the rest begins. */
static const char *lines(const char *p, const char *end) {
  while (p < end) {
    const char *start = p;
    uint32_t hash = 2166136261u;
    while (p < end && *p != ':' && *p != '|' && *p != '\n') {
      hash = (hash ^ (uint8_t)*p++) * 16777619u;
    }
    if (p == end) return start;
    const char *key_end = p;
    uint64_t value = 0;
    for (p++; p < end && (unsigned)(*p - '0') < 10; p++) value = value * 10 + (*p - '0');
    while (p < end && *p != '\n') p++;
    if (p == end) return start;
    p++;
    /* 1|length is a header */
    if (*key_end == ':') count(start, key_end - start, hash ^ hash >> 15, value);
  }
  return p;
}

struct connection {
  int fd;
  size_t rest;
  char bytes[REST_BYTES + READ_BYTES];
};

static struct connection connections[CONNECTIONS];

/* Returns 0 at the end of the connection. */
static int take(struct connection *c) {
  ssize_t got = recv(c->fd, c->bytes + c->rest, READ_BYTES, MSG_DONTWAIT);
  if (got == 0) return 0;
  if (got < 0) return 1;
  const char *end = c->bytes + c->rest + got, *at = lines(c->bytes, end);
  c->rest = end - at;
  if (c->rest > REST_BYTES) abort();
  memmove(c->bytes, at, c->rest);
  return 1;
}

static struct mmsghdr messages[MESSAGES];
static char datagrams[MESSAGES][DATAGRAM_BYTES];

static void take_datagrams(int udp) {
  int got = recvmmsg(udp, messages, MESSAGES, MSG_DONTWAIT, 0);
  for (int i = 0; i < got; i++) lines(datagrams[i], datagrams[i] + messages[i].msg_len);
}

int main(void) {
  int tcp = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0);
  int buffer = 4 << 20;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  struct iovec places[MESSAGES];
  setsockopt(udp, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
  if (bind(tcp, (void *)&address, size) || listen(tcp, 8)) return 1;
  getsockname(tcp, (void *)&address, &size);
  if (bind(udp, (void *)&address, size)) return 1;
  for (int i = 0; i < MESSAGES; i++) {
    places[i] = (struct iovec){datagrams[i], DATAGRAM_BYTES};
    messages[i].msg_hdr.msg_iov = &places[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  struct pollfd fds[3 + CONNECTIONS] = {{0, POLLIN, 0}, {udp, POLLIN, 0}, {tcp, POLLIN, 0}};
  for (int i = 0; i < CONNECTIONS; i++) fds[3 + i] = (struct pollfd){-1, POLLIN, 0};
  for (;;) {
    poll(fds, 3 + CONNECTIONS, -1);
    if (fds[1].revents) take_datagrams(udp);
    for (int i = 0; i < CONNECTIONS; i++) {
      if (fds[3 + i].fd < 0 || !fds[3 + i].revents || take(&connections[i])) continue;
      close(fds[3 + i].fd);
      fds[3 + i].fd = -1;
    }
    if (fds[2].revents) {
      int i = 0;
      while (i < CONNECTIONS && fds[3 + i].fd >= 0) i++;
      if (i == CONNECTIONS) return 1;
      fds[3 + i].fd = connections[i].fd = accept(tcp, 0, 0);
      connections[i].rest = 0;
    }
    if (fds[0].revents) {
      char line[16];
      if (read(0, line, sizeof line) <= 0) return 0;
      total = 0;
      for (int i = 0; i < SLOTS; i++) if (table[i]) total += table[i]->sum;
      printf("%llu\n", (unsigned long long)total);
      fflush(stdout);
    }
  }
}
