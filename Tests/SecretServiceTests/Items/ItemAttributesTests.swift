import Expectations
import Keychain
import TestSupport
import Testing

@testable import SecretService

/// Attributes as a program stores them, and the key that they make.
struct AttributesRow: Sendable, CustomTestStringConvertible {
  let what: String
  let attributes: [String: String]
  let key: Item.Key?
  var testDescription: String { what }

  init(_ what: String, _ attributes: [String: String], _ key: Item.Key?) {
    self.what = what
    self.attributes = attributes
    self.key = key
  }

  /// Attributes as words `NAME=VALUE`, with underscores for spaces, and the key as tests spell items; `none` if it is none.
  init(_ what: String, _ attributes: String, _ key: String) {
    var all: [String: String] = [:]
    for word in attributes.split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let isKept = parts[0] == "xdg:schema" || parts[0] == "docker_cli"
      let value = String(isKept ? parts[1] : parts[1].replacing("_", with: " "))
      all[String(parts[0])] = ["NETWORK": Self.network, "GENERIC": Self.generic][value] ?? value
    }
    self.init(what, all, key == "none" ? nil : Item(spelled: key).key)
  }

  private static let network = "org.gnome.keyring.NetworkPassword"
  private static let generic = "org.freedesktop.Secret.Generic"

  /// Attributes that this program writes, and reads back.
  static let own = [
    AttributesRow(
      "an account on a server", "xdg:schema=NETWORK protocol=https server=github.com user=alice",
      "alice@github.com"),
    AttributesRow(
      "everything",
      "xdg:schema=NETWORK protocol=https server=example.com port=8443 user=alice object=acme/app.git domain=cargo authtype=dflt",
      "alice@:8443/acme/app.git#cargo?dflt"),
    AttributesRow(
      "the protocol's own port, where somebody named it",
      "xdg:schema=NETWORK protocol=https server=example.com port=443", "@:443"),
    AttributesRow(
      "the largest port", "xdg:schema=NETWORK protocol=https server=example.com port=65535", "@:65535"),
    AttributesRow(
      "an empty account, which is not the same as none",
      "xdg:schema=NETWORK protocol=https server=example.com user=",
      "''@"),
    AttributesRow("no account", "xdg:schema=NETWORK protocol=https server=example.com", "@"),
    AttributesRow(
      "a certificate, which has no server", "xdg:schema=NETWORK protocol=cert object=home/alice/key.pem",
      "cert:@-/home/alice/key.pem"),
    AttributesRow(
      "an IPv6 address, in brackets as git has it",
      ["xdg:schema": network, "protocol": "https", "server": "[::1]", "port": "8080"],
      Item.internet("::1", port: 8080).key),
    AttributesRow(
      "a server that is in brackets itself",
      ["xdg:schema": network, "protocol": "https", "server": "[[x]]"], Item.internet("[x]").key),
    AttributesRow(
      "capital letters, where they don't count",
      "xdg:schema=NETWORK protocol=https llavero:base64:protocol=SFRUUFM= server=github.com llavero:base64:server=R2l0SHViLmNvbQ==",
      "HTTPS:@GitHub.com"),
    AttributesRow(
      "capital letters in an IPv6 address",
      [
        "xdg:schema": network, "protocol": "https", "server": "[fe80::1]",
        "llavero:base64:server": "W0ZFODA6OjFd",
      ], Item.internet("FE80::1").key),
    AttributesRow(
      "capital letters, where they count",
      "xdg:schema=NETWORK protocol=https server=example.com user=Alice object=Acme", "Alice@/Acme"),
    AttributesRow(
      "bytes that are not UTF-8",
      [
        "xdg:schema": network, "protocol": "https", "server": "example.com", "user": "a\u{fffd}",
        "llavero:base64:user": "Yf8=", "object": "\u{fffd}/b", "llavero:base64:object": "/i9i",
      ], Item.internet(account: attribute([0x61, 0xff]), path: attribute([0xfe, 0x2f, 0x62])).key),
    AttributesRow(
      "U+FFFD itself, which is text", "xdg:schema=NETWORK protocol=https server=example.com user=\u{fffd}",
      "\u{fffd}@"),
    AttributesRow(
      "a generic password",
      "xdg:schema=GENERIC service=aws:default username=alice application=Python_keyring_library llavero:no-creator=1",
      "generic:aws:default,alice"),
    AttributesRow(
      "a generic password without an account", "xdg:schema=GENERIC service=aws:default",
      "generic:aws:default"),
    AttributesRow(
      "a generic password whose names are not UTF-8",
      [
        "xdg:schema": generic, "service": "\u{fffd}", "llavero:base64:service": "gA==",
        "username": "\u{fffd}",
        "llavero:base64:username": "/w==", "application": "Python keyring library", "llavero:no-creator": "1",
      ], Item.generic(attribute([0x80]), account: attribute([0xff])).key),
  ]

  /// Attributes that other programs write.
  static let foreign = [
    AttributesRow(
      "git's helper since 2.43",
      "xdg:schema=org.git.Password protocol=https server=github.com user=alice object=acme port=8443",
      "alice@github.com:8443/acme"),
    AttributesRow(
      "git's helper up to 2.42",
      ["xdg:schema": network, "protocol": "http", "server": "[::1]", "port": "80", "user": "alice"],
      Item.internet("::1", account: "alice", protocol: "http", port: 80).key),
    AttributesRow(
      "a program whose server has capital letters", "xdg:schema=NETWORK protocol=HTTPS server=GitHub.com",
      "HTTPS:@GitHub.com"),
    AttributesRow("an empty port is none", "protocol=https server=example.com port=", "@"),
    AttributesRow("port 0", "protocol=https server=example.com port=0", "none"),
    AttributesRow("port 65536", "protocol=https server=example.com port=65536", "none"),
    AttributesRow("a negative port", "protocol=https server=example.com port=-1", "none"),
    AttributesRow("a port that is a name", "protocol=https server=example.com port=https", "none"),
    AttributesRow("a port with a space", "protocol=https server=example.com port=_80", "none"),
    AttributesRow("neither server nor path", "protocol=https user=alice", "none"),
    AttributesRow("an empty server and no path", "protocol=https server= user=alice", "none"),
    AttributesRow(
      "empty values are none, but for the account",
      "protocol=https server=example.com user= object= domain= authtype=", "''@"),
    AttributesRow(
      "base64 that is none gives way to the text",
      "protocol=https server=example.com llavero:base64:server=?",
      "@"),
    AttributesRow(
      "Python's keyring", "xdg:schema=GENERIC application=Python_keyring_library service=pypi username=alice",
      "generic:pypi,alice"),
    AttributesRow("go-keyring", "service=gh:github.com username=alice", "generic:gh:github.com,alice"),
    AttributesRow(
      "Git Credential Manager",
      "xdg:schema=com.microsoft.GitCredentialManager service=git:https://github.com account=alice",
      "generic:git:https://github.com,alice"),
    AttributesRow("a service without a name", "service= username=alice", "none"),
    AttributesRow("a browser", "xdg:schema=chrome_libsecret_os_crypt_password_v2 application=chrome", "none"),
    AttributesRow(
      "a locked item of gnome-keyring, which shows hashes", "gkr:hash:server=d0e1 gkr:hash:user=77",
      "none"),
    AttributesRow("nothing", "", "none"),
  ]

  /// Attributes that docker-credential-secretservice writes, by URL.
  static let docker: [(url: String, key: Item.Key?)] = [
    (
      "https://index.docker.io/v1/",
      Item.internet("index.docker.io", account: "alice", path: "v1", domain: "docker").key
    ),
    ("ghcr.io", Item.internet("ghcr.io", account: "alice", domain: "docker").key),
    ("https://ghcr.io", Item.internet("ghcr.io", account: "alice", domain: "docker").key),
    ("https://ghcr.io///", Item.internet("ghcr.io", account: "alice", domain: "docker").key),
    ("ghcr.io/acme/app", Item.internet("ghcr.io", account: "alice", path: "acme/app", domain: "docker").key),
    (
      "registry.example:5000",
      Item.internet("registry.example", account: "alice", port: 5000, domain: "docker").key
    ),
    (
      "http://localhost:5000/",
      Item.internet("localhost", account: "alice", protocol: "http", port: 5000, domain: "docker").key
    ),
    ("https://[::1]:5000", Item.internet("::1", account: "alice", port: 5000, domain: "docker").key),
    ("https://[::1]", Item.internet("::1", account: "alice", domain: "docker").key),
    ("", nil), ("https://", nil), ("https:///v1/", nil), ("://ghcr.io", nil), ("ghcr.io:0", nil),
    ("https://ghcr.io:65536/", nil), ("ghcr.io:latest", nil), (":5000", nil), ("[]", nil), ("ghcr.io:", nil),
  ]
}

