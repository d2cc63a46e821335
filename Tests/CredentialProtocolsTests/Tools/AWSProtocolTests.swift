import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

private let nothing = ToolReply(status: 1, output: "")
private let unusable = ToolReply(status: 2, output: "")

private func found(_ members: String) -> ToolReply {
  ToolReply(status: 0, output: #"{"Version":1,\#(members)}"# + "\n")
}

private let session = #"""
  {"Version": 1, "AccessKeyId": "ASIA1", "SecretAccessKey": "s3cret", "SessionToken": "tok/en==",
   "Expiration": "2999-01-02T03:04:05+00:00", "AccountId": "123456789012", "More": {"x": [1]}}
  """#

@Suite("AWS' credential_process", .timeLimit(.minutes(60)))
struct AWSProtocolTests {
  let aws = ToolUnderTest("aws")

  private func add(_ profile: String, _ account: String?, _ secret: String, expiry: Int64? = nil) throws {
    try aws.add(
      service: ByteString("aws:" + profile), account: account.map { ByteString($0) }, secret, expiry: expiry)
  }

  @Test("a profile's keys are answered, however it is named", arguments: KeychainUnderTest.all)
  func keys(kind: KeychainUnderTest) throws {
    let aws = ToolUnderTest("aws", kind)
    expect(aws.call("--profile", "dev"), is: nothing)
    try aws.add(service: "aws:dev", account: "AKIA1", "s3cret/+")
    let keys = found(#""AccessKeyId":"AKIA1","SecretAccessKey":"s3cret/+""#)
    expect(aws.call("--profile", "dev"), is: keys)
    expect(aws.call("--profile=dev"), is: keys)
    expect(aws.call("dev"), is: keys)
    expect(aws.call("--profile", "prod"), is: nothing)
    expect(aws.call("--profile", "de"), is: nothing)
  }

  @Test("of several keys the newest answer, and expired ones don't")
  func several() throws {
    try add("dev", "AKIA1", "one")
    try add("dev", "AKIA2", "two")
    let end = aws.fresh.clock.now.seconds + 100
    try add("dev", "ASIA3", "three", expiry: end)
    let until = Timestamp(seconds: end).description.prefix(19) + "Z"
    expect(
      aws.call("dev"), is: found(#""AccessKeyId":"ASIA3","SecretAccessKey":"three","Expiration":"\#(until)""#)
    )
    aws.fresh.clock.advance(seconds: 100)
    expect(aws.call("dev"), is: found(#""AccessKeyId":"AKIA2","SecretAccessKey":"two""#))
  }

  @Test("what other tools and people have under the profile's name is not answered")
  func others() throws {
    for service in ["dev", "python:dev", "aws:dev2", "aws"] {
      try aws.add(service: ByteString(service), account: "a", "x")
    }
    expect(aws.call("dev"), is: nothing)
  }

  @Test("a session's JSON goes through, as the AWS CLI exports it or with an object around")
  func sessions() throws {
    let members =
      #""AccessKeyId":"ASIA1","SecretAccessKey":"s3cret","SessionToken":"tok/en==","#
      + #""Expiration":"2999-01-02T03:04:05+00:00","AccountId":"123456789012""#
    try add("dev", nil, session)
    expect(aws.call("dev"), is: found(members))
    try add("sts", nil, #"{"Credentials":\#(session),"AssumedRoleUser":{"Arn":"x"}}"#)
    expect(aws.call("sts"), is: found(members))
    // Without an access key ID the item's account is used; nulls count as absent.
    try add("part", "AKIA1", #"{"SecretAccessKey":"s","SessionToken":null,"Expiration":null}"#)
    expect(aws.call("part"), is: found(#""AccessKeyId":"AKIA1","SecretAccessKey":"s""#))
    // The item's own expiry takes precedence.
    let end = aws.fresh.clock.now.seconds + 1000
    try add("both", nil, session, expiry: end)
    let until = Timestamp(seconds: end).description.prefix(19) + "Z"
    expect(aws.call("both").output.contains(#""Expiration":"\#(until)""#))
  }

  @Test(
    "a session that is over is no answer", arguments: ["2001-01-01T00:00:00Z", "2001-01-01T00:00:00+00:00"])
  func expired(moment: String) throws {
    try add("dev", "A", #"{"SecretAccessKey":"s","Expiration":"\#(moment)"}"#)
    let call = try aws.callInMemory(["dev"])
    #expect {
      try AWSProtocol.respond(to: call)
    } throws: { error in
      guard case .described(let refusal) = error as? KeychainError else { return false }
      return refusal.message.hasSuffix("has expired") && refusal.status == .nothingMatched
    }
  }

  @Test(
    "a secret that is none is refused",
    arguments: [
      "", "a\nb", " a", "{", "{}", "[]\n", #"{"SecretAccessKey":1}"#, #"{"SecretAccessKey":""}"#,
      #"{"SecretAccessKey":"s","SessionToken":"a\nb"}"#,
      #"{"Credentials":{"Credentials":{"SecretAccessKey":"s"}}}"#,
      #"{"Credentials":"s"}"#,
    ])
  func badSecrets(secret: String) throws {
    try add("dev", "AKIA1", secret)
    expect(aws.call("dev"), is: unusable)
  }

  @Test("keys without an id are refused")
  func noAccount() throws {
    try add("dev", nil, "s3cret")
    expect(aws.call("dev"), is: unusable)
    try add("dev", "", "s3cret")
    expect(aws.call("dev"), is: unusable)
  }

  @Test("not found says how to add the keys, for every name of a profile")
  func hints() throws {
    for (profile, service, mark) in [
      ("dev", "aws:dev", "'"), ("my p", "\"aws:my p\"", "'"), ("a\"b", "$'aws:a\"b'", ""),
      ("a\nb", "$'aws:a\\012b'", ""), ("é", "\"aws:é\"", "'"),
    ] {
      let call = try aws.callInMemory(["--profile", profile])
      #expect(
        throws: KeychainError.failure(
          "the keychain has no keys for the AWS profile \(profile)",
          hint: Hint(
            stringLiteral:
              "add them with \(mark)llavero add --service \(service) --account ACCESS-KEY-ID\(mark)"),
          status: .nothingMatched)
      ) { try AWSProtocol.respond(to: call) }
    }
  }

  @Test("a call without a profile, or with two, is wrong")
  func calls() {
    for reply in [
      aws.call(), aws.call(""), aws.call("--profile"), aws.call("--profile", "a", "b"), aws.call("a", "b"),
      aws.call("--region", "x"),
    ] { expect(reply.status, is: 64) }
  }

  @Test("standard input, which is that of the command that asks, is left alone")
  func input() throws {
    try add("dev", "AKIA1", "s3cret")
    let call = try aws.callInMemory(["dev"], bytes: Array("what is to be uploaded".utf8))
    #expect(throws: Never.self) { try AWSProtocol.respond(to: call) }
    expect(!call.isDrained)
  }
}
