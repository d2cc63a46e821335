import Bytes
import Glibc
import TestSupport
import Testing

/// A sentence that says what made a test impossible.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Runs another implementation of age, and returns its standard output.
@discardableResult
func execute(_ program: String, _ arguments: [String], install: String) async throws -> String {
  // env takes a path as well as a name.
  let ended = try await TestProgram.run(["env", program] + arguments)
  let message = String(decoding: ended.errors, as: UTF8.self)
  if ended.ending == .exited(127) {
    throw Failure("cannot run \(program), which this test needs (\(install)): \(message)")
  }
  guard ended.ending == .exited(0) else {
    throw Failure("\(program) \(arguments.first ?? "") \(ended.ending.text): \(message)")
  }
  return String(decoding: ended.output, as: UTF8.self)
}

/// Stock age, from apt.
enum StockAge {
  /// Runs it, with a folder of plugins before the PATH.
  static func run(_ arguments: [String], plugins: String? = nil) async throws {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    // A variable before the program is an argument for env.
    let words = (plugins.map { ["PATH=\($0):\(path)"] } ?? []) + ["age"] + arguments
    try await execute(words[0], Array(words.dropFirst()), install: "apt-get install age")
  }

  /// age asks for passphrases only on its terminal, so this provides one.
  static func run(_ arguments: [String], passphrase: String) async throws {
    let script = """
      import os, pty, sys
      passphrase, command = sys.argv[1], sys.argv[2:]
      child, terminal = pty.fork()
      if child == 0:
          os.execvp(command[0], command)
      seen = b""
      answers = 0
      try:
          while True:
              part = os.read(terminal, 1024)
              if not part: break
              seen += part
              if seen.lower().count(b"passphrase") and seen.rstrip().endswith(b":"):
                  seen = b""
                  answers += 1
                  os.write(terminal, passphrase.encode() + b"\\n")
      except OSError:
          pass
      status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
      sys.exit(f"{command}: {status} after {answers} answers: {seen!r}" if status or not answers else 0)
      """
    try await run(["--version"])
    try await Python.run(script, [passphrase, "age"] + arguments)
  }
}

/// Python with packages from PyPI: pyrage, which is rage's library, and a plugin.
enum Python {
  static let program = getenv("LLAVERO_TEST_PYTHON").map { String(cString: $0) } ?? "python3"

  static func run(_ script: String, _ arguments: [String], package: String = "pyrage") async throws {
    try await execute(
      program, ["-c", script] + arguments,
      install:
        "python3 with \(package): pip install \(package); LLAVERO_TEST_PYTHON names another interpreter")
  }

  /// Calls pyrage. `operation` is encrypt or decrypt, `key` a recipient, an identity or a passphrase.
  static func pyrage(
    _ operation: String, kind: String, key: String, armored: Bool = false, from input: String,
    to output: String
  ) async throws {
    let script = """
      import sys, pyrage
      operation, kind, key, armored, source, target = sys.argv[1:]
      data = open(source, "rb").read()
      if kind == "passphrase":
          module = pyrage.passphrase
      else:
          module = pyrage
          key = [(pyrage.x25519.Recipient if operation == "encrypt" else pyrage.x25519.Identity).from_str(key)]
      if operation == "encrypt":
          result = module.encrypt(data, key, armored=True) if armored == "true" else module.encrypt(data, key)
      else:
          result = module.decrypt(data, key)
      open(target, "wb").write(result)
      """
    try await run(script, [operation, kind, key, armored ? "true" : "false", input, output])
  }
}
