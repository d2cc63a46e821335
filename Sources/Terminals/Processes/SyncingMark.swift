/// The variable that processes have which `llavero sync` runs: no shared keychain may be used then, and none be brought
/// in step.
package enum SyncingMark {
  package static let variable = "LLAVERO_SYNCING"
}
