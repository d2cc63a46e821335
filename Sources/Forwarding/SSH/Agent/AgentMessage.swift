package import Bytes

/// The messages of the SSH agent protocol that are handled here (RFC 9987, section 6.1). All others are passed on.
package enum AgentMessageType {
  /// `SSH_AGENT_FAILURE`: a refusal; also the reply to an unknown extension.
  package static let failure: UInt8 = 5
  /// `SSH_AGENT_SUCCESS`
  package static let success: UInt8 = 6
  /// `SSH_AGENTC_EXTENSION`
  package static let extensionRequest: UInt8 = 27
  /// `SSH_AGENT_EXTENSION_FAILURE`: the refusal of a known extension.
  package static let extensionFailure: UInt8 = 28
  /// `SSH_AGENT_EXTENSION_RESPONSE`
  package static let extensionResponse: UInt8 = 29
}

/// A message of an agent or its client, without its length.
package struct AgentMessage {
  /// The type, one of ``AgentMessageType`` or any other.
  package let type: UInt8
  package let contents: UnsafeRawBufferPointer

  /// Takes the bytes of a frame, at least one.
  package init(_ frame: UnsafeRawBufferPointer) {
    type = frame[0]
    contents = frame.part(1, frame.count - 1)
  }

  /// The name in an extension's request or response, and the bytes after it; `nil` for any other message, or without a
  /// name (RFC 9987, section 5.8).
  package var asExtension: (name: UnsafeRawBufferPointer, contents: UnsafeRawBufferPointer)? {
    guard type == AgentMessageType.extensionRequest || type == AgentMessageType.extensionResponse else {
      return nil
    }
    var fields = WireReader(contents)
    guard let name = try? fields.string(), !name.isEmpty else { return nil }
    return (name, fields.rest)
  }
}

/// The extension that lists the names of all extensions (RFC 9987, section 5.8.1).
package enum QueryExtension {
  package static let name: StaticString = "query"

  /// The names in an agent's reply to the query.
  ///
  /// - Throws: ``WireError`` if it isn't such a reply.
  package static func names(in reply: AgentMessage) throws(WireError) -> [ByteString] {
    guard reply.type == AgentMessageType.extensionResponse, let (name, contents) = reply.asExtension,
      name == Self.name
    else { throw .value }
    var fields = WireReader(contents)
    var names: [ByteString] = []
    while !fields.rest.isEmpty { names.append(ByteString(try fields.string())) }
    return names
  }

  package static func reply(_ names: [ByteString]) -> [UInt8] {
    var contents: [UInt8] = []
    for name in names { contents.append(wireString: name.bytes) }
    return AgentFrame.encode(AgentMessageType.extensionResponse, extensionName: name, contents)
  }
}