@Suite("attributes") struct ItemAttributesTests {
  private static func stored(_ attributes: [String: String], label: String = "") -> StoredItem {
    StoredItem(path: "/org/freedesktop/secrets/collection/login/1", attributes: attributes, label: label)
  }

  /// The item of these attributes, apart from its place.
  private static func read(_ attributes: [String: String], label: String = "") -> Item? {
    var item = ItemAttributes.item(of: stored(attributes, label: label))
    item?.reference = nil
    return item
  }

  @Test("a new item gets these attributes, and is read from them", arguments: AttributesRow.own)
  func own(row: AttributesRow) throws {
    let key = try #require(row.key)
    expect(ItemAttributes.attributes(of: Item(key)), is: row.attributes)
    expect(ItemAttributes.key(of: row.attributes), is: key)
  }

  @Test("what other programs wrote is read", arguments: AttributesRow.foreign)
  func foreign(row: AttributesRow) {
    expect(ItemAttributes.key(of: row.attributes), is: row.key)
    expect(ItemAttributes.item(of: Self.stored(row.attributes))?.key, is: row.key)
  }

  @Test("docker's URLs are read as its helper means them", arguments: AttributesRow.docker)
  func docker(url: String, key: Item.Key?) {
    let attributes = [
      "xdg:schema": "io.docker.Credentials", "label": "Docker Credentials", "docker_cli": "1", "server": url,
      "username": "alice",
    ]
    expect(ItemAttributes.key(of: attributes), is: key)
  }

