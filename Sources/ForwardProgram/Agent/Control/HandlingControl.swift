import Bytes
import Forwarding
import Glibc
import Keychain

extension ForwardingAgent {
  func takeControlRequest(
    _ name: UnsafeRawBufferPointer, _ contents: UnsafeRawBufferPointer, from client: ForwardingClient
  ) {
    guard name == ControlExtension.name, let request = try? ControlRequest(parsing: contents) else {
      _ = client.send(AgentFrame.encode(AgentMessageType.failure))
      return
    }
    let response =
      switch request {
      case .status: status
      case .lock: lock()
      case .upstream(let path): use(upstream: path)
      case .sockets: lookForSockets()
      case .keys(let passes): pass(keys: passes)
      case .sandbox(let rules): makeSandbox(rules, for: client)
      }
    let frame = AgentFrame.encode(
      AgentMessageType.extensionResponse, extensionName: ControlExtension.name, response.encoded)
    _ = frame.withUnsafeBytes { client.send($0) }
  }

  // MARK: Status

  private var status: ControlResponse {
    let now = SystemClock.sinceBoot
    var response = ControlResponse()
    response.start = start
    response.upstream = settings.passesKeys ? settings.upstream.map { ByteString($0) } : nil
    response.canAsk = policy.canAsk
    response.passesKeys = settings.passesKeys
    response.sockets = sockets.names()
    response.questions = questions.count
    for client in clients where client.entry != .control {
      let hosts = hosts(of: client)
      let known = response.clients.firstIndex { $0.process == client.process && $0.hosts == hosts.names }
      if let known {
        response.clients[known].connections += 1
      } else {
        response.clients.append(
          ControlResponse.Client(
            hosts: hosts.names, keys: hosts.keys, process: client.process, connections: 1))
      }
    }
    removeEndedLeases()
    for lease in leases.all {
      response.leases.append(
        ControlResponse.Lease(
          hosts: lease.hosts.map { ByteString($0.host.description) }, tool: lease.tool,
          place: ByteString(lease.grant.key.place), account: lease.grant.key.account,
          mayChange: lease.grant.right == .change, seconds: (lease.end - now) / 1000))
    }
    return response
  }

  private func hosts(of client: ForwardingClient) -> (names: [ByteString], keys: [ByteString]) {
    switch client.entry {
    case .control: return ([], [])
    case .socket(let name): return ([ByteString(ForwardedHost.socket(name).description)], [])
    case .forwarding:
      guard let keys = try? client.trust.hosts(), let sender = policy.permissions(of: keys) else {
        return ([], [])
      }
      return (
        sender.hosts.map { ByteString($0.host.description) },
        sender.hosts.compactMap { $0.fingerprint.map { ByteString($0) } }
      )
    }
  }

  // MARK: Forgetting

  private func lock() -> ControlResponse {
    forgetDecisions()
    return ControlResponse()
  }

  /// Existing connections keep their agent.
  private func use(upstream path: ByteString) -> ControlResponse {
    guard let path = path.text, path.hasPrefix("/") else {
      return ControlResponse(problem: "that is not a path")
    }
    settings.upstream = path
    return ControlResponse()
  }

  private func pass(keys: Bool) -> ControlResponse {
    settings.passesKeys = keys
    return ControlResponse()
  }

  // MARK: Sockets

  /// Listens exactly at the wanted sockets.
  @discardableResult
  func lookForSockets() -> ControlResponse {
    let names = sockets.names()
    var response = ControlResponse()
    for listener in listeners {
      guard case .socket(let name) = listener.entry, !names.contains(name), sandboxes[name] == nil else {
        continue
      }
      close(listener: name)
    }
    for name in names where !listeners.contains(where: { $0.entry == .socket(name) }) {
      let descriptor = sockets.listen(name)
      if descriptor < 0 {
        response.problem = ByteString("cannot listen at \(sockets.path(of: name)): \(errorText(errno))")
      } else {
        listeners.append((descriptor, .socket(name)))
      }
    }
    response.sockets = names
    return response
  }

  private func close(listener name: ByteString) {
    for listener in listeners where listener.entry == .socket(name) { Glibc.close(listener.descriptor) }
    listeners.removeAll { $0.entry == .socket(name) }
    for client in clients where client.entry == .socket(name) { drop(client) }
    leases.removeAll(of: .socket(name))
  }

  private func makeSandbox(_ rules: [ForwardingRule], for client: ForwardingClient) -> ControlResponse {
    if client.sandbox != nil { return ControlResponse(problem: "this connection has a sandbox already") }
    let name = ByteString(NamedSockets.sandboxMark + hexadecimal(UInt64.random(in: 0 ... .max)))
    do throws(KeychainError) {
      try sockets.make(name)
    } catch {
      return ControlResponse(problem: "cannot make a socket for it: \(error)")
    }
    let descriptor = sockets.listen(name)
    if descriptor < 0 {
      let why = errorText(errno)
      _ = try? sockets.remove(name)
      return ControlResponse(problem: "cannot listen at \(sockets.path(of: name)): \(why)")
    }
    sandboxes[name] = rules.map { rule in
      var rule = rule
      rule.host = .socket(name)
      return rule
    }
    listeners.append((descriptor, .socket(name)))
    client.sandbox = name
    var response = ControlResponse()
    response.socket = ByteString(sockets.path(of: name))
    return response
  }

  func end(sandbox name: ByteString) {
    sandboxes[name] = nil
    close(listener: name)
    _ = try? sockets.remove(name)
  }
}
