import Keychain

extension Service {
  enum PromptOutcome {
    case completed(Variant)
    /// The person declined, or the service could not show anything. KeePassXC may have made an incomplete item by then.
    case dismissed(Variant)
  }

  /// Shows a prompt of the service and waits for the person, as long as that takes.
  ///
  /// Whether somebody is being asked is invisible from here. It is assumed as long as the programs that would show the
  /// prompt, the service and gnome-keyring's prompter, answer a ping.
  ///
  /// - Parameters:
  ///   - limit: how long it may take, in milliseconds, if nobody is to be asked: KeePassXC makes and deletes items with
  ///     prompts that complete by themselves.
  ///   - onWaiting: called once, after a second.
  /// - Throws: ``BusFailure`` if one of them stops answering, or the limit is reached.
  func run(
    prompt path: String, limit: Int? = nil, onWaiting: () -> Void
  ) throws(BusFailure) -> PromptOutcome {
    let completion = try bus.signal("Completed", of: Interface.prompt, at: path, from: owner)
    defer { bus.stop(completion) }
    _ = try bus.call(call("Prompt", of: Interface.prompt, at: path, Argument.text("")))
    var isFirst = true
    while !bus.context.run(
      milliseconds: limit ?? (isFirst ? 1000 : bus.timeout), until: { completion.parameters != nil })
    {
      do throws(BusFailure) {
        if let limit { throw BusFailure(call: "Prompt", .noAnswer(milliseconds: limit)) }
        if isFirst { onWaiting() }
        isFirst = false
        try pingPrompters()
      } catch {
        dismiss(prompt: path)
        throw error
      }
    }
    guard let parameters = try completion.parameters?.checked(as: "(bv)", of: "Completed") else {
      preconditionFailure("waited for it")
    }
    let result = parameters[1].content
    return parameters[0].bool ? .dismissed(result) : .completed(result)
  }

  /// Withdraws a prompt that nobody should see.
  func dismiss(prompt path: String) {
    _ = try? bus.call(call("Dismiss", of: Interface.prompt, at: path))
  }

  private func pingPrompters() throws(BusFailure) {
    try ping(owner)
    let prompter = "org.gnome.keyring.SystemPrompter"
    let reply = try bus.call(.ofBus("NameHasOwner", Argument.text(prompter)))
    if try reply.checked(as: "(b)", of: "NameHasOwner")[0].bool { try ping(prompter) }
  }

  private func ping(_ destination: String) throws(BusFailure) {
    do throws(BusFailure) {
      _ = try bus.call(
        SessionBus.Call(
          method: "Ping", interface: Interface.peer, path: "/", destination: destination,
          arguments: nil))
    } catch {
      // Any reply means that the program is there; the bus itself reports an absence.
      if case .refused = error.reason, !error.isAboutAbsence { return }
      throw error
    }
  }
}
