import Testing

/// Numbers of a key exchange that another program calculated.
struct KnownExchange: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let exponent: [UInt8]
  let publicKey: [UInt8]
  let peer: [UInt8]
  let sessionKey: [UInt8]

  /// The numbers with which oo7 tests its own exchange (client/src/key.rs). The exponent has 1022 bits.
  static let oo7 = KnownExchange(
    testDescription: "of oo7",
    exponent: bytes(
      """
      29143fec f6846d46 ac792d42 8115f75b 60d938c9 cd3811b2 ca514768 e9595720 58926be0 38676f4a
      8f50aa28 0534305a 4b47c1e0 de395b51 42010658 894266cf 375f435c 8ce3f299 b9c359ec 92f258d7
      010787fe 55a5ec6e 164f6bfe 95a4f35e 81c62dd0 84a60099 f3a0ffbc 3bd863dd 55a274d2 a075c927
      b37b6b08 f28bcffa
      """),
    publicKey: bytes(
      """
      09c0d251 d4bf4a77 16ac518e 7c591147 76be5147 3195c8cc 0e2f6fa5 7767d866 6f5df240 49e0a50b
      7fdbc5bc a8defe0a 685108ce ed77e164 4ec459a3 3fa94dec 50f1bd31 1b28f3e5 42355056 2cd557ba
      4437d838 ec33e52c ae12578d 5547b9cb d090be75 8dff996a 7b1c98c8 edbdb014 50d3219e e8c2912d
      c2236c6a d6dd9f89
      """),
    peer: bytes(
      """
      32e94c58 2fceeb6b 09e8620e bcd6d14d 23426d77 18bf785a f2c6f073 c84233b4 08a45909 e51fa01f
      9c65a93c 3ff725ff 4bc63eeb 321dddf5 1df88cd1 3ed70289 524df8f2 38b076b7 7c4a1a85 bc2f1f8d
      e8c25c12 45033899 2a098f51 c59fc8c5 dd4aba9d 9e244a7d 0bea2102 0524cef8 9b9d919f ee13b9c2
      8603c3c6 3c649f1f
      """),
    sessionKey: bytes("840371de 51d1312b 51e8f32e 0167b82a"))

  /// What is shared is a number of 127 bytes. Calculated with Python's integers, `hmac` and `hashlib`.
  static let shortSharedNumber = KnownExchange(
    testDescription: "with a short shared number",
    exponent: bytes(
      "ca978112 ca1bbdca fac231b3 9a23dc4d a786eff8 147c4e72 b9807785 afee48bb"),
    publicKey: bytes(
      """
      99bf5bad a8965b78 e37ce538 8e85ad5c 276591ab da88778d 570841de 76742673 949ce76e 58cc470c
      3d771029 fdd00364 a38258c1 c4851105 a3a14055 fab15ac6 c178e9e8 6cf0acc8 c2c4d0d8 7e3cbd19
      2def6984 8dd32e5e 3e50c02d 86242e25 38f86839 8436897e ce049f63 b1654355 96a86572 d38e1c37
      de138a86 d6f008c7
      """),
    peer: bytes(
      """
      4b878385 952261cf 874baac0 5faec789 ea0e2268 7cdb3069 2223fd12 cf431609 94c3c0e7 15c5ec94
      c7ba1394 a9bb02b3 66a85049 5ee49bad c5050bf2 12e26874 fad5ef38 c96344af 17312ecc a9aa8c36
      40e65370 05b16b10 d1e2b969 3c0c28e7 5caa771f 68c56fdc dad2b97f f0d67bea 24db63b9 d19e8a27
      ed83c849 5f0eb889
      """),
    sessionKey: bytes("fa4bbf81 45bd7774 f9a69d7d b8d75bf6"))

  /// The public key is a number of 127 bytes. Calculated as the one before.
  static let shortPublicKey = KnownExchange(
    testDescription: "with a short public key",
    exponent: bytes(
      "c061d5b1 4dfacbb9 9ef2db46 557bb294 32b71ee3 cc2d9f4d afb865a8 75c7d5f6"),
    publicKey: bytes(
      """
      00e9af8c 375929c6 ae196fdf 060b64c6 af1a48df 5f9bd62b 87e58d91 0bf0707d fc3c0efc 1518a11d
      fa026a6c d93011e2 aeb2ca5d ee0668b1 2ff3d3ba 1d16fcfa 715ddd42 8299797f 9b3b4425 bddc830d
      f50cf567 6349e399 75ce8d35 0635b23a 7730990f 866aafd0 ead4ea76 8124ff53 105b3172 72fa0baf
      44b1d107 64ff05a5
      """),
    peer: shortSharedNumber.publicKey,
    sessionKey: bytes("b1153ce9 461a9bee 7013db6b 1feb3a4c"))

  static let all = [oo7, shortSharedNumber, shortPublicKey]
}
