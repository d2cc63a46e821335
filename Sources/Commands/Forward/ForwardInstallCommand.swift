import ArgumentParser
import Bytes
import Glibc
import Keychain
import ToolCommands

struct ForwardInstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Copy llavero to a host, and let git use it there",
    discussion: """
      Copies this machine's llavero to ~/.local/bin over ssh, makes the links by which tools call it, and \
      runs 'llavero setup git' there. That also sets git's credential.useHttpPath, so that git asks with the path and \
      a rule can be about one repository. The host needs the same kind of processor, and nothing else: the programs are static.

        llavero forward install build.example
      """)

  @Argument("The host, as for ssh", value: "host")
  var host: String

  @Option(help: ArgumentHelp("Where to copy it on the host, below its home", valueName: "folder"))
  var folder = ".local/bin"

  /// Runs there. For another kind of machine, it prints the kind and ends with 3.
  private static let there = """
    set -eu
    if [ "$(uname -sm)" != "$1" ]; then uname -sm; exit 3; fi
    cd; umask 022; mkdir -p -- "$2"; cd -- "$2"
    temporary=.llavero-install.$$; mkdir -m 700 $temporary; trap 'rm -rf $temporary' EXIT
    tar -C $temporary -xf -
    chmod 755 $temporary/llavero $temporary/llavero-credential
    $temporary/llavero-credential --version >/dev/null
    mv -f $temporary/llavero $temporary/llavero-credential .
    ./llavero link "$PWD" >/dev/null
    if ! command -v git >/dev/null; then echo "git is not installed there"; exit 0; fi
    LLAVERO_KEYCHAIN=forwarded "$PWD/llavero" setup git --yes >/dev/null
    case :$PATH: in *:$PWD:*) ;; *) echo "note: $PWD is not on the PATH there" >&2 ;; esac
    """

  /// Runs here. If ssh fails, tar would complain of that, too. `$1` the folder with the programs, `$2` the host, `$3` the
  /// script, `$4` the machine, `$5` the folder there.
  private static let here = """
    quoted() { printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\\\\\''/g")"; }
    tar -C "$1" -chf - llavero llavero-credential 2>/dev/null |
      ssh -- "$2" "sh -c $(quoted "$3") sh $(quoted "$4") $(quoted "$5")"
    """

  func run() throws(KeychainError) {
    guard let own = Executables.companion(Executables.people),
      Executables.companion(Executables.tools) != nil,
      let slash = own.lastIndex(of: "/")
    else { throw .failure("llavero and llavero-credential are not in one folder here", status: .keychain) }
    if host.hasPrefix("-") { throw .failure("'\(host)' is not a host", status: .usage) }
    if folder.hasPrefix("/") || folder.split(separator: "/").contains("..") {
      throw .failure("'\(folder)' is not a folder below the home there", status: .usage)
    }
    var machine = utsname()
    uname(&machine)
    let kind = "\(Self.text(&machine.sysname)) \(Self.text(&machine.machine))"
    let arguments = ["sh", "-c", Self.here, "sh", String(own[..<slash]), host, Self.there, kind, folder]
    let supervised = try SupervisedProgram()
    switch supervised.run(arguments.map { CString(copying: $0) }, ProgramEnvironment()) {
    case .ended(.exited(0)): break
    case .ended(.exited(3)):
      throw .failure(
        "\(host) is another kind of machine than this one, which is \(kind)",
        hint: "build llavero there, or install its package", status: .keychain)
    case .ended(let ending):
      // Its own failure, and none of what ran there.
      let hint: Hint? =
        ending == .exited(255) ? "see whether \(command: "ssh", host, "true") works" : nil
      throw .failure(
        "llavero could not be copied to \(host): ssh \(ending.text)", hint: hint, status: .keychain)
    case .failed(let number):
      throw .failure("cannot run sh: \(errorText(number))", status: .keychain)
    }
    StandardStreams.say("git on \(host) asks llavero from now on, in ~/\(folder)")
    StandardStreams.say("hint: forward the keychain with \(command: "llavero", "forward", "setup", host)")
  }

  private static func text<Field>(_ field: inout Field) -> String {
    withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
