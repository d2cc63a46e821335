import Expectations
import Interchange
import Keychain
import Testing

@Suite("developers' files")
struct DeveloperFilesTests {
  @Test(
    "what stands for a secret, or says nothing, is none", arguments: ["", "$T", "${T}", "true", "null", "''"])
  func noSecretInSetting(value: String) throws {
    try expect(result(of: "[a]\nmy_token = \(value)\n# token: x\n", .aws), is: [])
    try expect(result(of: "[user]\nsigningKey = AB12\n", .gitConfiguration), is: [])
  }

  @Test("cargo: an index beside the token comes before that of the configuration")
  func indexBesideToken() throws {
    let found = try FoundLogins(
      Array("[registries.r]\nindex = \"sparse+https://own.example/\"\ntoken = \"t\"\n".utf8), as: .cargo,
      beside: Array("[registries.r]\nindex = \"sparse+https://cfg.example/\"\n".utf8))
    expect(found.logins.map { "\($0.item.key.name)".contains("own.example") }, is: [true])
  }

  @Test("kubectl: keys in quotes, blocks, and whose login a cluster's is")
  func kubectlForms() throws {
    // kyma-project/cli#2791
    let exec =
      "\"users\":\n- \"name\": \"gh\"\n  \"user\":\n    \"exec\":\n      \"args\":\n      - \"-c\"\n      - |\n"
      + "        set -e\n        token: x\n      \"command\": \"bash\"\n- name: ana\n  user:\n    token: 't'\n"
    try expect(result(of: exec, .kubectl), is: ["kubectl:ana t", "4 noLogin", "9 unknownSetting"])
    let users = "users:\n- name: ana\n  user: {}\n- name: bob\n  user:\n    token: t\n"
    let cluster = "clusters:\n- name: c\n  cluster:\n    server: https://k.example:6443\n"
    func context(_ user: String) -> String {
      "- name: \(user)\n  context:\n    cluster: c\n    user: \(user)\n"
    }
    let own = "\(cluster)contexts:\n\(context("bob"))\(users)"
    // Each user's is under its name, whoever else logs in to the cluster, in this file or another.
    try expect(result(of: own, .kubectl), is: ["https://k.example:6443 (bob) for kubectl t"])
    let both = "\(cluster)contexts:\n\(context("ana"))\(context("bob"))"
    try expect(
      result(of: both + users.replacing("{}", with: "\n    token: a"), .kubectl),
      is: [
        "https://k.example:6443 (ana) for kubectl a", "https://k.example:6443 (bob) for kubectl t",
      ])
    let braces = "\(cluster)contexts:\n- {name: ana, context: {cluster: c, user: ana}}\n\(context("bob"))"
    try expect(
      result(of: braces + users.replacing("{}", with: "\n    token: a"), .kubectl),
      is: [
        "https://k.example:6443 (ana) for kubectl a", "https://k.example:6443 (bob) for kubectl t",
      ])
    let flow = "clusters:\n- {name: c, cluster: {server: 'https://k.example'}}\ncontexts:\n\(context("bob"))"
    try expect(result(of: flow + users, .kubectl), is: ["https://k.example (bob) for kubectl t"])
    // One is for a cluster of another file.
    let other = "\(cluster)contexts:\n\(context("bob"))- name: x\n  context: {cluster: d, user: bob}\n"
    try expect(result(of: other + users, .kubectl), is: ["kubectl:bob t"])
    // Nobody knows whose a context with an alias is.
    try expect(
      result(of: other.replacing("user: bob}", with: "user: *bob}") + users, .kubectl), is: ["17 noPlace"])
    try expect(result(of: "users:\n- name: a\n  user: {token: t}\n", .kubectl), is: ["3 malformed"])
    try expect(
      result(of: "users:\n- name: a\n  user:\n    password: p\n    client-key-data: k\n", .kubectl),
      is: [
        "5 noLogin", "4 noLogin",
      ])
  }

  @Test("git: a header's token has its scheme")
  func scheme() throws {
    let bearer = try FoundLogins(
      Array("[http \"https://h.example\"]\nextraheader = Authorization: Bearer t\n".utf8),
      as: .gitConfiguration)
    expect(bearer.logins.map { $0.credential.authenticationScheme }, is: ["Bearer"])
  }

  /// A file of three logins, laid out in each of the ways that people and programs do it.
  private static let layouts = [
    #"{"credentials":{"a":{"token":"t"},"b":{"token":"u"},"c":{"token":"v"}}}"#,
    "{\n  \"credentials\": {\n    \"a\": {\n      \"token\": \"t\"\n    },\n    \"b\": {\"token\": \"u,\"},\r\n"
      + "    \"c\": {\"token\": \"v\"}\n  }\n}\n",
    #"{ "x" : 1 , "credentials" : { "a" : {"token":"}"} , "b":{"token":"u"} ,"c":{"token":"v"}, "d":{} } }"#,
    #"{"credentials":{"a":{"token":"t"}},"credentials":{"b":{"token":"u"},"z":[","],"c":{"token":"v"}},"y":{}}"#,
  ]

  @Test(
    "whichever tokens go, the file is JSON without them, and the others are as they were", arguments: layouts)
  func membersGo(text: String) throws {
    let bytes = Array(text.utf8)
    let found = try FoundLogins(bytes, as: .terraform)
    expect(found.logins.count, is: 3)
    for subset in 0..<8 {
      let going = found.logins.enumerated().filter { subset & 1 << $0.offset != 0 }.flatMap(
        \.element.removals)
      let rest = try bytes.withUnsafeBytes { file in
        let rest = try SourceText(file).file(file, after: Set(going))
        return rest.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      }
      let staying = found.logins.enumerated().filter { subset & 1 << $0.offset == 0 }.map(\.element)
      let others = try FoundLogins(Array(rest.utf8), as: .terraform)
      expect(others.logins.map(\.item), is: staying.map(\.item), "\(subset): \(rest)")
      expect(others.passedOver.count, is: found.passedOver.count, "\(subset): \(rest)")
      if subset == 0 { expect(rest, is: text) }
    }
  }
}
