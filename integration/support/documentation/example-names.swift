// Names that examples in comments may use without declaring them.
import Foundation
import Keychain
import KeychainTesting
import SharedKeychain

let keychain = SharedKeychain(InMemoryKeychain())
let login = GenericPassword(service: "example", account: "alice")
let counter = GenericPassword(service: "example", account: "counter")

func show(_ item: Item) {}
func hide(_ item: Item) {}