  @Test(
    "the URLs of cargo's own provider are read as cargo means them",
    arguments: [
      ("sparse+https://corp.example/index/", "sparse+https", "corp.example", nil, "index"),
      ("sparse+http://127.0.0.1:5998/index/", "sparse+http", "127.0.0.1", 5998, "index"),
      (
        "https://github.com/rust-lang/crates.io-index", "https", "github.com", nil,
        "rust-lang/crates.io-index"
      ),
    ] as [(String, ByteString, ByteString, UInt16?, ByteString)])
  func cargo(
    url: String, protocol: ByteString, server: ByteString, port: UInt16?, path: ByteString
  ) throws {
    let cargos = ["xdg:schema": "org.rust-lang.cargo.registry", "url": url]
    let key = InternetPassword(
      protocol: `protocol`, server: server, port: port, path: path, securityDomain: "cargo")
    expect(ItemAttributes.key(of: cargos), is: .internetPassword(key))
    var item = try #require(ItemAttributes.item(of: Self.stored(cargos)))
    expect(ItemAttributes.attributes(of: item, replacing: cargos), is: cargos)
    item.key = Item.internet("other.example", domain: "cargo").key
    expect(ItemAttributes.attributes(of: item, replacing: cargos), is: ItemAttributes.attributes(of: item))
    // On other items such an attribute means nothing.
    expect(ItemAttributes.key(of: ["url": url]), is: nil)
  }

  @Test("what a person noted is kept exactly", arguments: [[], [0x61], [0], [0x61, 0, 0xff], [0xc3, 0xa9]])
  func notes(bytes: [UInt8]) {
    let note = ByteString(bytes)
    let item = Item(
      Item.internet().key, label: note, comment: note, itemDescription: note, creator: note, type: note,
      isDefault: true)
    let attributes = ItemAttributes.attributes(of: item)
    expect(Self.read(attributes, label: ItemAttributes.label(of: item)), is: item)
    for name in ["comment", "description", "creator", "type"] {
      let isText = note.text != nil && !bytes.contains(0)
      expect(attributes["llavero:\(name)"] == note.text, is: isText)
      expect(attributes["llavero:base64:\(name)"] == nil, is: isText)
    }
    expect(attributes["llavero:default"], is: "1")
  }

