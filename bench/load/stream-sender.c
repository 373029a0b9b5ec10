/*
 * Sends a stream over one connection as fast as its receiver takes it, which a program of Node's
 * does not always do: stream-sender PORT GREETING STREAM TIMES. It ends when the receiver has read
 * the end and closed its side; what the receiver says is read and forgotten.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Bytes of one write: they cut the stream anywhere. */
#define WRITE_BYTES 65536

static void fail(const char *what) {
  perror(what);
  exit(1);
}

/* Reads a whole file. */
static char *load(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) fail(path);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size);
  if (bytes == NULL || fread(bytes, 1, *size, file) != *size) fail(path);
  fclose(file);
  return bytes;
}

static void send_all(int fd, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t sent = send(fd, bytes, size < WRITE_BYTES ? size : WRITE_BYTES, MSG_NOSIGNAL);
    if (sent < 0) fail("send");
    bytes += sent;
    size -= (size_t)sent;
  }
}

int main(int count, char **arguments) {
  if (count != 5) {
    fprintf(stderr, "stream-sender PORT GREETING STREAM TIMES\n");
    return 2;
  }
  size_t greeting_size, stream_size;
  char *greeting = load(arguments[2], &greeting_size);
  char *stream = load(arguments[3], &stream_size);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
  send_all(fd, greeting, greeting_size);
  for (long times = atol(arguments[4]); times > 0; times--) send_all(fd, stream, stream_size);
  shutdown(fd, SHUT_WR);
  char rest[4096];
  while (read(fd, rest, sizeof rest) > 0) continue;
  return 0;
}
