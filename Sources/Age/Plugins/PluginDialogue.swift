import Bytes

/// The second phase of both state machines: the plugin sends commands and we respond (C2SP age-plugin.md, "Wrapping
/// with recipient-v1", "Unwrapping with identity-v1").
struct PluginDialogue {
  let name: String
  let interaction: any PluginInteraction
  let connection: PluginConnection

  /// Answers commands until the plugin is done.
  ///
  /// `take` receives the state machine's own commands, returns whether it knows the command, and throws if it is
  /// malformed. After the plugin reports an error, `take` is no longer called, and the first error is thrown at the
  /// end.
  func answer(
    _ take: (borrowing PluginFrame) throws(PluginFault) -> Bool
  ) throws(PluginFault) {
    var fault: PluginFault?
    do throws(PluginFault) {
      for _ in 0..<PluginSettings.maximumCommands {
        let frame = try connection.receive()
        switch frame.type {
        case "done":
          connection.finish()
          if let fault { throw fault }
          return
        case "msg": try showMessage(frame)
        case "confirm": try confirm(frame)
        case "request-public": try requestPublic(frame)
        case "request-secret": try requestSecret(frame)
        case "error":
          if fault == nil { fault = reported(frame) }
          try connection.send("ok")
        default:
          let isKnown = try take(frame)
          if isKnown { connection.isAttended = false }
          try connection.send(isKnown ? "ok" : "unsupported")
        }
      }
      throw .tooManyCommands
    } catch {
      // The reason for the failure matters more than the plugin's later behaviour.
      throw fault ?? error
    }
  }

  private func showMessage(_ frame: borrowing PluginFrame) throws(PluginFault) {
    guard interaction.show(frame.text, from: name) else { return try connection.send("fail") }
    connection.isAttended = true
    try connection.send("ok")
  }

  private func confirm(_ frame: borrowing PluginFrame) throws(PluginFault) {
    guard (1...2).contains(frame.arguments.count), let yes = Self.decode(frame.arguments[0]) else {
      throw .malformedCommand
    }
    var no: String?
    if frame.arguments.count == 2 {
      guard let text = Self.decode(frame.arguments[1]) else { throw .malformedCommand }
      no = text
    }
    guard let answer = interaction.confirm(frame.text, yes: yes, no: no, from: name) else {
      return try connection.send("fail")
    }
    connection.isAttended = true
    try connection.send("ok", answer ? "yes" : "no")
  }

  private func requestPublic(_ frame: borrowing PluginFrame) throws(PluginFault) {
    guard var answer = interaction.requestPublic(frame.text, from: name) else {
      return try connection.send("fail")
    }
    connection.isAttended = true
    try answer.withUTF8 { answer in
      Result { () throws(PluginFault) in try connection.send("ok", body: UnsafeRawBufferPointer(answer)) }
    }.get()
  }

  private func requestSecret(_ frame: borrowing PluginFrame) throws(PluginFault) {
    // A box, because a closure can't move a noncopyable value into an outer variable.
    final class Answer {
      var bytes: Secret
      init(_ bytes: UnsafeRawBufferPointer) { self.bytes = Secret(copying: bytes) }
    }
    var answer: Answer?
    interaction.requestSecret(frame.text, from: name) { answer = Answer($0) }
    guard let answer else { return try connection.send("fail") }
    connection.isAttended = true
    try answer.bytes.withUnsafeBytes { (bytes) throws(PluginFault) in
      try connection.send("ok", body: bytes)
    }
  }

  private func reported(_ frame: borrowing PluginFrame) -> PluginFault {
    let complaint: PluginComplaint =
      switch frame.arguments.first {
      case "recipient": .recipient
      case "identity": .identity
      case "stanza": .stanza
      default: .internal
      }
    let message = frame.body.withUnsafeBytes {
      String(decoding: $0.prefix(Self.maximumMessage), as: UTF8.self)
    }
    return .reported(complaint, message: message)
  }

  private static let maximumMessage = 1024

  private static func decode(_ argument: String) -> String? {
    var argument = argument
    return argument.withUTF8 { text in
      withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { output in
        Base64.decode(UnsafeRawBufferPointer(text), into: output).map {
          String(decoding: output.part(0, $0), as: UTF8.self)
        }
      }
    }
  }
}
