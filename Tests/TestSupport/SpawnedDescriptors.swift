import CLinux
import Glibc

/// Lets a program that is to be started have the standard streams alone.
///
/// What another test has just opened, and what libraries open without O_CLOEXEC, would stay open as long as the program:
/// whoever waits for the end of a pipe would wait as long.
func closeOthers(in actions: inout posix_spawn_file_actions_t) { clinux_close_from(&actions, 3) }
