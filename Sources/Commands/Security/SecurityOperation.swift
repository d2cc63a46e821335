import Keychain

struct SecurityOperation: Sendable {
  /// Runs the command with the words after its name.
  typealias Body =
    @Sendable (_ words: [SecurityWord], _ session: SecuritySession) throws(SecurityFailure) -> Void

  /// A call may abbreviate it.
  let name: String
  /// The options and their meanings, one a line.
  let usage: String
  let summary: String
  let run: Body

  var usageText: String { "Usage: \(name) \(usage)\n        \(summary)" }

  /// The first command whose name begins with a prefix, as in the original. There, a prefix shorter than `delete-g`
  /// means a command that isn't here, so it must delete nothing.
  static func named(_ prefix: String) -> SecurityOperation? {
    "delete-".hasPrefix(prefix) ? nil : all.first { $0.name.hasPrefix(prefix) }
  }

  /// In the order of Apple's program, which decides the meaning of an abbreviated name.
  static let all: [SecurityOperation] = [
    SecurityOperation(
      name: "help", usage: "[command...]", summary: "List the commands, or say how they are used."
    ) { (words, _) throws(SecurityFailure) in try SecurityCommand.help(words) },
    SecurityOperation(
      name: "add-generic-password", usage: addGenericUsage, summary: "Add a generic password."
    ) { (words, session) throws(SecurityFailure) in
      try SecurityPasswordCommands.add(words, isInternetPassword: false, session)
    },
    SecurityOperation(
      name: "add-internet-password", usage: addInternetUsage, summary: "Add an internet password."
    ) { (words, session) throws(SecurityFailure) in
      try SecurityPasswordCommands.add(words, isInternetPassword: true, session)
    },
    SecurityOperation(
      name: "find-generic-password",
      usage: "[options] [-g | -w] [keychain...]\n" + genericUsage + secretUsage,
      summary: "Print the first generic password that matches."
    ) { (words, session) throws(SecurityFailure) in
      try SecurityPasswordCommands.find(words, isInternetPassword: false, session)
    },
    SecurityOperation(
      name: "delete-generic-password",
      usage: "[options] [keychain...]\n" + genericUsage,
      summary: "Delete the first generic password that matches."
    ) { (words, session) throws(SecurityFailure) in
      try SecurityPasswordCommands.delete(words, isInternetPassword: false, session)
    },
    SecurityOperation(
      name: "find-internet-password",
      usage: "[options] [-g | -w] [keychain...]\n" + internetUsage + secretUsage,
      summary: "Print the first internet password that matches."
    ) { (words, session) throws(SecurityFailure) in
      try SecurityPasswordCommands.find(words, isInternetPassword: true, session)
    },
    SecurityOperation(
      name: "delete-internet-password",
      usage: "[options] [keychain...]\n" + internetUsage,
      summary: "Delete the first internet password that matches."
    ) { (words, session) throws(SecurityFailure) in
      try SecurityPasswordCommands.delete(words, isInternetPassword: true, session)
    },
  ]

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
