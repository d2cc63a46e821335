import Foundation

// A single executable for all programs, so that the linker runs only once. The first argument is the program's name,
// which is also its file's name. Passwords come from standard input.
let arguments = Array(CommandLine.arguments.dropFirst())
do {
  try await run(arguments.first ?? "", Array(arguments.dropFirst()))
} catch {
  let text = (error as? LocalizedError)?.errorDescription ?? "\(error)"
  FileHandle.standardError.write(Data("\(text)\n".utf8))
  exit(1)
}

/// Runs a program.
func run(_ program: String, _ words: [String]) async throws {
  switch (program, words.count) {
  case ("add-internet-password", 2...3):
    try addInternetPassword(server: words[0], account: words[1], path: words.count > 2 ? words[2] : nil)
  case ("find-internet-password", 1): try findInternetPassword(server: words[0])
  case ("generic-password", 2...): try genericPassword(words[0], Array(words[1...]))
  case ("find-by-label", 1): try findByLabel(words[0])
  case ("store-with-label", 3): try store(label: words[0], server: words[1], account: words[2])
  case ("installation-identifier", 1): try installationIdentifier(service: words[0])
  case ("session", 1...): try await session(words[0], Array(words[1...]))
  case ("list-accounts", 1): try listAccounts(server: words[0])
  case ("find-without-asking", 2): try findWithoutAsking(service: words[0], account: words[1])
  case ("ask-for-passphrase", 2): try askForPassphrase(service: words[0], account: words[1])
  case ("in-keychain", 3...):
    try inKeychain(words[0], Array(words[3...]), service: words[1], account: words[2])
  case ("certificate", 2): try certificate(label: words[0], file: words[1])
  default: throw Usage()
  }
}

/// The error that the arguments name no program.
struct Usage: LocalizedError {
  var errorDescription: String? { "no such program, or not its arguments" }
}

/// Reads a password from standard input, without the line end.
func readPassword() -> String {
  readLine(strippingNewline: true) ?? ""
}
