#ifndef CLINUX_H
#define CLINUX_H

// What Swift cannot call by itself: variadic functions, macros and GNU extensions of the C library. The
// definitions are in CLinux.c, for _GNU_SOURCE would change types that other modules see.

#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// openat(2) with a mode. The result is a descriptor, or -1 with errno set.
int clinux_openat(int directory, const char *_Nonnull path, int flags, mode_t mode);

/// Exchanges two files of a directory at one instant (renameat2(2), RENAME_EXCHANGE). Returns 0, or -1 with errno set:
/// EINVAL where the file system can't.
int clinux_exchange(int directory, const char *_Nonnull one, const char *_Nonnull other);

/// Takes the exclusive open-file-description lock on all of `fd` without waiting (fcntl(2), F_OFD_SETLK).
/// Returns 0, or -1 with errno EAGAIN or EACCES when another open file description holds it.
int clinux_try_exclusive_lock(int fd);

/// Reads entries of a directory (getdents64(2)): the bytes that were written into `buffer`, 0 at the end, or -1 with
/// errno set.
ssize_t clinux_read_directory(int fd, void *_Nonnull buffer, size_t size);

/// Makes the process unreadable to others of the same user (PR_SET_DUMPABLE 0) and leaves no core file.
void clinux_refuse_inspection(void);

/// Lets this process and all that it executes leave no core file.
void clinux_refuse_core_for_good(void);

/// Gives the size of core files the limit again that it had before, for a program that is executed. This process leaves
/// none in any case.
void clinux_restore_core_limit(void);

/// Whether `text` holds `part` somewhere (memmem(3)).
bool clinux_contains(
    const void *_Nullable text, size_t text_size, const void *_Nullable part, size_t part_size);

/// Where `byte` stands last in `text`, or -1 (memrchr(3)).
ssize_t clinux_last_index(const void *_Nullable text, size_t text_size, unsigned char byte);

/// Connects to the unix socket of the name, without waiting where its queue is full. The name of an abstract one is
/// given without its leading NUL. Returns a non-blocking descriptor, or -1 with errno set.
int clinux_connect_unix(const char *_Nonnull name, size_t length, bool is_abstract);

/// The user who listens at the other end of a connected unix socket (SO_PEERCRED), or -1.
long clinux_peer_uid(int fd);

/// Makes a pipe whose ends wait for nothing and are closed on exec. Returns 0, or -1 with errno set.
int clinux_pipe(int ends[_Nonnull 2]);

/// Lets a pipe's end wait, as programs expect of their standard output.
void clinux_make_blocking(int fd);

/// Where the signals that are caught from now on are noted, a byte each; -1 notes them nowhere.
void clinux_note_signals(int fd);

/// Notes a signal when it comes, in place of what it does otherwise, which is put into `before`. A signal that is
/// ignored stays so, but for SIGCHLD, without which nobody learns how a child has ended. Returns whether it is caught.
bool clinux_catch_signal(int number, struct sigaction *_Nonnull before);

/// Lets a signal do again what it did before.
void clinux_restore_signal(int number, const struct sigaction *_Nonnull before);

/// Has a program that is started with posix_spawn(3) keep no descriptor from `first` on.
int clinux_close_from(posix_spawn_file_actions_t *_Nonnull actions, int first);
/// The key of type `user` in this user's keyring (keyctl_search(3), @u), or -1 with errno ENOKEY, EKEYEXPIRED or
/// EKEYREVOKED where there is none; EPERM, ENOSYS or EACCES where keys can't be used.
long clinux_search_user_keyring(const char *_Nonnull description);

/// Reads a key's payload. Returns its size, which may be larger than `size`, or -1 with errno set.
ssize_t clinux_read_key(int key, void *_Nonnull payload, size_t size);

/// Lets a key expire `seconds` from now; 0 would let it live for ever. Returns 0, or -1 with errno set.
int clinux_set_key_timeout(int key, unsigned seconds);

/// Adds a key of type `user` to this user's keyring, in the place of another of that description. It gets there only
/// after it has its permissions and its time-out, and goes with this process if that ends before. Returns 0, or -1
/// with errno set; nothing is left then.
int clinux_add_key(
    const char *_Nonnull description, const void *_Nonnull payload, size_t size, unsigned permissions,
    unsigned seconds);

/// Revokes a key and takes it out of this user's keyring. Returns 0, or -1 with errno set.
int clinux_remove_key(int key);

/// The keys in this user's keyring. Returns how many were written to `keys`, or -1 with errno set.
ssize_t clinux_list_user_keyring(int *_Nonnull keys, size_t count);

/// Writes "type;uid;gid;permissions;description" and a NUL (keyctl_describe(3)). Returns the size of all that, which
/// may be larger than `size`, or -1 with errno set.
ssize_t clinux_describe_key(int key, char *_Nonnull text, size_t size);

/// Makes a unix socket at the path and listens there. Returns a non-blocking descriptor, or -1 with errno set.
int clinux_listen_unix(const char *_Nonnull path, int backlog);

/// Takes the next connection to a listening socket (accept4(2)). Returns a non-blocking descriptor, or -1.
int clinux_accept(int fd);

/// Whether the descriptor is a socket that listens (SO_ACCEPTCONN).
bool clinux_is_listening(int fd);

/// Blocks SIGTERM, SIGINT, SIGHUP and SIGQUIT; they make the descriptor readable that is returned (signalfd(2)).
int clinux_ending_signals(void);

/// A timer that reckons the time that the machine sleeps (timerfd_create(2), CLOCK_BOOTTIME), or -1.
int clinux_boot_timer(void);

/// Lets the timer go off at a time since boot; 0 stops it.
int clinux_set_boot_timer(int fd, long milliseconds);

/// Memory, zeroed, that is never written to a swap space or a core file, and that a child finds empty. NULL with errno
/// set, also where the user may not lock so much (ENOMEM, EPERM).
void *_Nullable clinux_allocate_locked(size_t size);

/// Wipes that memory and gives it back.
void clinux_free_locked(void *_Nonnull memory, size_t size);

/// Closes all descriptors from `first` on.
void clinux_close_own_from(int first);

/// A copy of a descriptor whose number is at least `least`, which a program that is executed doesn't get; or -1.
int clinux_duplicate(int fd, int least);

/// Lets no program that is executed have the descriptor.
void clinux_close_on_exec(int fd);

/// What debuggers call the calling thread, and ps(1) the process if it is its first one; at most 15 bytes.
void clinux_name_thread(const char *_Nonnull name);

/// How many columns the terminal has (ioctl_tty(2), TIOCGWINSZ); 0 if it doesn't say, or is none.
int clinux_terminal_width(int fd);

/// Whether the path lies in a file system that has no disk: tmpfs or ramfs.
bool clinux_is_in_memory(const char *_Nonnull path);

/// Blocks the signals that are meant for a program which this process waits for, and SIGCHLD; they can be read from the
/// descriptor that is returned (signalfd(2)), or -1. `before` gets the mask that was in force.
int clinux_passed_signals(sigset_t *_Nonnull before);

/// Waits for the next of them. Returns its number, or -1. `is_from_process` says that a process has sent it, and not the
/// kernel, which sends what is typed on a terminal to all who share it.
int clinux_next_signal(int fd, bool *_Nonnull is_from_process);

#endif