  @Test(
    "a generic password's creator is what other programs call its application", arguments: ["uv", "\u{0}"])
  func application(name: String) throws {
    var item = Item.generic("service", account: "alice")
    item.creator = ByteString(name)
    let attributes = ItemAttributes.attributes(of: item)
    expect(attributes["application"] != nil && attributes["llavero:creator"] == nil)
    var read = try #require(ItemAttributes.item(of: Self.stored(attributes)))
    expect(read.creator, is: item.creator)
    expect(ItemAttributes.attributes(of: read, replacing: attributes), is: attributes)
    read.creator = nil
    let cleared = ItemAttributes.attributes(of: read, replacing: attributes)
    expect(ItemAttributes.item(of: Self.stored(cleared))?.creator, is: nil)
    // As it was stored originally.
    let older = ["service": "service", "llavero:creator": "me", "application": "uv"]
    let again = try #require(ItemAttributes.item(of: Self.stored(older)))
    expect(again.creator, is: "me")
    expect(
      ItemAttributes.attributes(of: again, replacing: older), is: ["service": "service", "application": "me"])
  }

  @Test("Python's keyring takes a new generic password without a creator for its own, and nobody else's")
  func python() throws {
    let item = Item.generic("service", account: "alice")
    let attributes = ItemAttributes.attributes(of: item)
    expect(attributes["application"], is: "Python keyring library")
    let read = try #require(ItemAttributes.item(of: Self.stored(attributes)))
    expect(read.creator, is: nil)
    expect(ItemAttributes.attributes(of: read, replacing: attributes), is: attributes)
    // Python's keyring replaces them with its own attributes.
    let pythons = attributes.filter { $0.key != "llavero:no-creator" }
    expect(ItemAttributes.item(of: Self.stored(pythons))?.creator, is: "Python keyring library")
    var named = read
    named.creator = "uv"
    let uvs = ItemAttributes.attributes(of: named, replacing: attributes)
    expect(uvs["application"] == "uv" && uvs["llavero:no-creator"] == nil)
    // Attributes of other programs are unchanged.
    let others = ["service": "service", "username": "alice"]
    let foreign = try #require(ItemAttributes.item(of: Self.stored(others)))
    expect(ItemAttributes.attributes(of: foreign, replacing: others), is: others)
    expect(ItemAttributes.attributes(of: .generic("service"))["application"], is: nil)
  }

  private static let item = Item.internet(account: "alice", path: "acme", port: 8443)

  @Test(
    "a label that a program made of the key is nobody's own, git's helper for every kind of item",
    arguments: [
      (item, "https://example.com:8443/acme (alice)", nil), (item, "Git: https://example.com:8443/acme", nil),
      (item, "", nil), (item, "Git: https://example.com/acme", "Git: https://example.com/acme"),
      (item, "work", "work"),
      (item, "git: https://example.com:8443/acme", "git: https://example.com:8443/acme"),
      (.internet("github.com", account: "alice"), "Git: https://github.com/", nil),
      (.internet("::1", port: 8080), "Git: https://[::1]:8080/", nil),
      (.internet(nil, path: "key.pem", protocol: "cert"), "Git: cert:///key.pem", nil),
    ] as [(Item, String, String?)])
  func labels(item: Item, label: String, own: String?) {
    let read = Self.read(ItemAttributes.attributes(of: item), label: label)
    expect(read?.key, is: item.key)
    expect(read?.label, is: own.map { ByteString($0) })
  }

  @Test("a person's label is kept where it says what a program would have said, too")
  func ownLabels() {
    for label in ["https://example.com (alice)", "Git: https://example.com/", "work"] as [ByteString] {
      var item = Item.internet(account: "alice")
      item.label = label
      let attributes = ItemAttributes.attributes(of: item)
      let read = ItemAttributes.item(of: Self.stored(attributes, label: ItemAttributes.label(of: item)))
      expect(read?.label, is: label)
      expect(attributes.keys.contains("llavero:base64:label"), is: label != "work")
    }
  }

  @Test("people see the label, else the key in words, and never nothing")
  func shownLabels() {
    expect(
      ItemAttributes.label(of: Item(Item.internet(account: "alice").key, label: "work")), is: "work")
    expect(ItemAttributes.label(of: Item.internet(account: "alice")), is: "https://example.com (alice)")
    expect(ItemAttributes.label(of: Item(Item.internet().key, label: "")), is: "https://example.com")
    expect(ItemAttributes.label(of: Item(Item.internet().key, label: attribute([0]))), is: "\u{fffd}")
  }

