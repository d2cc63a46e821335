#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/magic.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

int clinux_openat(int directory, const char *path, int flags, mode_t mode) {
  return openat(directory, path, flags, mode);
}

int clinux_exchange(int directory, const char *one, const char *other) {
  return renameat2(directory, one, directory, other, RENAME_EXCHANGE);
}

static const char access_list[] = "system.posix_acl_access";

ssize_t clinux_get_access_list(int fd, void *list, size_t size) {
  return fgetxattr(fd, access_list, list, size);
}

int clinux_set_access_list(int fd, const void *list, size_t size) {
  if (size == 0) return fremovexattr(fd, access_list);
  return fsetxattr(fd, access_list, list, size, 0);
}

int clinux_try_exclusive_lock(int fd) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(fd, F_OFD_SETLK, &lock);
}

void clinux_unlock(int fd) {
  struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
  fcntl(fd, F_OFD_SETLK, &lock);
}

ssize_t clinux_read_directory(int fd, void *buffer, size_t size) {
  return syscall(SYS_getdents64, fd, buffer, size);
}

static struct rlimit core_limit;

void clinux_refuse_inspection(void) {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  // The hard limit stays, because a process that lowers it can't raise it again for another program.
  struct rlimit none = {0, 0};
  if (getrlimit(RLIMIT_CORE, &core_limit) == 0) none.rlim_max = core_limit.rlim_max;
  setrlimit(RLIMIT_CORE, &none);
}

void clinux_refuse_core_for_good(void) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

// A segment that is never written equals its file, so its pages can be dropped.
static int release_segments(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  (void)data;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0) continue;
    uintptr_t start = info->dlpi_addr + segment->p_vaddr;
    uintptr_t end = (start + segment->p_filesz) & ~page;
    start = (start + page) & ~page;
    if (end > start) madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

void clinux_release_code(void) { dl_iterate_phdr(release_segments, NULL); }

void clinux_restore_core_limit(void) { setrlimit(RLIMIT_CORE, &core_limit); }

bool clinux_contains(const void *text, size_t text_size, const void *part, size_t part_size) {
  return part_size == 0 || (text_size > 0 && memmem(text, text_size, part, part_size) != NULL);
}

ssize_t clinux_last_index(const void *text, size_t text_size, unsigned char byte) {
  const char *found = text_size > 0 ? memrchr(text, byte, text_size) : NULL;
  return found != NULL ? found - (const char *)text : -1;
}

int clinux_connect_unix(const char *name, size_t length, bool is_abstract, int patience) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (length + 1 > sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(address.sun_path + (is_abstract ? 1 : 0), name, length);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
  const int pause = 2;
  while (connect(fd, (struct sockaddr *)&address, size) != 0) {
    int failure = errno;
    if (failure == EAGAIN && patience > 0) {
      patience -= pause;
      nanosleep(&(struct timespec){.tv_nsec = pause * 1000000L}, NULL);
    } else if (failure != EINTR) {
      close(fd);
      errno = failure;
      return -1;
    }
  }
  return fd;
}

long clinux_peer_uid(int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? (long)peer.uid : -1;
}

long clinux_peer_pid(int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? (long)peer.pid : -1;
}

const char *clinux_program_name(void) { return program_invocation_short_name; }

int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

void clinux_make_blocking(int fd) { fcntl(fd, F_SETFL, 0); }

static volatile sig_atomic_t notes = -1;

static void note_signal(int number) {
  int before = errno;
  unsigned char byte = (unsigned char)number;
  if (notes >= 0 && write(notes, &byte, 1) < 0) {
    // The pipe is full, so its reader wakes up anyway.
  }
  errno = before;
}

void clinux_note_signals(int fd) { notes = fd; }

bool clinux_catch_signal(int number, struct sigaction *before) {
  if (sigaction(number, NULL, before) != 0) return false;
  if (before->sa_handler == SIG_IGN && number != SIGCHLD) return false;
  struct sigaction noting = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
  return sigaction(number, &noting, NULL) == 0;
}

