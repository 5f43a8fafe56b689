/*
 * Records what a process does to the files below one directory, so that a power cut can be played (disk.ts).
 * Loaded into the server by LD_PRELOAD; for tests on Linux only. RECORDER_ROOT is the directory, RECORDER_LOG where
 * the records go. Both are inherited, so that workers and the processes of commands are recorded into the same log, in
 * the order in which things happened: each record is one write at the end of the log.
 *
 * A write is recorded before it is made, because from then on any part of it may be on the disk; that it was made, and that
 * a sync came back, is recorded afterwards. So is a name that is gone; that it is about to go is recorded before, for a process may
 * be killed in between. LMDB's file of locks is left out: it is made anew where nobody has it open.
 * The disk fails while a file is there: RECORDER_FAILING.sync makes syncs fail, RECORDER_FAILING.write synchronous writes.
 * A shared writable map of a recorded file would go unseen, so it is recorded as a fault.
 *
 *   record:  magic u32 | kind u32 | inode u64 | a u64 | b u64 | token u64 | text length u32 | data length u32 | text | data
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAGIC 0x44434552u
#define FILES_MAX 65536
#define PARTS_MAX 1024

enum kind { CREATED = 1, WRITE, WRITTEN, SYNC, SYNCED, TRUNCATED, RENAMED, LINKED, UNLINKED, MADE_DIRECTORY, REMOVED_DIRECTORY, UNSEEN, UNLINK };

struct record {
  uint32_t magic, kind;
  uint64_t inode, a, b, token;
  uint32_t text_length, data_length;
};

struct file {
  uint64_t inode; /* 0: not recorded */
  int flags;
};

static struct file files[FILES_MAX];
static char root[PATH_MAX];
static size_t root_length;
static int log_file = -1;
static atomic_uint_fast64_t next_token;
static char failing_sync[PATH_MAX], failing_write[PATH_MAX];

__attribute__((constructor)) static void begin(void) {
  const char *directory = getenv("RECORDER_ROOT"), *path = getenv("RECORDER_LOG");
  if (directory == NULL || path == NULL || strlen(directory) >= sizeof root) return;
  strcpy(root, directory);
  root_length = strlen(root);
  log_file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  next_token = (uint64_t)getpid() << 32;
  const char *failing = getenv("RECORDER_FAILING");
  if (failing == NULL) failing = "";
  snprintf(failing_sync, sizeof failing_sync, "%s.sync", failing);
  snprintf(failing_write, sizeof failing_write, "%s.write", failing);
  if (log_file < 0) abort();
}

static void record(enum kind kind, uint64_t inode, uint64_t a, uint64_t b, uint64_t token, const char *text,
                   const struct iovec *parts, int part_count) {
  struct iovec all[PARTS_MAX + 2];
  struct record head = {MAGIC, kind, inode, a, b, token, text == NULL ? 0 : strlen(text), 0};
  int saved = errno;
  if (part_count > PARTS_MAX) abort();
  all[0] = (struct iovec){&head, sizeof head};
  all[1] = (struct iovec){(void *)text, head.text_length};
  for (int part = 0; part < part_count; part++) {
    all[part + 2] = parts[part];
    head.data_length += parts[part].iov_len;
  }
  ssize_t wanted = sizeof head + head.text_length + head.data_length;
  if (syscall(SYS_writev, log_file, all, part_count + 2) != wanted) abort();
  errno = saved;
}

/* Whether it is below the directory; gives its path from there. Relative paths are never used by what is recorded. */
static const char *recorded(const char *path) {
  const char *name = strrchr(path, '/');
  if (log_file < 0 || strncmp(path, root, root_length) != 0) return NULL;
  if (path[root_length] != '/' && path[root_length] != 0) return NULL;
  /* Also under the name that it is made by. And a socket is no file: that of a server that is gone is nobody's. */
  if (name != NULL && (strstr(name, "-lock") != NULL || strstr(name, ".sock") != NULL)) return NULL;
  return path[root_length] == 0 ? "." : path + root_length + 1;
}

