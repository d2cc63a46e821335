import Expectations
import Interchange
import Keychain
import Testing

/// Whatever a person, or a plug-in, has said of an entry comes or stays, and what KeePass makes by itself is left to it.
@Suite("what KeePass keeps of an entry beside its fields")
struct KeePassElementsTests {
  private func file(_ parts: String, inGroup group: String = "") -> String {
    "<KeePassFile><Root><Group><UUID>A</UUID><Name>Root</Name>\(group)<Group><UUID>B</UUID><Name>G</Name><Entry>"
      + field("Title", "t") + field("Password", "p") + parts + "</Entry></Group></Group></Root></KeePassFile>"
  }

  private func field(_ name: String, _ value: String) -> String {
    "<String><Key>\(name)</Key><Value>\(value)</Value></String>"
  }

  private func lines(_ file: String) throws -> [String] {
    WholeLogins(try FoundLogins(Array(file.utf8), as: .keePass)).lines
  }

  @Test("codes that can't be made are said to stay, and settings that have no place are fields")
  func codes() throws {
    let code = "otpauth://totp/?secret=JBSWY3DPEHPK3PXP"
    for (parts, expected) in [
      (
        [("TimeOtp-Secret-Base32", "JBSWY3DPEHPK3PXP"), ("TimeOtp-Algorithm", "HMAC-SHA-384")],
        "tags G; left one-time code"
      ),
      (
        [("TimeOtp-Secret-Base32", "JBSWY3DPEHPK3PXP"), ("TimeOtp-Algorithm", "HMAC-SHA-1")],
        "code \(code); tags G"
      ),
      (
        [("TOTP Seed", "JBSWY3DPEHPK3PXP"), ("TOTP Settings", "30;6;https://time.example")],
        "code \(code); tags G; fields TOTP Settings=30;6;https://time.example"
      ),
      ([("TOTP Seed", "JBSWY3DPEHPK3PXP"), ("TOTP Settings", "30;6")], "code \(code); tags G"),
      (
        [("TOTP Seed", "JBSWY3DPEHPK3PXP"), ("TOTP Settings", "60;8")],
        "code \(code)&digits=8&period=60; tags G"
      ),
      ([("otp", "key=JBSWY3DPEHPK3PXP%3D%3d")], "code \(code); tags G"),
      ([("otp", "key=JBSW%20Y3DP")], "tags G; hidden otp=key=JBSW%20Y3DP"),
    ] as [([(String, String)], String)] {
      let fields = parts.map { field($0.0, $0.1) }.joined()
      try expect(lines(file(fields)), is: ["t p; \(expected)"], "\(parts)")
    }
  }
}
