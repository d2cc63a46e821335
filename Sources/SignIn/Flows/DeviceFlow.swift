import Bytes

/// The person who signs in, from a flow's point of view.
package protocol SignInPerson: AnyObject {
  /// Shows the code, and where to type it.
  ///
  /// - Parameters:
  ///   - complete: the address with the code in it, if there is one. Code and address are shown beside it (RFC 8628
  ///     section 3.3.1), so that the person can compare them.
  ///   - seconds: how long the code is valid.
  func show(code: String, at address: EndpointURL, complete: EndpointURL?, seconds: Int)

  /// Waits, and shows how much time is left.
  ///
  /// - Throws: ``SignInFault/cancelled``.
  func wait(milliseconds: Int, left seconds: Int) throws(SignInFault)
}

/// Signing in with a code that the person types on any device with a browser (RFC 8628).
package struct DeviceFlow {
  private let transport: any Transport
  private let person: any SignInPerson
  /// The time in milliseconds, by a monotonic clock.
  private let clock: () -> Int

  package init(over transport: any Transport, with person: any SignInPerson, clock: @escaping () -> Int) {
    self.transport = transport
    self.person = person
    self.clock = clock
  }

  /// The longest time between two requests after errors, in seconds.
  private static let longestInterval = 60

  /// Signs in.
  package func run(_ client: borrowing ClientRegistration) throws(SignInFault) -> Tokens {
    guard let endpoint = client.deviceEndpoint else { throw .noFlow }
    var form = FormBody()
    if !client.scope.isEmpty { form.append("scope", client.scope) }
    let start = clock()
    let reply = try client.exchange(form, with: endpoint, over: transport)
    let outcome: DeviceReply.Outcome
    do throws(ReplyFault) {
      outcome = try DeviceReply.parse(reply)
    } catch {
      throw .reply(error)
    }
    switch consume outcome {
    case .refusal(let refusal): throw .refused(refusal)
    case .codes(let codes):
      person.show(
        code: codes.userCode, at: codes.verification, complete: codes.complete, seconds: codes.life)
      return try poll(client, codes, until: start + codes.life * 1000)
    }
  }

  private func poll(
    _ client: borrowing ClientRegistration, _ codes: borrowing DeviceReply, until end: Int
  ) throws(SignInFault) -> Tokens {
    var interval = codes.interval
    // After an error of the network, which says nothing about the person.
    var pause = interval
    while true {
      let left = end - clock()
      if left <= 0 { throw .tooLate }
      try person.wait(milliseconds: min(pause * 1000, left), left: left / 1000)
      do throws(SignInFault) {
        return try client.redeem(deviceCode: codes.deviceCode, over: transport)
      } catch {
        switch error {
        case .refused(let refusal):
          switch refusal.kind {
          case .pending: pause = interval
          // For all further requests (section 3.5).
          case .slowDown(let asked):
            interval = max(interval + 5, asked ?? 0)
            pause = interval
          case .temporary(let after): pause = max(interval, min(after ?? pause * 2, Self.longestInterval))
          case .codeExpired: throw .tooLate
          default: throw error
          }
        case .transport(.proxyAuthentication), .transport(.unsafeConnection): throw error
        case .transport: pause = min(pause * 2, max(interval, Self.longestInterval))
        default: throw error
        }
      }
    }
  }
}
