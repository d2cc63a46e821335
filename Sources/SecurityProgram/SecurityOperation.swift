import Keychain

/// A command of `security`.
struct SecurityOperation: Sendable {
  /// Runs the command with the words after its name.
  typealias Body =
    @Sendable (_ words: [SecurityWord], _ session: SecuritySession) throws(SecurityFailure) -> Void

  /// The name. A call may abbreviate it.
  let name: String
  /// The options and their meanings, one a line.
  let usage: String
  /// A sentence that says what it does, or why it makes no sense here.
  let summary: String
  /// Runs the command; `nil` if it makes no sense here.
  let run: Body?

  private init(_ name: String, _ usage: String, _ summary: String, _ run: @escaping Body) {
    self.name = name
    self.usage = usage
    self.summary = summary
    self.run = run
  }

  /// A command that makes no sense here.
  private init(_ name: String, absent why: String) {
    self.name = name
    usage = ""
    summary = why
    run = nil
  }

  /// The reason why it makes no sense here, to follow its name.
  var absence: String { "has no meaning here: \(summary)" }

  /// The text shown after a usage error.
  var usageText: String { "Usage: \(name) \(usage)\n        \(summary)" }

  /// The first command whose name begins with a prefix, as in the original.
  static func named(_ prefix: String) -> SecurityOperation? {
    prefix.isEmpty ? nil : all.first { $0.name.hasPrefix(prefix) }
  }

  /// All commands, in the order of Apple's program, which decides what an abbreviated name means.
  static let all: [SecurityOperation] = [
    SecurityOperation("help", "[command...]", "List the commands, or say how they are used.") {
      (words, _) throws(SecurityFailure) in try SecurityCommand.help(words)
    },
    SecurityOperation(
      "list-keychains", "[-d user|system|common|dynamic]", "Print the keychain that is searched.",
      { (words, session) throws(SecurityFailure) in try SecurityKeychainCommands.list(words, session) }),
    SecurityOperation("list-smartcards", absent: keys),
    SecurityOperation(
      "default-keychain", "[-d user|system|common|dynamic] [-s keychain]",
      "Print the keychain in use, or use another one from now on.",
      { (words, session) throws(SecurityFailure) in
        try SecurityKeychainCommands.showDefault(words, session)
      }),
    SecurityOperation(
      "login-keychain", "[-d user|system|common|dynamic]", "Print the keychain in use.",
      { (words, session) throws(SecurityFailure) in try SecurityKeychainCommands.list(words, session) }),
    SecurityOperation(
      "create-keychain",
      absent: "there is one encrypted file, which the first item that is stored makes, or 'llavero init'"),
    SecurityOperation("delete-keychain", absent: "delete the items, or the file that 'llavero status' names"),
    SecurityOperation(
      "lock-keychain", "[-a | keychain]\n    -a  Lock every encrypted file of yours, too",
      "Lock a keychain.",
      { (words, session) throws(SecurityFailure) in try SecurityKeychainCommands.lock(words, session) }),
    SecurityOperation(
      "unlock-keychain",
      "[-u] [-p password] [keychain]\n    -p  The password, which other programs can see meanwhile\n"
        + "    -u  Ask nobody",
      "Unlock a keychain.",
      { (words, session) throws(SecurityFailure) in try SecurityKeychainCommands.unlock(words, session) }),
    SecurityOperation(
      "set-keychain-settings",
      absent: "'llavero unlock --for TIME --idle TIME' says how long the keychain stays unlocked"),
    SecurityOperation(
      "set-keychain-password",
      "[-o oldPassword] [-p newPassword] [keychain]\n    -o  The present password, else it is asked for\n"
        + "    -p  The new one, else it is asked for",
      "Change the passphrase of the encrypted file.",
      { (words, session) throws(SecurityFailure) in
        try SecurityKeychainCommands.setPassword(words, session)
      }),
    SecurityOperation(
      "show-keychain-info", "[keychain]", "Say how long a keychain stays unlocked.",
      { (words, session) throws(SecurityFailure) in try SecurityKeychainCommands.showInfo(words, session) }),
    SecurityOperation(
      "dump-keychain", "[-d] [keychain...]\n    -d  Print the passwords, too", "Print all items.",
      { (words, session) throws(SecurityFailure) in try SecurityPasswordCommands.dump(words, session) }),
    SecurityOperation("create-keypair", absent: keys),
    SecurityOperation(
      "add-generic-password", addGenericUsage, "Add a generic password.",
      { (words, session) throws(SecurityFailure) in
        try SecurityPasswordCommands.add(words, isInternetPassword: false, session)
      }),
    SecurityOperation(
      "add-internet-password", addInternetUsage, "Add an internet password.",
      { (words, session) throws(SecurityFailure) in
        try SecurityPasswordCommands.add(words, isInternetPassword: true, session)
      }),
    SecurityOperation("add-certificates", absent: keys),
    SecurityOperation(
      "find-generic-password", "[options] [-g | -w] [keychain...]\n" + genericUsage + secretUsage,
      "Print the first generic password that matches.",
      { (words, session) throws(SecurityFailure) in
        try SecurityPasswordCommands.find(words, isInternetPassword: false, session)
      }),
    SecurityOperation(
      "delete-generic-password", "[options] [keychain...]\n" + genericUsage,
      "Delete the first generic password that matches.",
      { (words, session) throws(SecurityFailure) in
        try SecurityPasswordCommands.delete(words, isInternetPassword: false, session)
      }),
    SecurityOperation("set-generic-password-partition-list", absent: access),
    SecurityOperation(
      "find-internet-password", "[options] [-g | -w] [keychain...]\n" + internetUsage + secretUsage,
      "Print the first internet password that matches.",
      { (words, session) throws(SecurityFailure) in
        try SecurityPasswordCommands.find(words, isInternetPassword: true, session)
      }),
    SecurityOperation(
      "delete-internet-password", "[options] [keychain...]\n" + internetUsage,
      "Delete the first internet password that matches.",
      { (words, session) throws(SecurityFailure) in
        try SecurityPasswordCommands.delete(words, isInternetPassword: true, session)
      }),
    SecurityOperation("set-internet-password-partition-list", absent: access),
    SecurityOperation("find-key", absent: keys),
    SecurityOperation("set-key-partition-list", absent: access),
    SecurityOperation("find-certificate", absent: keys),
    SecurityOperation("find-identity", absent: keys),
    SecurityOperation("delete-certificate", absent: keys),
    SecurityOperation("delete-identity", absent: keys),
    SecurityOperation("set-identity-preference", absent: keys),
    SecurityOperation("get-identity-preference", absent: keys),
    SecurityOperation("create-db", absent: "it is about the parts of Apple's system"),
    SecurityOperation("export", absent: keys),
    SecurityOperation("import", absent: keys),
    SecurityOperation("export-smartcard", absent: keys),
    SecurityOperation("cms", absent: keys),
    SecurityOperation("install-mds", absent: "it is about the parts of Apple's system"),
    SecurityOperation("add-trusted-cert", absent: trust),
    SecurityOperation("remove-trusted-cert", absent: trust),
    SecurityOperation("dump-trust-settings", absent: trust),
    SecurityOperation("user-trust-settings-enable", absent: trust),
    SecurityOperation("trust-settings-export", absent: trust),
    SecurityOperation("trust-settings-import", absent: trust),
    SecurityOperation("verify-cert", absent: trust),
    SecurityOperation("authorize", absent: "polkit decides here who may do what"),
    SecurityOperation("authorizationdb", absent: "polkit decides here who may do what"),
    SecurityOperation("execute-with-privileges", absent: "sudo and pkexec do that here"),
    SecurityOperation("leaks", absent: "it is about the parts of Apple's system"),
    SecurityOperation("smartcards", absent: keys),
    SecurityOperation("create-filevaultmaster-keychain", absent: "disks are encrypted by LUKS here"),
    SecurityOperation("error", "number...", "Say what a status of Keychain Services means.") {
      (words, _) throws(SecurityFailure) in try SecurityErrorCommand.run(words)
    },
  ]

