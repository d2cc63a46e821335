import Expectations
import Interchange
import Keychain
import Testing

@Suite("files of Python's programs")
struct PythonFilesTests {
  @Test("a repository without a URL, and one whose URL is none, are passed over")
  func noRepository() throws {
    let found = try Found(
      "[a]\npassword=p\n[b]\nrepository=/x\npassword=p\nwhat\n[c]\nrepository=http://h/\npassword=\n",
      as: .pypirc)
    expect(found.logins.isEmpty)
    expect(found.reasons, is: ["6 malformed", "2 noPlace", "5 noPlace", "9 noSecret"])
  }

  @Test("a value is Python's, or is passed over")
  func pythonsValues() throws {
    for (text, secret) in [
      ("a\n\n  b", "a\n\nb"), ("a\n# c\n  b", "a\nb"), ("a # b", "a # b"), ("a%%b", "a%%b"), ("a\n\n", "a"),
    ] {
      try expect(
        Found("[pypi]\npassword = \(text)\n", as: .pypirc).secrets, is: [Array(secret.utf8)], "\(text)")
    }
    for text in ["a\u{a0}", "\u{2003}a", "a\u{1c}", "a\rb"] {
      let found = try Found("[pypi]\npassword = \(text)\n", as: .pypirc)
      expect(found.logins.isEmpty, "\(text)")
      expect(found.reasons, is: ["2 malformed"], "\(text)")
    }
    try expect(
      Found("[pypi]\npassword = a\npassword = b\n", as: .pypirc).reasons,
      is: [
        "3 disputed", "2 unknownSetting",
      ])
    try expect(
      Found("[DEFAULT]\nusername = bob\n[pypi]\npassword = a\n", as: .pypirc).logins,
      is: [
        "https://upload.pypi.org/legacy/ (bob) a"
      ])
  }

  @Test("the password's line goes, and no other")
  func remainder() throws {
    try expect(
      InterchangeTests.remainder(
        of: "[pypi]\n# mine\nusername = a\npassword = b\n  c\n# end\n[x]\npassword = d\n", as: .pypirc),
      is: "[pypi]\n# mine\nusername = a\n# end\n[x]\npassword = d\n")
  }

  @Test("what is no base64 is passed over, and the encrypted file is named so")
  func otherFiles() throws {
    try expect(
      Found("[s]\na = x\nb =\nc = QQ==\n", as: .keyring).reasons, is: ["2 malformed", "3 noSecret"])
    #expect(
      throws: FormatFault("it is the encrypted file of Python's keyring, and only that can read it")
    ) {
      try Found("[keyring_2Dsetting]\npassword_20reference = QQ==\n", as: .keyring)
    }
    #expect(throws: FormatFault("it has no sections, as a file of Python's keyring has")) {
      try Found("x\n", as: .keyring)
    }
    #expect(throws: FormatFault("it has no sections, as a .pypirc file has")) { try Found("", as: .pypirc) }
  }
}
