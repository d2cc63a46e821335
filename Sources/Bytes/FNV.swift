/// FNV-1a, 64 bits (draft-eastlake-fnv), for file names. It tells texts apart but hides nothing.
package func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
  bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}
