/*
 * Makes a process believe that its disk takes DISK_SYNC_MICROSECONDS for each sync: loaded by LD_PRELOAD, for the measurement of commits
 * (main.ts) on Linux only. Counts as a sync: fsync, fdatasync, msync, sync_file_range, and a write through a file opened with O_DSYNC or O_SYNC.
 *
 * The disk makes one flush at a time. A sync that is asked for during a flush waits for the end of it, and shares the next one with all others
 * that were asked for meanwhile, as the block layer of Linux does it. At its end the process writes how many syncs it asked for to DISK_SYNC_COUNT.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static uint64_t begun_count, ended_count;
static int is_busy;
static long delay;
static atomic_uint_fast64_t syncs;

__attribute__((constructor)) static void begin(void) {
  const char *microseconds = getenv("DISK_SYNC_MICROSECONDS");
  delay = microseconds == NULL ? 0 : atol(microseconds) * 1000;
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("DISK_SYNC_COUNT");
  FILE *file = path == NULL ? NULL : fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "%llu\n", (unsigned long long)syncs);
  fclose(file);
}

static void flush_disk(void) {
  struct timespec until;
  /* Otherwise the system adds 50 microseconds to each sleep. */
  prctl(PR_SET_TIMERSLACK, 1UL);
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += delay;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
}

static void wait_for_disk(void) {
  int saved = errno;
  syncs++;
  if (delay > 0) {
    pthread_mutex_lock(&lock);
    uint64_t wanted = begun_count + 1;
    while (ended_count < wanted) {
      if (is_busy) {
        pthread_cond_wait(&ended, &lock);
        continue;
      }
      is_busy = 1;
      uint64_t flush = ++begun_count;
      pthread_mutex_unlock(&lock);
      flush_disk();
      pthread_mutex_lock(&lock);
      ended_count = flush;
      is_busy = 0;
      pthread_cond_broadcast(&ended);
    }
    pthread_mutex_unlock(&lock);
  }
  errno = saved;
}

static ssize_t after_write(int fd, ssize_t result) {
  int saved = errno;
  int flags = fcntl(fd, F_GETFL);
  errno = saved;
  if (result > 0 && flags >= 0 && (flags & (O_DSYNC | O_SYNC)) != 0) wait_for_disk();
  return result;
}

static int after_sync(int result) {
  if (result == 0) wait_for_disk();
  return result;
}

int fsync(int fd) { return after_sync(syscall(SYS_fsync, fd)); }
int fdatasync(int fd) { return after_sync(syscall(SYS_fdatasync, fd)); }
int msync(void *address, size_t length, int flags) { return after_sync(syscall(SYS_msync, address, length, flags)); }
int sync_file_range(int fd, off64_t offset, off64_t bytes, unsigned flags) {
  return after_sync(syscall(SYS_sync_file_range, fd, offset, bytes, flags));
}

ssize_t write(int fd, const void *bytes, size_t count) { return after_write(fd, syscall(SYS_write, fd, bytes, count)); }
ssize_t writev(int fd, const struct iovec *parts, int count) { return after_write(fd, syscall(SYS_writev, fd, parts, count)); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  return after_write(fd, syscall(SYS_pwrite64, fd, bytes, count, offset));
}
ssize_t pwrite(int, const void *, size_t, off_t) __attribute__((alias("pwrite64")));
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  return after_write(fd, syscall(SYS_pwritev, fd, parts, count, offset, 0));
}
ssize_t pwritev(int, const struct iovec *, int, off_t) __attribute__((alias("pwritev64")));
