import Keychain

struct PersistentReference: Hashable, Sendable {
}
