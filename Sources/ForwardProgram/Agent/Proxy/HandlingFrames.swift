import Bytes
import Forwarding
import Keychain

extension ForwardingAgent {
  func take(_ frame: UnsafeRawBufferPointer, from client: ForwardingClient) {
    let message = AgentMessage(frame.part(AgentFrame.headSize, frame.count - AgentFrame.headSize))
    guard message.type == AgentMessageType.extensionRequest, let (name, contents) = message.asExtension else {
      return passOn(frame, from: client)
    }
    if client.entry == .control { return takeControlRequest(name, contents, from: client) }
    if name == KeychainExtension.name {
      takeKeychainRequest(contents, from: client)
    } else if name == SessionBind.extensionName {
      takeBind(contents, frame, from: client)
    } else if name == QueryExtension.name {
      if client.entry == .forwarding {
        askForNames(frame, for: client)
      } else {
        _ = client.send(QueryExtension.reply(ownNames))
      }
      // Only programs that look for a keychain ask this. The answer comes first, because starting a program keeps it
      // waiting.
      prepareSpare()
    } else {
      passOn(frame, from: client)
    }
  }

  /// Whether a client's other requests go to the person's agent.
  private func passes(_ client: ForwardingClient) -> Bool {
    settings.passesKeys && client.entry == .forwarding
  }

  private func passOn(
    _ frame: UnsafeRawBufferPointer, from client: ForwardingClient,
    _ waiting: ForwardingClient.Waiting = .upstream
  ) {
    guard let upstream = upstream(for: client) else {
      _ = client.send(AgentFrame.encode(AgentMessageType.failure))
      return
    }
    guard upstream.send(frame) else {
      client.loseUpstream()
      _ = client.send(AgentFrame.encode(AgentMessageType.failure))
      return
    }
    client.waiting = waiting
  }

  private func upstream(for client: ForwardingClient) -> UpstreamAgent? {
    guard passes(client), !client.hasLostUpstream else { return nil }
    if let upstream = client.upstream { return upstream }
    guard let upstream = connect() else { return nil }
    client.use(upstream)
    return upstream
  }

  private func connect() -> UpstreamAgent? { settings.upstream.flatMap { UpstreamAgent(at: $0) } }

  private func takeBind(
    _ contents: UnsafeRawBufferPointer, _ frame: UnsafeRawBufferPointer, from client: ForwardingClient
  ) {
    // Without verification, a bind means nothing.
    guard client.entry == .forwarding else {
      _ = client.send(AgentFrame.encode(AgentMessageType.failure))
      return
    }
    if !programs.bindsFirst(client.process) { client.trust.distrust() }
    let isRight = client.trust.take(contents, cryptography)
    guard upstream(for: client) != nil else {
      // A later agent connection would lack this bind.
      client.loseUpstream()
      _ = client.send(Self.replyToBind(isRight))
      return
    }
    passOn(frame, from: client, .bind(isRight: isRight, until: SystemClock.sinceBoot + Self.bindTime))
  }

  static func replyToBind(_ isRight: Bool) -> [UInt8] {
    AgentFrame.encode(isRight ? AgentMessageType.success : AgentMessageType.extensionFailure)
  }

  var ownNames: [ByteString] {
    [ByteString(KeychainExtension.name.bytes), ByteString(SessionBind.extensionName.bytes)]
  }

  /// Asks the person's agent on a separate connection: one of OpenSSH's versions sends a second reply after this one.
  private func askForNames(_ frame: UnsafeRawBufferPointer, for client: ForwardingClient) {
    guard passes(client), let upstream = connect(), upstream.send(frame) else {
      _ = client.send(QueryExtension.reply(ownNames))
      return
    }
    client.waiting = .names(upstream, until: SystemClock.sinceBoot + Self.bindTime)
  }

  func advance(_ client: ForwardingClient, _ upstream: UpstreamAgent, _ events: Int16) {
    switch client.waiting {
    case .names(let asked, _) where asked === upstream:
      var names = ownNames
      let progress = upstream.advance(events) { frame in
        let message = AgentMessage(frame.part(AgentFrame.headSize, frame.count - AgentFrame.headSize))
        for name in (try? QueryExtension.names(in: message)) ?? [] where !names.contains(name) {
          names.append(name)
        }
      }
      if case .waiting = progress { return }
      reply(to: client, QueryExtension.reply(names))
    case .upstream where client.upstream === upstream, .bind where client.upstream === upstream:
      var isSent = true
      switch upstream.advance(events, reply: { isSent = client.send($0) }) {
      case .waiting: return
      case .replied:
        client.waiting = .nothing
        if !isSent { return drop(client) }
        takeFrames(client)
      case .broken:
        client.loseUpstream()
        reply(to: client, AgentFrame.encode(AgentMessageType.failure))
      }
    default:
      guard client.upstream === upstream else { return }
      if upstream.isLate, case .waiting = upstream.advance(events, reply: { _ in }) { return }
      // An unexpected reply: the connection can't be used any more.
      client.loseUpstream()
    }
  }
}
