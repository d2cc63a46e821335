import Expectations
import TestSupport
import Testing

@testable import Keychain

@Suite("forms of a host") struct HostFormsTests {
  /// Names in both forms. Those of RFC 3492 section 7.1 are among them, as far as they are names.
  static let written: [(ByteString, ByteString)] = [
    ("bücher.example", "xn--bcher-kva.example"), ("git.ñandú.example", "git.xn--and-6ma2c.example"),
    ("пример.example", "xn--e1afmkfd.example"), ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
    ("παράδειγμα.δοκιμή", "xn--hxajbheg2az3al.xn--jxalpdlp"), ("실례.테스트", "xn--9n2bp8q.xn--9t4b11yi5a"),
    ("他们为什么不说中文.example", "xn--ihqwcrb4cv8a8dqg056pqjye.example"),
    ("למההםפשוטלאמדבריםעברית.example", "xn--4dbcagdahymbxekheh6e0a7fei0b.example"),
    ("3年b組金八先生.example", "xn--3b-ww4c5e180e575a65lsy2b.example"), ("łódź.example", "xn--d-uga0v4h.example"),
  ]

  @Test("both forms of a name are the same", arguments: written)
  func names(unicode: ByteString, ascii: ByteString) {
    expect(HostForms.areSame(unicode, ascii))
    expect(HostForms.areSame(ascii, unicode))
    expect(HostForms.others(askedFor: unicode, "http"), is: [ascii])
    expect(HostForms.others(askedFor: ascii, "http"), is: [unicode])
    expect(HostForms.areSame(ByteString("\(ascii)".uppercased()), unicode))
  }

  @Test(
    "whatever a program may map, compose or take in another way has one form",
    arguments: [
      "straße.example", "βόλος.example", "BÜCHER.example", "Bücher\u{308}.example", "bu\u{308}cher.example",
      "ﬁle.example", "ａ.example", "a\u{ad}ü.example", "نامه\u{200c}ای.example", "ı\u{307}.example",
      "ŉa.example",
      "ü/.example", "ü@.example", "ü_.example", "ü .example", "ü%.example",
    ] as [ByteString])
  func oneForm(host: ByteString) {
    let first = host.bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)[0]
    for form in HostForms.others(askedFor: host, "https") {
      // Another label may have one.
      expect(form.bytes.starts(with: first))
    }
    expect(!HostForms.areSame(host, "strasse.example"))
    expect(!HostForms.areSame(host, "bücher.example"))
  }

  @Test(
    "what begins like a name in another form, but isn't one, is itself",
    arguments: [
      "xn--github-.example", "xn--.example", "xn--a.example", "xn---.example", "xn--0.example",
      "xn--99999999.example",
      "xn--bcher-kva8.example", "xn--strae-oqa.example", "xn--Bcher-Kva\u{fc}.example", "a--b.example",
    ] as [ByteString])
  func noForm(host: ByteString) {
    expect(HostForms.others(askedFor: host, "https"), is: [])
    for other in ["github.example", "bücher.example", "straße.example"] as [ByteString] {
      expect(!HostForms.areSame(host, other))
      expect(!HostForms.areSame(other, host))
    }
  }

  @Test(
    "nearly all hosts have one form",
    arguments: ["github.com", "127.0.0.1", "localhost", "", "a-b.c"] as [ByteString])
  func plain(host: ByteString) {
    expect(HostForms.others(askedFor: host, "https"), is: [])
  }

  @Test("an address is the same in each form, and no other")
  func addresses() {
    let forms: [ByteString] = [
      "::1", "0:0:0:0:0:0:0:1", "0000:0000:0000:0000:0000:0000:0000:0001", "0::1", "::0.0.0.1", "::0001",
    ]
    for one in forms {
      for other in forms { expect(HostForms.areSame(one, other)) }
      let others = HostForms.others(askedFor: one, "ssh")
      expect(others, is: forms.prefix(3).filter { $0 != one })
    }
    expect(HostForms.areSame("2001:DB8::a", "2001:db8:0:0:0:0:0:A"))
    for other in [
      "::2", "127.0.0.1", "::1%lo", ":1", "1", "::1.", "::ffff:127.0.0.1", "::1\0", "::1\0.example", "",
    ] as [ByteString] {
      expect(!HostForms.areSame("::1", other))
    }
    expect(HostForms.others(askedFor: "fe80::1%eth0", "ssh"), is: [])
  }

  @Test("a final dot is for questions alone, and for servers that prove a name with several parts")
  func finalDot() {
    expect(HostForms.others(askedFor: "github.com.", "https"), is: ["github.com"])
    expect(HostForms.others(askedFor: "bücher.example.", "HTTPS").contains("xn--bcher-kva.example"))
    expect(HostForms.answers("github.com", askedFor: "GitHub.com.", "https"))
    expect(!HostForms.answers("github.com.", askedFor: "github.com", "https"))
    expect(!HostForms.answers("github.com", askedFor: "github.com.", "http"))
    for host in ["intranet.", ".", "..", "a..", ".a.", "127.0.0.1.", "::1."] as [ByteString] {
      expect(HostForms.others(askedFor: host, "https"), is: [])
    }
  }

  @Test("forms are mutual, and a form's forms are those of the host")
  func mutual() {
    var random = SeededGenerator(seed: 7)
    let scalars: [Unicode.Scalar] = (0..<0xffff).compactMap(Unicode.Scalar.init)
      .filter { !"./:%@ ".unicodeScalars.contains($0) }
    for round in 0..<rounds(2000) {
      var label = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let near = round % 2 == 0 ? scalars[0x60..<0x180] : scalars[...]
        if let scalar = near.randomElement(using: &random) { label.append(scalar) }
      }
      let host = ByteString(String(label) + ".example").lowercased
      let others = HostForms.others(askedFor: host, "http")
      for other in others {
        expect(HostForms.areSame(host, other) && HostForms.areSame(other, host))
        expect(Set(HostForms.others(askedFor: other, "http") + [other]), is: Set(others + [host]))
      }
    }
  }

  @Test("no letter that counts is mapped, and none is a mark")
  func letters() {
    // Of the large scripts some.
    let values = Array(UInt32(0x80)..<0x3400) + Array(stride(from: UInt32(0x3400), to: 0x30000, by: 101))
    for scalar in values.lazy.compactMap(Unicode.Scalar.init) {
      let host = ByteString(String(Character(scalar)) + ".example")
      if HostForms.others(askedFor: host, "https").isEmpty { continue }
      let properties = scalar.properties
      expect(!properties.changesWhenNFKCCaseFolded && properties.canonicalCombiningClass == .notReordered)
      expect(properties.isAlphabetic || scalar == "ー")
    }
  }
}