/* Asked of the system too: libuv closes files without the function that is replaced here. */
static struct file *of(int fd) {
  struct stat found;
  if (fd < 0 || fd >= FILES_MAX || files[fd].inode == 0) return NULL;
  if (fstat(fd, &found) == 0 && found.st_ino == files[fd].inode && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)))
    return &files[fd];
  files[fd].inode = 0;
  return NULL;
}

static uint64_t inode_of(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 ? found.st_ino : 0;
}

static int open_recorded(const char *path, int flags, mode_t mode) {
  const char *name = recorded(path);
  uint64_t before = name == NULL ? 0 : inode_of(path);
  int fd = syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode);
  struct stat found;
  if (fd >= 0 && fd < FILES_MAX) files[fd].inode = 0;
  if (fd < 0 || name == NULL || fstat(fd, &found) != 0) return fd;
  if (fd >= FILES_MAX) abort();
  files[fd] = (struct file){found.st_ino, flags};
  if (before == 0) record(CREATED, found.st_ino, 0, 0, 0, name, NULL, 0);
  if (flags & O_TRUNC) record(TRUNCATED, found.st_ino, 0, 0, 0, NULL, NULL, 0);
  return fd;
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return open_recorded(path, flags, mode);
}
int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int close(int fd) {
  if (fd >= 0 && fd < FILES_MAX) files[fd].inode = 0;
  return syscall(SYS_close, fd);
}

static uint64_t before_write(struct file *file, uint64_t offset, const struct iovec *parts, int count) {
  uint64_t token = ++next_token;
  record(WRITE, file->inode, offset, 0, token, NULL, parts, count);
  return token;
}

/* b: whether it is on the disk then. */
static void after_write(struct file *file, uint64_t token, ssize_t length) {
  record(WRITTEN, file->inode, length < 0 ? 0 : length, (file->flags & (O_DSYNC | O_SYNC)) != 0, token, NULL, NULL, 0);
}

static int fails(const char *sign) { return sign[0] != '.' && access(sign, F_OK) == 0; }

static uint64_t position_of(int fd, struct file *file) {
  return syscall(SYS_lseek, fd, 0, file->flags & O_APPEND ? SEEK_END : SEEK_CUR);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  struct file *file = of(fd);
  if (file == NULL) return syscall(SYS_writev, fd, parts, count);
  uint64_t token = before_write(file, position_of(fd, file), parts, count);
  ssize_t length = syscall(SYS_writev, fd, parts, count);
  after_write(file, token, length);
  return length;
}

/* A backup writes out of LMDB's map, whose unused pages others change meanwhile: what is recorded has to be what is written. */
ssize_t write(int fd, const void *bytes, size_t count) {
  if (of(fd) == NULL) return syscall(SYS_write, fd, bytes, count);
  /* As O_DIRECT wants it. */
  void *copy = NULL;
  if (posix_memalign(&copy, 4096, count + 1) != 0) abort();
  memcpy(copy, bytes, count);
  struct iovec part = {copy, count};
  ssize_t length = writev(fd, &part, 1);
  int saved = errno;
  free(copy);
  errno = saved;
  return length;
}

/* What was written of a recorded file, as its writer is to be told. */
static ssize_t told(struct file *file, uint64_t token, ssize_t length) {
  if ((file->flags & O_DSYNC) && fails(failing_write)) {
    /* The system has it, the disk has not. */
    record(WRITTEN, file->inode, length, 0, token, NULL, NULL, 0);
    errno = EIO;
    return -1;
  }
  after_write(file, token, length);
  return length;
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  struct file *file = of(fd);
  uint64_t token = file == NULL ? 0 : before_write(file, offset, parts, count);
  ssize_t length = syscall(SYS_pwritev, fd, parts, count, offset, 0);
  return file == NULL ? length : told(file, token, length);
}
ssize_t pwritev(int, const struct iovec *, int, off_t) __attribute__((alias("pwritev64")));

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  struct file *file = of(fd);
  struct iovec part = {(void *)bytes, count};
  uint64_t token = file == NULL ? 0 : before_write(file, offset, &part, 1);
  ssize_t length = syscall(SYS_pwrite64, fd, bytes, count, offset);
  return file == NULL ? length : told(file, token, length);
}
ssize_t pwrite(int, const void *, size_t, off_t) __attribute__((alias("pwrite64")));

