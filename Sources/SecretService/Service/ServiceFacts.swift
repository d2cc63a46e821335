import Glibc
public import Keychain

extension SecretServiceKeychain {
  /// Whether the service is llavero's own.
  public var isOwn: Bool { service.isOwn }

  /// Whether it serves the keychain that is forwarded to this machine.
  public var servesForwarded: Bool { service.has(name: BusName.forwarded) }

  /// Whether there is a collection for new items that outlives the login session.
  public func keepsNewItems() throws(KeychainError) -> Bool {
    try repeatable { () throws(KeychainError) in
      try existingCollection().map { !$0.hasSuffix("/session") } ?? false
    }
  }

  /// Describes the service and its collections, without unlocking anything.
  public func facts() throws(KeychainError) -> DesktopKeychainFacts {
    try repeatable { () throws(KeychainError) in try factsNow() }
  }

  private func factsNow() throws(KeychainError) -> DesktopKeychainFacts {
    let used = try existingCollection()
    let paths = try reporting(service.collections())
    // The service returns them in no particular order.
    let collections = try reporting(paths.sorted().map(fact))
    let process = service.process()
    return DesktopKeychainFacts(
      address: address.text, owner: service.owner, program: process?.program, processID: process?.id,
      collection: collections.first { $0.path == used }, collections: collections)
  }

  private func fact(ofCollection path: String) throws(BusFailure) -> DesktopKeychainFacts.Collection {
    let reply = try service.bus.call(service.readingAll(of: Interface.collection, at: path))
    let properties = try reply.checked(as: "(a{sv})", of: "GetAll")[0]
    return DesktopKeychainFacts.Collection(
      path: path, label: try properties.property("Label", of: "GetAll").text(of: "property Label"),
      isLocked: try properties.property("Locked", of: "GetAll").bool(of: "property Locked"),
      itemCount: try properties.optionalProperty("Items")?.paths(of: "property Items").count,
      textFile: textFile(ofCollection: path))
  }

  /// The file of a collection, if gnome-keyring keeps it as text.
  private func textFile(ofCollection path: String) -> String? {
    guard service.product == .gnomeKeyring else { return nil }
    let file = KeyringFile(ofCollection: path, in: settings.keyringFolder)
    return file.flatMap { $0.isText ? $0.path : nil }
  }

  private static func connect(
    to address: BusAddress, _ settings: DesktopKeychainSettings
  ) throws(KeychainError) {
    close(
      try reporting(BusHandshake.connect(to: address, patience: settings.probeTimeout)))
  }

  /// Checks everything that the Secret Service depends on, up to the first problem.
  public static func diagnose(_ settings: DesktopKeychainSettings) -> [Finding] {
    var findings: [Finding] = []
    let address: BusAddress
    do throws(KeychainError) {
      address = try BusAddress.find(settings.busAddress)
      let origin = address.isFromEnvironment ? "DBUS_SESSION_BUS_ADDRESS" : "the usual place"
      findings.append(Finding("bus", "\(address.text) (from \(origin))"))
    } catch {
      return [Finding("bus", nil, problem: error)]
    }
    do throws(KeychainError) {
      try connect(to: address, settings)
    } catch {
      return [Finding("bus", findings[0].value, problem: error)]
    }
    let keychain: SecretServiceKeychain
    do throws(KeychainError) {
      keychain = try SecretServiceKeychain(settings)
    } catch {
      return findings + [Finding("owner of org.freedesktop.secrets", nil, problem: error)]
    }
    let process = keychain.service.process()
    let program = process.map { " (\($0.program ?? "unknown program"), process \($0.id))" } ?? ""
    findings.append(Finding("owner of org.freedesktop.secrets", keychain.service.owner + program))
    if keychain.service.product == .gnomeKeyring {
      for file in KeyringFile.damaged(in: settings.keyringFolder) {
        let reason =
          "gnome-keyring can't read line \(file.line) of \(file.path), and so nothing in it; mend the line, and log in again"
        findings.append(Finding("keyring file", nil, problem: .unavailable(reason: reason)))
      }
    }
    let alias = keychain.service.defaultCollection
    findings.append(Finding("default collection", alias ?? "none"))
    do throws(KeychainError) {
      let paths = try reporting(keychain.service.collections())
      let names = paths.map(keychain.collectionName).sorted()
      findings.append(Finding("collections", names.isEmpty ? "none" : names.joined(separator: ", ")))
      guard let facts = try keychain.facts().collection else { throw .noCollection(settings.collection) }
      findings.append(
        Finding(
          "collection used", facts.name + (facts.isLasting ? "" : ", which is lost when the session ends")))
      if let file = facts.textFile {
        findings.append(Finding("protection", "none: the keyring has no password, and \(file) is plain text"))
      }
      findings.append(
        Finding(
          "state", facts.isLocked ? "locked" : "unlocked",
          problem: facts.isLocked ? .collectionLocked(facts.name) : nil))
      findings.append(Finding("items", facts.itemCount.map { "\($0) of all kinds" } ?? "unknown"))
    } catch {
      findings.append(Finding("collection used", nil, problem: error))
      return findings
    }
    do throws(KeychainError) {
      _ = try keychain.openSession()
      findings.append(Finding("session", settings.isEncrypted ? "encrypted" : "plain"))
    } catch {
      findings.append(Finding("session", nil, problem: error))
    }
    return findings
  }
}
