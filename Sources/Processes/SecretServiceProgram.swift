import CLinux
import Glibc
import Keychain
package import Terminals

/// The executable with support for the Secret Service, which `llavero` becomes if that keychain is used.
package struct SecretServiceProgram {
  package static let name = "llavero-secret-service"
  /// The name that it is run as to say when the screen is locked.
  package static let screenWatch = "llavero-screen-watch"

  /// The path of the executable.
  package let path: String

  /// Returns `nil` if it isn't installed; see ``Executables/companion(_:)``.
  package init?() {
    guard let path = Executables.companion(Self.name) else { return nil }
    self.path = path
  }

  /// The reason why it can't be run.
  package struct Absence {
    package let reason: String
    /// What to do about it.
    package let remedy: String
  }

  /// Replaces the process with it, keeping arguments, environment and descriptors. Returns only if that fails.
  package static func become() -> Absence {
    guard let program = SecretServiceProgram() else {
      return Absence(
        reason: "\(name) is not installed", remedy: "install it, and the package libsecret-1-0")
    }
    if !program.hasLibraries() {
      return Absence(
        reason: "its library libsecret-1.so.0 is missing", remedy: "install the package libsecret-1-0")
    }
    // It makes its own settings, and must know the former ones.
    ProcessSettings.takeBack()
    execv(program.path, CommandLine.unsafeArgv)
    let failure = errno
    ProcessSettings.make()
    return Absence(
      reason: "\(program.path) can't be run: \(errorText(failure))",
      remedy: "install it, and the package libsecret-1-0")
  }

  /// The failure for users who have chosen the Secret Service where it can't be run.
  package static func isMissing(_ why: Absence) -> Failure {
    Failure("the Secret Service can't be used, because \(why.reason); \(why.remedy)", status: .keychain)
  }

  /// Whether the loader finds libsecret: in one of the usual folders, or through the loader's cache. If neither has it,
  /// the loader may still know other folders, so the program is tried.
  private func hasLibraries() -> Bool {
    if Self.usualFolders.contains(where: { access("\($0)/libsecret-1.so.0", R_OK) == 0 }) { return true }
    let cache = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC)
    if cache < 0 { return starts() }
    defer { close(cache) }
    var status = stat()
    guard fstat(cache, &status) == 0, status.st_size > 0,
      let bytes = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, cache, 0), bytes != MAP_FAILED
    else { return starts() }
    defer { munmap(bytes, Int(status.st_size)) }
    let library: StaticString = "libsecret-1.so.0"
    if clinux_contains(bytes, Int(status.st_size), library.utf8Start, library.utf8CodeUnitCount) {
      return true
    }
    return starts()
  }

  #if arch(arm64)
    private static let usualFolders = ["/usr/lib/aarch64-linux-gnu", "/usr/lib64"]
  #else
    private static let usualFolders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64"]
  #endif

  /// Whether the program starts at all; the loader exits with 127 if a library is missing.
  private func starts() -> Bool {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    guard let name = strdup(path), let option = strdup("--version") else { return false }
    defer {
      free(name)
      free(option)
    }
    var process: pid_t = 0
    guard posix_spawn(&process, path, &actions, nil, [name, option, nil], environ) == 0 else { return false }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { if errno != EINTR { return false } }
    return status == 0
  }
}