void clinux_restore_signal(int number, const struct sigaction *before) { sigaction(number, before, NULL); }

int clinux_close_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int clinux_listen_unix(const char *path, int backlog) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, backlog) != 0) {
    int failure = errno;
    close(fd);
    errno = failure;
    return -1;
  }
  return fd;
}

int clinux_accept(int fd) { return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

bool clinux_is_listening(int fd) {
  int value = 0;
  socklen_t size = sizeof value;
  return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value != 0;
}

int clinux_ending_signals(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  sigaddset(&signals, SIGQUIT);
  if (sigprocmask(SIG_BLOCK, &signals, NULL) != 0) return -1;
  return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

void clinux_end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0); }

int clinux_boot_timer(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

int clinux_set_boot_timer(int fd, long milliseconds) {
  struct itimerspec time = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000000}};
  return timerfd_settime(fd, TFD_TIMER_ABSTIME, &time, NULL);
}

void *clinux_allocate_locked(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  if (mlock(memory, size) != 0 || madvise(memory, size, MADV_DONTDUMP) != 0 ||
      madvise(memory, size, MADV_WIPEONFORK) != 0) {
    int failure = errno;
    munmap(memory, size);
    errno = failure;
    return NULL;
  }
  return memory;
}

void clinux_free_locked(void *memory, size_t size) {
  explicit_bzero(memory, size);
  munmap(memory, size);
}

int clinux_duplicate(int fd, int least) { return fcntl(fd, F_DUPFD_CLOEXEC, least); }

void clinux_close_on_exec(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }

void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

void clinux_leave_terminal(void) {
  int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (terminal < 0) return;
  ioctl(terminal, TIOCNOTTY);
  close(terminal);
}

int clinux_terminal_width(int fd) {
  struct winsize size;
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// In CCommit, which the executables have. Others, such as tests, have none.
extern const char llavero_commit[] __attribute__((weak));

const char *clinux_commit(void) { return llavero_commit; }

bool clinux_is_in_memory(const char *path) {
  struct statfs status;
  return statfs(path, &status) == 0 && (status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC);
}

int clinux_passed_signals(sigset_t *before) {
  static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT, SIGCHLD};
  sigset_t signals;
  sigemptyset(&signals);
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) sigaddset(&signals, numbers[index]);
  if (sigprocmask(SIG_BLOCK, &signals, before) != 0) return -1;
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

// Closes all descriptors but two.
static void close_others(int one, int other) {
  int lower = one < other ? one : other, upper = one < other ? other : one;
  if (lower > 0) close_range(0, (unsigned)lower - 1, 0);
  if (upper - lower > 1) close_range((unsigned)lower + 1, (unsigned)upper - 1, 0);
  if (close_range((unsigned)upper + 1, ~0U, 0) == 0) return;
  for (int fd = 0; fd < 1024; fd++)
    if (fd != one && fd != other) close(fd);
}

pid_t clinux_start_remover(int directory, const char *name, int *guard) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  pid_t remover = fork();
  if (remover == 0) {
    clinux_refuse_inspection();
    setsid();
    if (chdir("/") != 0) _exit(1);
    close_others(directory, ends[0]);
    char byte;
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR) {}
    unlinkat(directory, name, 0);
    _exit(0);
  }
  int failure = errno;
  sigprocmask(SIG_SETMASK, &before, NULL);
  close(ends[0]);
  *guard = ends[1];
  if (remover < 0) {
    close(ends[1]);
    errno = failure;
  }
  return remover;
}

void clinux_end_remover(pid_t remover, int guard) {
  close(guard);
  while (waitpid(remover, NULL, 0) < 0 && errno == EINTR) {}
}

int clinux_next_signal(int fd, bool *is_from_process) {
  struct signalfd_siginfo signal;
  ssize_t size;
  do size = read(fd, &signal, sizeof signal);
  while (size < 0 && errno == EINTR);
  if (size != sizeof signal) return -1;
  *is_from_process = signal.ssi_code <= 0;
  return (int)signal.ssi_signo;
}
