// A program that passes on its standard input to a socket, and back, as an ssh does that forwards an agent. It is taken
// for one by what it holds, and binds nothing itself: what an attacker on the other side of an ssh could send.
//
// ssh-relay SOCKET

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Looked for in the executable.
const char *volatile marks[] = {"OpenSSH_9.9", "session-bind@openssh.com"};

static int pass(int from, int to) {
  char bytes[65536];
  ssize_t count = read(from, bytes, sizeof bytes);
  for (ssize_t sent = 0; sent < count;) {
    ssize_t part = write(to, bytes + sent, (size_t)(count - sent));
    if (part <= 0) return 0;
    sent += part;
  }
  return count > 0;
}

int main(int count, char **arguments) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (count != 2 || strlen(arguments[1]) >= sizeof address.sun_path || marks[0] == NULL) return 64;
  strcpy(address.sun_path, arguments[1]);
  int connection = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) return 1;
  struct pollfd both[] = {{.fd = 0, .events = POLLIN}, {.fd = connection, .events = POLLIN}};
  while (poll(both, 2, -1) > 0) {
    if (both[1].revents != 0 && !pass(connection, 1)) return 0;
    if (both[0].revents != 0 && !pass(0, connection)) return 0;
  }
}
