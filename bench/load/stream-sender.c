/*
 * Sends a stream over connections as fast as its receiver takes it, which a program of Node's does
 * not always do: stream-sender PORT GREETING STREAM TIMES CONNECTIONS. Each connection gets the
 * greeting and so many streams, in turn as they have room. On Linux the stream goes out of the file's
 * pages as they are (sendfile): a copy of its own takes a sender as long as the receiver's. It ends
 * when the receiver has read everything and closed its sides; what it says is read and forgotten.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#ifdef __linux__
#include <sys/sendfile.h>
#endif
#include <unistd.h>

/* Bytes of one write: they cut the stream anywhere. */
#define WRITE_BYTES 65536

struct bytes {
  char *at;
  size_t size;
  int file;
};

struct connection {
  size_t greeted, sent;
  long times;
};

static void fail(const char *what) {
  perror(what);
  exit(1);
}

/* Reads a whole file. */
static struct bytes load(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) fail(path);
  struct bytes bytes = {.size = (size_t)ftell(file)};
  rewind(file);
  bytes.at = malloc(bytes.size + 1);
  if (bytes.at == NULL || fread(bytes.at, 1, bytes.size, file) != bytes.size) fail(path);
  bytes.file = fileno(file);
  return bytes;
}

/* Writes at most WRITE_BYTES of what is left; returns how many, 0 where there is no room. */
static size_t write_some(int fd, struct bytes from, size_t at) {
  size_t left = from.size - at, size = left < WRITE_BYTES ? left : WRITE_BYTES;
#ifdef __linux__
  off_t offset = (off_t)at;
  ssize_t sent = sendfile(fd, from.file, &offset, size);
#else
  ssize_t sent = send(fd, from.at + at, size, MSG_NOSIGNAL);
#endif
  if (sent < 0 && errno != EAGAIN && errno != EINTR) fail("send");
  return sent < 0 ? 0 : (size_t)sent;
}

/* Sends what the socket has room for, one write; returns 0 when all is sent. */
static int go_on(int fd, struct connection *c, struct bytes greeting, struct bytes stream) {
  if (c->greeted < greeting.size) {
    c->greeted += write_some(fd, greeting, c->greeted);
  } else if (c->times > 0) {
    c->sent += write_some(fd, stream, c->sent);
    if (c->sent == stream.size) c->sent = 0, c->times--;
  }
  return c->greeted < greeting.size || c->times > 0;
}

int main(int count, char **arguments) {
  if (count != 6) {
    fprintf(stderr, "stream-sender PORT GREETING STREAM TIMES CONNECTIONS\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  struct bytes greeting = load(arguments[2]), stream = load(arguments[3]);
  int connections = atoi(arguments[5]), open = connections;
  struct pollfd *fds = calloc(connections, sizeof *fds);
  struct connection *states = calloc(connections, sizeof *states);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int i = 0; i < connections; i++) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
    /* one connection alone waits in its write, which costs a system call less */
    if (connections > 1) fcntl(fd, F_SETFL, O_NONBLOCK);
    fds[i] = (struct pollfd){.fd = fd, .events = POLLOUT};
    states[i].times = atol(arguments[4]);
  }
  while (open > 0) {
    if (connections > 1 && poll(fds, connections, -1) < 0) fail("poll");
    for (int i = 0; i < connections; i++) {
      if (fds[i].fd < 0 || (connections > 1 && fds[i].revents == 0)) continue;
      if (go_on(fds[i].fd, &states[i], greeting, stream)) continue;
      shutdown(fds[i].fd, SHUT_WR);
      states[i].times = fds[i].fd;
      fds[i].fd = -1;
      open--;
    }
  }
  for (int i = 0; i < connections; i++) {
    char rest[4096];
    int fd = (int)states[i].times;
    fcntl(fd, F_SETFL, 0);
    while (read(fd, rest, sizeof rest) > 0) continue;
  }
  return 0;
}
