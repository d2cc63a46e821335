import Expectations
import Interchange
import Keychain
import Testing

@Suite("docker's configuration")
struct DockerConfigFileTests {
  @Test("what only the file is asked for stays in it, and docker's own addresses with a path don't")
  func partsOfRegistries() throws {
    for (address, isPart) in [
      ("r/team", true), ("r:5000/team/app", true), ("https://r/team", true), ("r/v1/team", true),
      ("r", false),
      ("r/", false), ("https://r/v1/", false), ("https://r/v2/", false), ("https://r/v1/access-token", false),
    ] {
      let text = #"{"auths":{"\#(address)":{"auth":"YTpi"}}}"#
      let found = try Found(text, as: .docker)
      expect(found.logins.isEmpty, is: isPart, "\(address)")
      expect(found.reasons, is: isPart ? ["\(address) partOfRegistry"] : [], "\(address)")
      expect(try InterchangeTests.remainder(of: text, as: .docker) == text, is: isPart, "\(address)")
    }
  }

  @Test("an identity token goes before a password, in whatever order they stand")
  func order() throws {
    for (members, words) in [
      (#""identitytoken":"t","auth":"YTpi""#, "auth"), (#""auth":"YTpi","identitytoken":"t""#, "auth"),
      (#""identitytoken":"t","username":"a","password":"b""#, "username + password"),
    ] {
      try expect(
        Found(#"{"auths":{"r":{"# + members + "}}}", as: .docker).logins,
        is: [
          "https://r (<token>) for docker t + \(words)"
        ])
    }
  }

  @Test("what docker doesn't use of an entry keeps it in the file")
  func leftBehind() throws {
    for (members, words) in [
      (#""auth":"YTpi","identitytoken":"t""#, ["auth"]),
      (#""identitytoken":"t","username":"a","password":"b""#, ["username", "password"]),
      (#""auth":"YTpi","username":"a","password":"c""#, ["password"]),
      (#""auth":"YTpi","username":"b""#, ["username"]),
      (#""auth":"YTpi","registrytoken":"r""#, ["registrytoken"]),
      (#""auth":"YTpi","pin":"1234""#, ["pin"]),
      (#""auth":"YTpi","email":"a@example.org","serveraddress":"r""#, []),
      (#""auth":"YTo=","identitytoken":"t""#, []), (#""auth":"YTpi","username":"a","password":"b""#, []),
    ] {
      let text = #"{"auths":{"r":{"# + members + "}}}"
      let found = try FoundLogins(Array(text.utf8), as: .docker, beside: nil)
      expect(found.logins.map(\.leftBehind), is: [words])
    }
  }

  @Test("of what stands there beside it docker takes 'auth' alone")
  func precedence() throws {
    for (members, secret) in [
      (#""auth":"YTpi","username":"x","password":"y""#, "b + username + password"),
      (#""username":"x","password":"y","auth":"YTpi""#, "b + username + password"),
      (#""auth":"YToAYgA=""#, "b"),
    ] {
      try expect(
        Found(#"{"auths":{"r":{"# + members + "}}}", as: .docker).logins,
        is: [
          "https://r (a) for docker \(secret)"
        ])
    }
    let twice = #"{"auths":{"r":{"auth":"YTpi"},"https://r":{"auth":"YTpj"}}}"#
    try expect(Found(twice, as: .docker).reasons, is: ["r disputed", "https://r disputed"])
    try expect(InterchangeTests.remainder(of: twice, as: .docker), is: twice)
  }

  @Test("a file without logins is none too few, and one of another form is named so")
  func otherFiles() throws {
    try expect(Found(#"{"credsStore":"llavero"}"#, as: .docker).logins.isEmpty)
    try expect(Found(#"{"auths":null}"#, as: .docker).logins.isEmpty)
    for text in ["", "[]", #"{"auths":[]}"#, #"{"auths":{}"#] {
      #expect(throws: FormatFault("it is not JSON that docker writes")) { try Found(text, as: .docker) }
    }
  }

  @Test("a login that has gone leaves what docker itself leaves of it")
  func remainder() throws {
    let text = #"{ "auths": { "r": { "auth": "YTpi" }, "s": {"auth":"YWI="} }, "x": 1 }"#
    try expect(
      InterchangeTests.remainder(of: text, as: .docker),
      is: #"{ "auths": { "r": {}, "s": {"auth":"YWI="} }, "x": 1 }"#)
  }
}
