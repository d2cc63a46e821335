/// The variable in the environment of programs that `llavero sync` runs. They must not use or sync a shared keychain.
package enum SyncingMark {
  package static let variable = "LLAVERO_SYNCING"
}
