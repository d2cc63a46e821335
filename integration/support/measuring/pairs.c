// Times commands against each other: every round runs each of them once, in random order, so that a machine
// whose speed changes changes it for all. The first command is the one that the others are compared with.
//
// pairs ROUNDS COMMAND [; COMMAND]...
// COMMAND: [--env NAME=VALUE]... [--stdin FILE] [--restore FROM TO]... -- ARGUMENT...
//
// In the stdin file, @ROUND@ becomes the round's number. --restore copies FROM over TO before each run, outside
// the measured time, and syncs it. Prints, tab-separated, for each command
//   command INDEX MEDIAN_MS FASTEST_MS PEAK_KIB PAGE_FAULTS
// and for each command but the first
//   ratio INDEX MEDIAN_OF_PAIRS RATIO_OF_MEDIANS
// where the ratio is the first command's time to that command's, and the page faults are the fewest of all rounds.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most_commands = 8, most_settings = 16, warm_up_rounds = 3 };

struct command {
  char *settings[most_settings];
  char *restored[most_settings][2];
  char *stdin_text;
  char **arguments;
  char **environment;
  int setting_count, restored_count;
  long peak_kib, faults;
  double *times;
};

static void die(const char *what, const char *which) {
  fprintf(stderr, "pairs: %s: %s%s%s\n", what, which, errno ? ": " : "", errno ? strerror(errno) : "");
  exit(2);
}

static char *contents(const char *path, size_t *size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) die("cannot read", path);
  char *bytes = malloc((size_t)status.st_size + 1);
  size_t done = 0;
  while (done < (size_t)status.st_size) {
    ssize_t count = read(file, bytes + done, (size_t)status.st_size - done);
    if (count <= 0) die("cannot read", path);
    done += (size_t)count;
  }
  close(file);
  bytes[done] = 0;
  *size = done;
  return bytes;
}

static void write_all(int file, const char *bytes, size_t size, const char *path) {
  while (size > 0) {
    ssize_t count = write(file, bytes, size);
    if (count <= 0) die("cannot write", path);
    bytes += count;
    size -= (size_t)count;
  }
}

static void restore(const char *from, const char *to) {
  size_t size;
  char *bytes = contents(from, &size);
  int file = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) die("cannot write", to);
  write_all(file, bytes, size, to);
  if (fsync(file) != 0) die("cannot sync", to);
  close(file);
  free(bytes);
}

static int stdin_for(const struct command *command, int round) {
  int file = memfd_create("stdin", MFD_CLOEXEC);
  if (file < 0) die("cannot make", "stdin");
  const char *rest = command->stdin_text ? command->stdin_text : "", *mark;
  while ((mark = strstr(rest, "@ROUND@")) != NULL) {
    write_all(file, rest, (size_t)(mark - rest), "stdin");
    dprintf(file, "%d", round);
    rest = mark + strlen("@ROUND@");
  }
  write_all(file, rest, strlen(rest), "stdin");
  lseek(file, 0, SEEK_SET);
  return file;
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double run(struct command *command, int round) {
  for (int i = 0; i < command->restored_count; i++) restore(command->restored[i][0], command->restored[i][1]);
  int input = stdin_for(command, round), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, 0);
  posix_spawn_file_actions_adddup2(&actions, nowhere, 1);

  pid_t process;
  int status;
  struct rusage usage;
  double start = milliseconds();
  errno = posix_spawn(&process, command->arguments[0], &actions, NULL, command->arguments, command->environment);
  if (errno != 0) die("cannot start", command->arguments[0]);
  while (wait4(process, &status, 0, &usage) < 0)
    if (errno != EINTR) die("cannot wait for", command->arguments[0]);
  double time = milliseconds() - start;

  posix_spawn_file_actions_destroy(&actions);
  close(input);
  close(nowhere);
  errno = 0;
  if (status != 0) die("failed", command->arguments[0]);
  if (usage.ru_maxrss > command->peak_kib) command->peak_kib = usage.ru_maxrss;
  long faults = usage.ru_minflt + usage.ru_majflt;
  if (command->faults == 0 || faults < command->faults) command->faults = faults;
  return time;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static char **environment_with(const struct command *command) {
  int count = 0;
  while (environ[count]) count++;
  char **result = calloc((size_t)(count + command->setting_count) + 1, sizeof *result);
  int used = 0;
  for (int i = 0; i < count; i++) {
    int replaced = 0;
    for (int j = 0; j < command->setting_count; j++) {
      size_t name = strcspn(command->settings[j], "=") + 1;
      replaced |= strncmp(environ[i], command->settings[j], name) == 0;
    }
    if (!replaced) result[used++] = environ[i];
  }
  for (int j = 0; j < command->setting_count; j++) result[used++] = command->settings[j];
  return result;
}

int main(int argc, char **argv) {
  struct command commands[most_commands] = {0};
  int count = 0, rounds = argc > 1 ? atoi(argv[1]) : 0, at = 2;
  if (rounds < 1) die("not a number of rounds", argc > 1 ? argv[1] : "nothing");
  while (at < argc) {
    if (count == most_commands) die("too many commands", argv[at]);
    struct command *command = &commands[count++];
    for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
      if (command->setting_count == most_settings || command->restored_count == most_settings)
        die("too many options", argv[at]);
      if (strcmp(argv[at], "--env") == 0 && at + 1 < argc) {
        command->settings[command->setting_count++] = argv[++at];
      } else if (strcmp(argv[at], "--stdin") == 0 && at + 1 < argc) {
        size_t size;
        command->stdin_text = contents(argv[++at], &size);
      } else if (strcmp(argv[at], "--restore") == 0 && at + 2 < argc) {
        command->restored[command->restored_count][0] = argv[++at];
        command->restored[command->restored_count++][1] = argv[++at];
      } else {
        die("unknown option", argv[at]);
      }
    }
    command->arguments = &argv[++at];
    while (at < argc && strcmp(argv[at], ";") != 0) at++;
    if (command->arguments >= &argv[at]) die("no command", "after --");
    argv[at++] = NULL;
    command->environment = environment_with(command);
    command->times = calloc((size_t)rounds, sizeof *command->times);
  }

  unsigned int seed = (unsigned int)time(NULL) ^ (unsigned int)getpid();
  for (int round = rounds > 1 ? -warm_up_rounds : 0; round < rounds; round++) {
    int order[most_commands];
    for (int i = 0; i < count; i++) {
      int j = rand_r(&seed) % (i + 1);
      order[i] = order[j];
      order[j] = i;
    }
    for (int i = 0; i < count; i++) {
      double time = run(&commands[order[i]], round + warm_up_rounds);
      if (round >= 0) commands[order[i]].times[round] = time;
    }
  }

  double *ratios = calloc((size_t)rounds, sizeof *ratios), medians[most_commands], pair_medians[most_commands];
  for (int i = 1; i < count; i++) {
    for (int round = 0; round < rounds; round++)
      ratios[round] = commands[0].times[round] / commands[i].times[round];
    pair_medians[i] = median(ratios, rounds);
  }
  for (int i = 0; i < count; i++) {
    medians[i] = median(commands[i].times, rounds);
    printf("command\t%d\t%.4f\t%.4f\t%ld\t%ld\n", i, medians[i], commands[i].times[0], commands[i].peak_kib,
           commands[i].faults);
  }
  for (int i = 1; i < count; i++) printf("ratio\t%d\t%.4f\t%.4f\n", i, pair_medians[i], medians[0] / medians[i]);
  return 0;
}
