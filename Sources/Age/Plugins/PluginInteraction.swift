import Bytes

/// A plugin's questions to a person (C2SP age-plugin.md, "Phase 2" of both state machines).
///
/// A missing answer is sent to the plugin as `fail`, and the plugin decides what that means. Texts come from the
/// plugin, with any characters: escape control characters before they reach a terminal. No time limit runs during a
/// method. The methods are called in the thread that wraps or unwraps.
public protocol PluginInteraction: Sendable {
  /// Shows a message, such as what to do with a hardware key.
  ///
  /// - Parameters:
  ///   - message: the plugin's text.
  ///   - plugin: the plugin's name.
  /// - Returns: false if it can't be shown.
  func show(_ message: String, from plugin: String) -> Bool

  /// Lets a person choose.
  ///
  /// - Parameters:
  ///   - message: what to choose.
  ///   - yes: the text of the first choice.
  ///   - no: the text of the second choice, if there is one.
  ///   - plugin: the plugin's name.
  /// - Returns: whether `yes` was chosen; nil if nobody can be asked.
  func confirm(_ message: String, yes: String, no: String?, from plugin: String) -> Bool?

  /// Asks for something that needn't be secret.
  ///
  /// - Parameters:
  ///   - message: what is asked for.
  ///   - plugin: the plugin's name.
  /// - Returns: the answer; nil if there is none.
  func requestPublic(_ message: String, from plugin: String) -> String?

  /// Asks for a secret, such as a PIN.
  ///
  /// - Parameters:
  ///   - message: what is asked for.
  ///   - plugin: the plugin's name.
  ///   - answer: takes the secret's bytes, which it copies to memory that is wiped; the caller wipes its own. If it
  ///     is never called, there is no answer; if it is called several times, the last call counts.
  func requestSecret(_ message: String, from plugin: String, answer: (UnsafeRawBufferPointer) -> Void)
}

extension PluginInteraction {
  /// Shows nothing.
  public func show(_ message: String, from plugin: String) -> Bool { false }
  /// Asks nobody.
  public func confirm(_ message: String, yes: String, no: String?, from plugin: String) -> Bool? { nil }
  /// Asks nobody.
  public func requestPublic(_ message: String, from plugin: String) -> String? { nil }
  /// Asks nobody.
  public func requestSecret(
    _ message: String, from plugin: String, answer: (UnsafeRawBufferPointer) -> Void
  ) {}
}

/// Answers nothing: every question of a plugin fails.
public struct PluginSilence: PluginInteraction {
  /// Makes an interaction that answers nothing.
  public init() {}
}