static int sync_with(long call, int fd) {
  struct file *file = of(fd);
  if (file == NULL) return syscall(call, fd);
  uint64_t token = ++next_token;
  record(SYNC, file->inode, 0, 0, token, NULL, NULL, 0);
  if (fails(failing_sync)) {
    errno = EIO;
    return -1;
  }
  int result = syscall(call, fd);
  if (result == 0) record(SYNCED, file->inode, 0, 0, token, NULL, NULL, 0);
  return result;
}

int fsync(int fd) { return sync_with(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_with(SYS_fdatasync, fd); }

int ftruncate64(int fd, off64_t length) {
  struct file *file = of(fd);
  int result = syscall(SYS_ftruncate, fd, length);
  if (result == 0 && file != NULL) record(TRUNCATED, file->inode, length, 0, 0, NULL, NULL, 0);
  return result;
}
int ftruncate(int, off_t) __attribute__((alias("ftruncate64")));

static void two_names(enum kind kind, const char *from, const char *to, uint64_t inode) {
  const char *names[] = {recorded(from), recorded(to)};
  struct iovec target = {(void *)names[1], names[1] == NULL ? 0 : strlen(names[1])};
  if (names[0] != NULL && names[1] != NULL) record(kind, inode, 0, 0, 0, names[0], &target, 1);
  else if (names[0] != NULL || names[1] != NULL) record(UNSEEN, inode, 0, 0, 0, from, NULL, 0);
}

int rename(const char *from, const char *to) {
  int result = syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
  if (result == 0) two_names(RENAMED, from, to, inode_of(to));
  return result;
}

int link(const char *from, const char *to) {
  int result = syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
  if (result == 0) two_names(LINKED, from, to, inode_of(to));
  return result;
}

static int one_name(enum kind kind, const char *path, int result, uint64_t inode) {
  if (result == 0 && recorded(path) != NULL) record(kind, inode, 0, 0, 0, recorded(path), NULL, 0);
  return result;
}

int unlink(const char *path) {
  uint64_t inode = recorded(path) == NULL ? 0 : inode_of(path);
  one_name(UNLINK, path, 0, inode);
  return one_name(UNLINKED, path, syscall(SYS_unlinkat, AT_FDCWD, path, 0), inode);
}

int rmdir(const char *path) {
  uint64_t inode = recorded(path) == NULL ? 0 : inode_of(path);
  return one_name(REMOVED_DIRECTORY, path, syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR), inode);
}

int mkdir(const char *path, mode_t mode) {
  int result = syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  return one_name(MADE_DIRECTORY, path, result, result == 0 && recorded(path) != NULL ? inode_of(path) : 0);
}

void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset) {
  struct file *file = of(fd);
  if (file != NULL && (protection & PROT_WRITE) && (flags & MAP_SHARED))
    record(UNSEEN, file->inode, 0, 0, 0, "mmap", NULL, 0);
  return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}
void *mmap(void *, size_t, int, int, int, off_t) __attribute__((alias("mmap64")));

ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) {
  struct file *file = of(to);
  if (file != NULL) record(UNSEEN, file->inode, 0, 0, 0, "sendfile", NULL, 0);
  return syscall(SYS_sendfile, to, from, offset, count);
}
ssize_t sendfile(int, int, off_t *, size_t) __attribute__((alias("sendfile64")));
