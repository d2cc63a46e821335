/// What went wrong with a plugin (C2SP age-plugin.md).
public enum PluginFault: Error, Hashable, Sendable {
  /// No folder of the search path has an executable file `age-plugin-NAME`.
  case notFound
  /// The system didn't start it, with this `errno`; `ENOEXEC` is a script without `#!`.
  case notStarted(errno: Int32)
  /// The connection to it failed with this `errno`.
  case connection(errno: Int32)
  /// It closed its output before it was done.
  case ended(PluginEnd)
  /// It took longer than the settings allow, ``PluginSettings/timeLimit`` or ``PluginSettings/attendedTimeLimit``.
  case timedOut
  /// It wrote something that isn't a stanza ("IPC protocol").
  case malformedStanza
  /// It wrote a stanza of more than ``PluginSettings/maximumStanzaSize`` bytes.
  case stanzaTooLarge
  /// It sent more than ``PluginSettings/maximumCommands`` commands.
  case tooManyCommands
  /// It sent a command of the protocol with undefined arguments or an undefined body.
  case malformedCommand
  /// It finished wrapping without sending a stanza.
  case noStanza
  /// It sent labels twice.
  case repeatedLabels
  /// It sent two keys for one file.
  case repeatedFileKey
  /// It gave a key that opens neither the file's header nor its contents.
  case wrongKey
  /// It sent the command `error`. Its `message` is at most 1024 bytes of UTF-8 with any characters: escape control
  /// characters before they reach a terminal.
  case reported(PluginComplaint, message: String)
}

/// How a plugin ended before it was done.
public enum PluginEnd: Hashable, Sendable {
  /// It exited with this status.
  case exited(Int32)
  /// This signal killed it.
  case signalled(Int32)
  /// It only closed its output and was then ended, or another part of the program waited for it.
  case unknown
}

/// The subject of a plugin's error (C2SP age-plugin.md, "Phase 2" of both state machines).
public enum PluginComplaint: Hashable, Sendable {
  /// The recipient can't be encrypted for.
  case recipient
  /// The identity is invalid or can't be used.
  case identity
  /// A stanza of a kind that the plugin knows is malformed or doesn't open.
  case stanza
  /// Anything else, including kinds of a later version of the protocol.
  case `internal`
}
