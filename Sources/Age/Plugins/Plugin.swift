import Bytes

/// One plugin by name, with both of its state machines (C2SP age-plugin.md).
struct Plugin: Sendable {
  let name: String
  let settings: PluginSettings

  enum KeyCommand: String {
    case recipient = "add-recipient"
    case identity = "add-identity"
  }

  /// Wraps a file key for one key ("Wrapping with recipient-v1").
  func wrap(
    _ fileKey: borrowing FileKey, _ command: KeyCommand, key: UnsafeRawBufferPointer
  ) throws(AgeError) -> WrappedFileKey {
    do throws(PluginFault) {
      let connection = try PluginConnection(name, stateMachine: "recipient-v1", settings)
      try connection.send(command.rawValue, secretWord: key)
      try sendGrease(connection)
      try fileKey.withUnsafeBytes { (bytes) throws(PluginFault) in
        try connection.send("wrap-file-key", body: bytes)
      }
      try connection.send("extension-labels")
      try connection.send("done")

      var stanzas: [Stanza] = []
      var labels: Set<String>?
      let dialogue = PluginDialogue(name: name, interaction: settings.interaction, connection: connection)
      try dialogue.answer { (frame) throws(PluginFault) in
        switch frame.type {
        case "recipient-stanza":
          guard stanzas.count < Header.maximumStanzas else { throw .tooManyCommands }
          stanzas.append(try Self.stanza(frame))
        case "labels":
          guard labels == nil else { throw .repeatedLabels }
          labels = Set(frame.arguments)
        default: return false
        }
        return true
      }
      guard !stanzas.isEmpty else { throw .noStanza }
      return WrappedFileKey(stanzas: stanzas, labels: labels ?? [])
    } catch {
      throw .plugin(name: name, fault: error)
    }
  }

  /// Unwraps a file key with one identity ("Unwrapping with identity-v1"); nil if the plugin can't.
  func unwrap(_ stanzas: [Stanza], identity: UnsafeRawBufferPointer) throws(AgeError) -> FileKey? {
    do throws(PluginFault) {
      let connection = try PluginConnection(name, stateMachine: "identity-v1", settings)
      try connection.send(KeyCommand.identity.rawValue, secretWord: identity)
      try sendGrease(connection)
      for stanza in stanzas { try connection.send(stanza) }
      try connection.send("done")

      // A box, because a closure can't move a noncopyable value into an outer variable.
      final class Found {
        var key: FileKey?
      }
      let found = Found()
      let dialogue = PluginDialogue(name: name, interaction: settings.interaction, connection: connection)
      try dialogue.answer { (frame) throws(PluginFault) in
        guard frame.type == "file-key" else { return false }
        guard found.key == nil else { throw .repeatedFileKey }
        guard frame.arguments == ["0"] else { throw .malformedCommand }
        let key = frame.body.withUnsafeBytes { bytes in
          Result { () throws(AgeError) in try FileKey(bytes: bytes) }
        }
        do throws(AgeError) { found.key = try key.get() } catch { throw .malformedCommand }
        return true
      }
      return found.key.take()
    } catch {
      throw .plugin(name: name, fault: error)
    }
  }

  /// There is only one file, so its index is 0.
  private static func stanza(_ frame: borrowing PluginFrame) throws(PluginFault) -> Stanza {
    guard frame.arguments.count >= 2, frame.arguments[0] == "0" else { throw .malformedCommand }
    return Stanza(
      unchecked: frame.arguments[1], arguments: Array(frame.arguments[2...]),
      body: frame.body.withUnsafeBytes { [UInt8]($0) })
  }

  /// Sends a command that no plugin can know, so that none relies on knowing all ("Grease").
  private func sendGrease(_ connection: PluginConnection) throws(PluginFault) {
    var number: UInt32 = 0
    withUnsafeMutableBytes(of: &number) { Sodium.randomize($0) }
    try connection.send("grease-\(String(number, radix: 16))")
  }
}
