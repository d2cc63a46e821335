import Bytes
import Expectations
import Forwarding
import Keychain
import KeychainTesting
import SecretService
import TestSupport
import Testing

@testable import SecretServiceProvider

@Suite("what a program may use, and somebody changes meanwhile") struct ExactChangesTests {
  private static let login = lookup(["protocol": "https", "server": "a.example", "user": "alice"])
  private static let note = lookup(["kind": "note"])

  private func shown(_ attributes: LookupAttributes) -> ItemTranslation.Shown {
    ItemTranslation.Shown(attributes: attributes, label: "x", contentType: ItemTranslation.plainText)
  }

  private func text(_ text: String) -> SharedSecret { SharedSecret(Secret(text)) }

  @Test(
    "is neither read, changed, replaced nor deleted as it is then",
    arguments: [(login, false), (login, true), (note, false), (note, true)])
  func exact(_ attributes: LookupAttributes, isForwarded: Bool) throws {
    let vault = InMemoryKeychain()
    let keychain: any KeychainStore = isForwarded ? ForwardedKeychain(to: { vault }) : vault
    let seen = try ClientChanges.store(
      shown(attributes), text("trap"), in: "more", replacing: nil, mayReplaceLogin: false, in: keychain)
    try expect(ClientChanges.unchanged([seen], isListed: isForwarded, in: keychain), is: [true])
    let present = try ClientChanges.update(seen, text("secret"), in: vault) { _ in }
    try expect(ClientChanges.unchanged([seen], isListed: isForwarded, in: keychain), is: [false])
    #expect(throws: KeychainError.itemNotFound) {
      try ClientChanges.update(seen, text("other"), isExact: true, in: keychain) { _ in }
    }
    #expect(throws: KeychainError.itemNotFound) {
      try ClientChanges.update(seen, isExact: true, in: keychain) { $0.label = "y" }
    }
    #expect(throws: KeychainError.itemNotFound) {
      try ClientChanges.store(
        shown(attributes), text("other"), in: "more", replacing: seen, isExact: true,
        mayReplaceLogin: false, in: keychain)
    }
    #expect(throws: KeychainError.itemNotFound) {
      try ClientChanges.delete(seen, isExact: true, in: keychain)
    }
    #expect(throws: KeychainError.itemNotFound) {
      try ClientChanges.deleteCollection("more", [seen], in: keychain)
    }
    try expect(vault.items(matching: .all), is: [present])
    try ClientChanges.delete(present, isExact: true, in: keychain)
    try expect(vault.items(matching: .all).isEmpty)
  }
}
