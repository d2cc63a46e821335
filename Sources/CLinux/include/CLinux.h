#ifndef CLINUX_H
#define CLINUX_H

// Functions that Swift cannot call by itself: variadic functions, macros and GNU extensions of the C library. The
// definitions are in CLinux.c, because _GNU_SOURCE would change types that other modules see.

#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// openat(2) with a mode. The result is a descriptor, or -1 with errno set.
int clinux_openat(int directory, const char *_Nonnull path, int flags, mode_t mode);

/// Exchanges two files of a directory atomically (renameat2(2), RENAME_EXCHANGE). Returns 0, or -1 with errno set:
/// EINVAL if the file system doesn't support it.
int clinux_exchange(int directory, const char *_Nonnull one, const char *_Nonnull other);

/// Reads the access control list of an open file (acl(5)) in the kernel's form (fgetxattr(2)). Returns its size, or -1
/// with errno set if there is none, or no room for it.
ssize_t clinux_get_access_list(int fd, void *_Nonnull list, size_t size);

/// Sets that list, or removes it if `size` is 0. Returns 0, or -1 with errno set.
int clinux_set_access_list(int fd, const void *_Nonnull list, size_t size);

/// Takes the exclusive open-file-description lock on all of `fd` without waiting (fcntl(2), F_OFD_SETLK). Returns 0,
/// or -1 with errno EAGAIN or EACCES if another open file description holds it.
int clinux_try_exclusive_lock(int fd);

/// Releases the lock of the open file description, shared by every copy of `fd`, if there is one.
void clinux_unlock(int fd);

/// Starts a process that removes a file of a directory when this process ends in any way, or calls clinux_end_remover.
/// Signals from the terminal or to the process group don't reach it. Returns its number, and the descriptor that it
/// waits for in `guard`; -1 with errno set on failure.
pid_t clinux_start_remover(int directory, const char *_Nonnull name, int *_Nonnull guard);

/// Makes the remover remove the file now, and waits for it.
void clinux_end_remover(pid_t remover, int guard);

/// Reads entries of a directory (getdents64(2)). Returns the number of bytes written to `buffer`, 0 at the end, or -1
/// with errno set.
ssize_t clinux_read_directory(int fd, void *_Nonnull buffer, size_t size);

/// Makes the process unreadable to others of the same user (PR_SET_DUMPABLE 0) and disables core files.
void clinux_refuse_inspection(void);

/// Disables core files for this process and all programs that it executes.
void clinux_refuse_core_for_good(void);

/// Releases the memory of this program's and its libraries' code, which is read again from the file or the page cache
/// when executed. For a program that mostly waits, whose code would otherwise count as its memory.
void clinux_release_code(void);

/// Restores the former limit on the size of core files for a program to be executed. This process still leaves none.
void clinux_restore_core_limit(void);

/// Whether `text` contains `part` (memmem(3)).
bool clinux_contains(
    const void *_Nullable text, size_t text_size, const void *_Nullable part, size_t part_size);

/// The last position of `byte` in `text`, or -1 (memrchr(3)).
ssize_t clinux_last_index(const void *_Nullable text, size_t text_size, unsigned char byte);

/// Connects to the unix socket of that name. While its queue of waiting connections is full, it tries again, for at
/// most `patience` milliseconds. The name of an abstract socket is given without its leading NUL. Returns a
/// non-blocking descriptor, or -1 with errno set.
int clinux_connect_unix(const char *_Nonnull name, size_t length, bool is_abstract, int patience);

/// The user at the listening end of a connected unix socket (SO_PEERCRED), or -1.
long clinux_peer_uid(int fd);

/// The process at the other end of a connected unix socket, or the one that listens (SO_PEERCRED); -1 if unknown.
long clinux_peer_pid(int fd);

/// The name that the program was run by, without its folder (program_invocation_short_name(3)).
const char *_Nonnull clinux_program_name(void);

/// Makes a pipe whose ends are non-blocking and closed on exec. Returns 0, or -1 with errno set.
int clinux_pipe(int ends[_Nonnull 2]);

/// Makes a pipe's end blocking, as programs expect of their standard output.
void clinux_make_blocking(int fd);

/// Sets the descriptor to which signals caught from now on are written, a byte each; -1 for none.
void clinux_note_signals(int fd);

/// Catches a signal and notes it. The former action is stored in `before`. An ignored signal stays ignored, except
/// SIGCHLD, because otherwise a child's status is lost. Returns whether it is caught.
bool clinux_catch_signal(int number, struct sigaction *_Nonnull before);

/// Restores the former action of a signal.
void clinux_restore_signal(int number, const struct sigaction *_Nonnull before);

/// Closes all descriptors from `first` on in a program started with posix_spawn(3).
int clinux_close_from(posix_spawn_file_actions_t *_Nonnull actions, int first);

/// Makes a unix socket at the path and listens on it. Returns a non-blocking descriptor, or -1 with errno set.
int clinux_listen_unix(const char *_Nonnull path, int backlog);

/// Accepts the next connection to a listening socket (accept4(2)). Returns a non-blocking descriptor, or -1.
int clinux_accept(int fd);

/// Ends this process with SIGTERM when the process that started it has ended (PR_SET_PDEATHSIG).
void clinux_end_with_parent(void);

/// Whether the descriptor is a listening socket (SO_ACCEPTCONN).
bool clinux_is_listening(int fd);

/// Blocks SIGTERM, SIGINT, SIGHUP and SIGQUIT. Returns a descriptor that they make readable (signalfd(2)).
int clinux_ending_signals(void);

/// A timer that continues while the machine sleeps (timerfd_create(2), CLOCK_BOOTTIME), or -1.
int clinux_boot_timer(void);

/// Sets the timer to a time since boot; 0 stops it.
int clinux_set_boot_timer(int fd, long milliseconds);

/// Allocates zeroed memory that is never written to swap or a core file, and that a child finds empty. Returns NULL
/// with errno set, also if the user may not lock that much (ENOMEM, EPERM).
void *_Nullable clinux_allocate_locked(size_t size);

/// Wipes and frees that memory.
void clinux_free_locked(void *_Nonnull memory, size_t size);

/// Duplicates a descriptor to a number of at least `least`, closed on exec. Returns -1 on failure.
int clinux_duplicate(int fd, int least);

/// Closes the descriptor on exec.
void clinux_close_on_exec(int fd);

/// Sets the name, at most 15 bytes, of the calling thread in debuggers and, for the first one, of the process in ps(1).
void clinux_name_thread(const char *_Nonnull name);

/// Gives up the controlling terminal, if any (ioctl_tty(2), TIOCNOTTY): neither this process nor one that it starts
/// later can ask there.
void clinux_leave_terminal(void);

/// The number of columns of the terminal (ioctl_tty(2), TIOCGWINSZ); 0 if it doesn't say, or is not a terminal.
int clinux_terminal_width(int fd);

/// The commit that this program was built from, and its date, as `487e5a5b 2026-11-30`; NULL if that isn't known.
const char *_Nullable clinux_commit(void);

/// Whether the path is in a file system without a disk: tmpfs or ramfs.
bool clinux_is_in_memory(const char *_Nonnull path);

/// Blocks SIGCHLD and the signals to pass on to an awaited program. Returns a descriptor to read
/// them from (signalfd(2)), or -1. `before` receives the former mask.
int clinux_passed_signals(sigset_t *_Nonnull before);

/// Waits for the next of these signals. Returns its number, or -1. `is_from_process` tells whether a process sent it,
/// and not the kernel, which sends a terminal's signals to all processes that share it.
int clinux_next_signal(int fd, bool *_Nonnull is_from_process);

#endif
