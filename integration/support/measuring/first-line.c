// How long it takes until a command has printed a line: runs it, reads until the first line feed, and ends it. The
// command is gone when this ends, so that it takes no time from what is measured next.
//
// first-line ARGUMENT...: status 0 if there was a line, else 1.

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int count, char **arguments) {
  int ends[2];
  if (count < 2 || pipe(ends) != 0) return 2;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  pid_t process;
  int failure = posix_spawn(&process, arguments[1], &actions, NULL, arguments + 1, environ);
  if (failure != 0) {
    fprintf(stderr, "first-line: cannot start %s: %s\n", arguments[1], strerror(failure));
    return 2;
  }
  close(ends[1]);

  char bytes[65536];
  ssize_t size;
  int has_line = 0;
  while (!has_line && ((size = read(ends[0], bytes, sizeof bytes)) > 0 || (size < 0 && errno == EINTR)))
    has_line = size > 0 && memchr(bytes, '\n', (size_t)size) != NULL;
  kill(process, SIGKILL);
  while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {}
  return has_line ? 0 : 1;
}
