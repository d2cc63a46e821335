import Glibc

/// Where plugins are found, how long they may take, and who answers their questions.
public struct PluginSettings: Sendable {
  /// The largest size of one stanza from a plugin in bytes, 128 KiB.
  public static let maximumStanzaSize = 128 << 10
  /// The largest number of commands that a plugin may send before it is done.
  public static let maximumCommands = 2048

  /// The folders to search for `age-plugin-NAME`, separated by colons. Only absolute ones count, so that nothing in
  /// the working directory is ever run.
  public var searchPath: String
  /// How long a plugin may keep us waiting in total while nobody has been asked for anything.
  public var timeLimit: Duration
  /// The same limit for the waits after a message, a confirmation or a request was answered, up to the next result,
  /// because a person may then be looking for a hardware key. nil means no limit. The time that a person takes in an
  /// interaction doesn't count against either limit.
  public var attendedTimeLimit: Duration?
  /// Where the plugin's standard error goes.
  public var standardError: PluginStandardError
  /// Answers the plugin; by default nobody does, and every question fails.
  public var interaction: any PluginInteraction

  /// Makes settings.
  ///
  /// - Parameters:
  ///   - searchPath: folders separated by colons; by default the environment's `PATH`.
  ///   - timeLimit: how long the plugin may take in all, 30 seconds.
  ///   - attendedTimeLimit: how long it may take in all while it waits for a person, 2 minutes.
  ///   - standardError: where its standard error goes; by default to ours.
  ///   - interaction: answers its questions.
  public init(
    searchPath: String? = nil, timeLimit: Duration = .seconds(30),
    attendedTimeLimit: Duration? = .seconds(120), standardError: PluginStandardError = .inherited,
    interaction: any PluginInteraction = PluginSilence()
  ) {
    self.searchPath =
      searchPath ?? getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    self.timeLimit = timeLimit
    self.attendedTimeLimit = attendedTimeLimit
    self.standardError = standardError
    self.interaction = interaction
  }
}

/// Where a plugin's standard error goes.
public enum PluginStandardError: Hashable, Sendable {
  /// To the same place as ours.
  case inherited
  /// To `/dev/null`.
  case discarded
}