  private static let keys = "this command is for passwords; only programs store keys and certificates"
  private static let access = "no program is kept from items that others may read"
  private static let trust = "update-ca-certificates(8) and the like say which certificates are trusted"

  private static let genericUsage = """
        -a  Account
        -s  Service
        -l  Label
        -D  Kind
        -j  Comment
        -c  Creator (four characters)
        -C  Type (four characters)
        -G  Generic attribute
    """

  private static let internetUsage = """
        -a  Account
        -s  Server
        -r  Protocol (four characters, such as "htps" or "ftp ")
        -P  Port
        -p  Path
        -d  Security domain
        -t  Authentication type (four characters)
        -l  Label
        -D  Kind
        -j  Comment
        -c  Creator (four characters)
        -C  Type (four characters)
    """

  private static let secretUsage = """

        -g  Print the password, too, on standard error
        -w  Print nothing but the password
    """

  private static let addingUsage = """

        -w  Password, which other programs can see meanwhile; without a value at the end, it is asked for
        -X  Password in hexadecimal digits
        -U  Change the item that there is
        -A, -T program  No meaning here
    """

  private static let addGenericUsage =
    "-a account -s service [options] [-w [password]] [keychain]\n" + genericUsage + addingUsage
    + "\n    -p  The same as -w"

  private static let addInternetUsage =
    "-a account -s server [options] [-w [password]] [keychain]\n" + internetUsage + addingUsage
}
