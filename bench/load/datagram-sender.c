/*
 * Sends datagrams at an even pace: datagram-sender PORT FILE BYTES COUNT PER_SECOND. The file holds
 * datagrams of so many bytes each, which are sent in turn. Every 100 us those that are due go out.
 * What could not be sent for more than a millisecond is put off, not made up for at once: whoever
 * receives gets at most a millisecond's datagrams together, also where this program had to wait.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 100000L
#define LATE_NS 1000000L
#define SECOND_NS 1000000000L

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void sleep_until(long ns) {
  struct timespec until = {.tv_sec = ns / SECOND_NS, .tv_nsec = ns % SECOND_NS};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

int main(int count, char **arguments) {
  if (count != 6) {
    fprintf(stderr, "datagram-sender PORT FILE BYTES COUNT PER_SECOND\n");
    return 2;
  }
  FILE *file = fopen(arguments[2], "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) fail(arguments[2]);
  size_t size = (size_t)ftell(file), bytes = (size_t)atol(arguments[3]);
  rewind(file);
  char *datagrams = malloc(size);
  if (datagrams == NULL || fread(datagrams, 1, size, file) != size) fail(arguments[2]);
  if (bytes == 0 || size % bytes != 0) return 2;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
  long total = atol(arguments[4]), interval_ns = SECOND_NS / atol(arguments[5]);
  long begin = now_ns(), sent = 0;
  while (sent < total) {
    long now = now_ns(), late = now - (begin + sent * interval_ns);
    if (late > LATE_NS) begin += late - LATE_NS;
    while (sent < total && begin + sent * interval_ns <= now) {
      if (send(fd, datagrams + (sent * bytes) % size, bytes, 0) < 0) fail("send");
      sent++;
    }
    sleep_until(now + STEP_NS);
  }
  return 0;
}