  // MARK: Changing

  private static let git = [
    "xdg:schema": "org.git.Password", "protocol": "https", "server": "GitHub.com", "user": "alice",
    "other:note": "kept",
  ]

  @Test("a change of the notes leaves all else as another program wrote it")
  func updateNotes() throws {
    var item = try #require(ItemAttributes.item(of: Self.stored(Self.git)))
    item.comment = "hello"
    expect(
      ItemAttributes.attributes(of: item, replacing: Self.git),
      is: Self.git.merging(["llavero:comment": "hello"]) { $1 })
    item.comment = nil
    expect(
      ItemAttributes.attributes(of: item, replacing: Self.git.merging(["llavero:comment": "hello"]) { $1 }),
      is: Self.git)
  }

  @Test("a change of the key keeps another program's schema and attributes")
  func updateKey() {
    let item = Item.internet("github.com", account: attribute([0xff]), path: "acme")
    expect(
      ItemAttributes.attributes(of: item, replacing: Self.git),
      is: [
        "xdg:schema": "org.git.Password", "protocol": "https", "server": "github.com", "user": "\u{fffd}",
        "llavero:base64:user": "/w==", "object": "acme", "other:note": "kept",
      ])
  }

  @Test("an attribute that the new key has not goes, with its exact form")
  func updateRemoves() {
    let before = ItemAttributes.attributes(
      of: .internet("GitHub.com", account: attribute([0xff]), path: "acme", port: 1, domain: "cargo"))
    let item = Item.internet("github.com")
    expect(ItemAttributes.attributes(of: item, replacing: before), is: ItemAttributes.attributes(of: item))
  }

  @Test("docker's item that gets another key is docker's no more, and one that keeps it stays as it was")
  func updateDocker() throws {
    let docker = [
      "xdg:schema": "io.docker.Credentials", "docker_cli": "1", "server": "https://ghcr.io",
      "username": "alice", "label": "Docker Credentials",
    ]
    var item = try #require(ItemAttributes.item(of: Self.stored(docker)))
    expect(ItemAttributes.attributes(of: item, replacing: docker), is: docker)
    item.key = Item.internet("ghcr.io", account: "bob", domain: "docker").key
    var expected = ItemAttributes.attributes(of: item)
    expected["label"] = "Docker Credentials"
    expect(ItemAttributes.attributes(of: item, replacing: docker), is: expected)
  }

  @Test("the fields that KeePassXC shows among the attributes are not written back")
  func keePassXC() throws {
    let own = ["protocol": "https", "server": "example.com", "user": "alice", "KPXC note": "kept"]
    let fields = ["Title", "UserName", "URL", "Notes", "Path", "Uuid", "TOTP"]
    let existing = own.merging(fields.map { ($0, "x") }) { $1 }
    let item = try #require(ItemAttributes.item(of: Self.stored(existing)))
    expect(ItemAttributes.attributes(of: item, replacing: existing), is: own)
    // If nothing shows that an item is KeePassXC's, its attributes stay.
    let foreign = own.merging(["Title": "x", "Notes": "y"]) { $1 }
    expect(ItemAttributes.attributes(of: item, replacing: foreign), is: foreign)
  }

  // MARK: Properties

  @Test("every item is read as it was written", arguments: 0..<4)
  func roundTrip(seed: Int) throws {
    var numbers = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<(isLongForm ? 1500 : 300) {
      let item = ConfusableItems.item(&numbers)
      try item.validate()
      let attributes = ItemAttributes.attributes(of: item)
      let label = ItemAttributes.label(of: item)
      expect(!label.isEmpty)
      for text in attributes.flatMap({ [$0.key, $0.value] }) + [label] {
        try #require(!text.utf8.contains(0), "\(item)")
      }
      expect(Self.read(attributes, label: label), is: item)
    }
  }

  @Test("an item that becomes another is read as that, whatever it was before", arguments: 0..<3)
  func updates(seed: Int) throws {
    var numbers = SeededGenerator(seed: UInt64(seed + 10))
    for _ in 0..<(isLongForm ? 1500 : 300) {
      let before = ItemAttributes.attributes(of: ConfusableItems.item(&numbers))
      var item = ConfusableItems.item(&numbers)
      item.label = nil
      let attributes = ItemAttributes.attributes(of: item, replacing: before)
      expect(Self.read(attributes), is: item)
      expect(ItemAttributes.attributes(of: item, replacing: attributes), is: attributes)
    }
  }

