import Bytes
public import Keychain

/// The protocol of `credential_process` in the AWS CLI and SDKs (AWS SDKs and Tools Reference Guide, "Process
/// credential provider").
///
/// Standard input is not read: it belongs to the calling command, such as `aws s3 cp - s3://bucket/key`.
public enum AWSProtocol: ToolProtocol {
  /// The profile, unless it is an operand.
  public static let options: [ToolOption] = [.value("--profile")]

  /// The text that `--help` prints.
  public static let usage = """
    usage: llavero aws [OPTION...] --profile NAME

    The AWS CLI and SDKs call this by themselves after, in ~/.aws/config:

      [profile dev]
      credential_process = llavero aws --profile dev

    The keys are those of the service aws:NAME, with the access key id as account.
    To add them:

      llavero add --service aws:dev --account AKIA...     (asks for the secret key)

    see llavero-aws(1).

    """

  /// Answers one call.
  public static func respond(to call: any ToolCall) throws(KeychainError) -> Int32 {
    let names = call.values(of: "--profile") + call.operands
    guard let name = names.first, names.count == 1, !name.isEmpty else {
      throw .misused("aws needs the name of one profile", hint: "there is 'llavero aws --profile NAME'")
    }
    guard let answer = try Resolver(call).answer(toService: name, sharing: .none) else {
      throw .failure(
        "the keychain has no keys for the AWS profile \(name)",
        hint:
          "add them with \(command: "llavero", "add", "--service", "aws:\(name)", "--account", "ACCESS-KEY-ID")",
        status: .nothingMatched)
    }
    let keys = try AWSKeys(answer)
    let expiration = try expiry(
      of: answer, noted: keys.expiration, login: "the AWS profile \(name)", at: call.now)
    var json = JSONWriter()
    json.beginObject()
    json.member("Version", 1)
    json.textMember("AccessKeyId", keys.accessKeyID)
    keys.secretAccessKey.withUnsafeBytes { json.textMember("SecretAccessKey", $0) }
    if !keys.sessionToken.isEmpty {
      keys.sessionToken.withUnsafeBytes { json.textMember("SessionToken", $0) }
    }
    if let expiration { json.textMember("Expiration", expiration) }
    if let accountID = keys.accountID { json.textMember("AccountId", accountID) }
    json.endObject()
    try call.write(json.finishLine())
    return 0
  }
}

private struct AWSKeys: ~Copyable {
  private(set) var accessKeyID: ByteString
  private(set) var secretAccessKey = Secret()
  private(set) var sessionToken = Secret()
  private(set) var expiration: ByteString?
  private(set) var accountID: ByteString?

  /// Reads the keys from an item. Its secret is the secret access key, or AWS's whole JSON for a session.
  ///
  /// - Throws: ``KeychainError`` if the secret is neither, or there is no access key ID.
  init(_ answer: borrowing Answer) throws(KeychainError) {
    accessKeyID = answer.item.key.account ?? ""
    let isJSON = answer.credential.secret.withUnsafeBytes { $0.first == UInt8(ascii: "{") }
    if isJSON {
      try answer.credential.secret.eachMember(otherwise: Self.unusable(answer.item)) {
        (name, value) throws(JSONReader.Malformed) in
        try take(name, value)
      }
    } else {
      secretAccessKey = answer.credential.secret.copy()
    }
    if accessKeyID.isEmpty {
      throw .failure(
        "the item \(answer.item.name) names no access key id",
        hint: "add it again, with the id for --account",
        status: .keychain)
    }
    let isUsable =
      Secret(copying: accessKeyID).isHeaderValue() && secretAccessKey.isHeaderValue()
      && (sessionToken.isEmpty || sessionToken.isHeaderValue())
    guard isUsable else { throw Self.unusable(answer.item) }
  }

  /// Reads a member of the output of `aws configure export-credentials`, or of `aws sts`, which puts an object around
  /// it.
  private mutating func take(
    _ name: UnsafeRawBufferPointer, _ value: JSONValue
  ) throws(JSONReader.Malformed) {
    if value.kind == .null { return }
    if name == "AccessKeyId" {
      accessKeyID = try value.string()
    } else if name == "SecretAccessKey" {
      secretAccessKey = try value.secret()
    } else if name == "SessionToken" {
      sessionToken = try value.secret()
    } else if name == "Expiration" {
      expiration = try value.string()
    } else if name == "AccountId" {
      accountID = try value.string()
    } else if name == "Credentials" {
      try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
        if !(name == "Credentials") { try take(name, value) }
      }
    }
  }

  private static func unusable(_ item: Item) -> KeychainError {
    .failure(
      "the secret of \(item.name) is not a secret access key",
      hint:
        "it is one line, or the JSON of 'aws configure export-credentials'; replace it with 'llavero update'",
      status: .keychain)
  }
}