  @Test("what is written is found by one of the searches of every query that it answers", arguments: 0..<4)
  func searches(seed: Int) throws {
    var numbers = SeededGenerator(seed: UInt64(seed + 20))
    // Other users of libsecret give their items any schema; cargo's have nothing else in common.
    let cargos = ["xdg:schema": "org.rust-lang.cargo.registry"]
    for _ in 0..<(isLongForm ? 1500 : 300) {
      let item = ConfusableItems.item(&numbers)
      let attributes = ItemAttributes.attributes(of: item)
      let query = try ConfusableItems.query(for: item.key, &numbers)
      try #require(query.matches(item), "\(query) \(item)")
      let searches = try #require(ItemAttributes.searches(for: query))
      expect(
        searches.contains { $0.allSatisfy { attributes[$0.key] == $0.value } }, "\(query) \(attributes)")
      expect(searches.allSatisfy { ($0["xdg:schema"] == nil || $0 == cargos) && !$0.isEmpty })
    }
  }

  @Test("what git's helper wrote is found by the query that git asks", arguments: [443, 8443])
  func searchesForGit(port: Int) throws {
    let attributes = [
      "protocol": "https", "server": "GitHub.com", "user": "alice", "object": "acme", "port": "\(port)",
    ]
    let query = try ItemQuery.internet("GitHub.com", path: "acme/app.git", port: UInt16(port))
    let searches = try #require(ItemAttributes.searches(for: query))
    expect(searches.contains { $0.allSatisfy { attributes[$0.key] == $0.value } })
  }

  @Test("docker's own items are searched for where docker asks, and only there")
  func searchesForDocker() throws {
    let docker = ["docker_cli": "1"]
    try expect(
      ItemAttributes.searches(for: .internet("ghcr.io", domain: "docker"))?.contains(docker), is: true)
    try expect(
      ItemAttributes.searches(for: .internet("ghcr.io", domain: "cargo"))?.contains(docker), is: false)
    try expect(ItemAttributes.searches(for: .internet("ghcr.io"))?.contains(docker), is: false)
    expect(ItemAttributes.searches(for: .all), is: nil)
  }

  @Test("any attributes are read or passed over, and what is read can be written anew", arguments: 0..<4)
  func fuzz(seed: Int) throws {
    var numbers = SeededGenerator(seed: UInt64(seed + 30))
    let names = [
      "xdg:schema", "protocol", "server", "port", "user", "object", "domain", "authtype", "service",
      "username", "account", "docker_cli", "llavero:comment", "llavero:default", "llavero:base64:server",
      "llavero:base64:user", "llavero:base64:protocol", "llavero:base64:label", "Uuid", "Title", "other",
    ]
    let values = [
      "", "https", "HTTPS", "1", "0", "443", "+443", "99999999999999999999", "://", "://x", "a://b:c",
      "https://x:5/y", "[", "]", "[]", "[]:1", ":", "::", "\u{0}", "\u{fffd}", "\n", "YQ==", "====", "=", "Y",
      "AA==", "/w==", "org.git.Password", "io.docker.Credentials", "e\u{301}", "\u{1f511}",
    ]
    for _ in 0..<(isLongForm ? 3000 : 600) {
      var attributes: [String: String] = [:]
      for _ in 0..<numbers.number(in: 0..<10) { attributes[numbers.pick(names)] = numbers.pick(values) }
      let stored = Self.stored(attributes, label: numbers.pick(values))
      _ = SecretBody.Form(of: attributes)
      guard let item = ItemAttributes.item(of: stored) else { continue }
      if case .internetPassword(let key) = item.key {
        expect(!key.protocol.isEmpty && key.port != 0 && (key.server != nil || key.path != nil))
      }
      expect(ItemAttributes.key(of: ItemAttributes.attributes(of: item)), is: item.key)
      expect(ItemAttributes.key(of: ItemAttributes.attributes(of: item, replacing: attributes)), is: item.key)
      _ = ItemAttributes.label(of: item)
    }
  }
}
