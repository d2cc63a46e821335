import Keychain

/// When an answer's credential ends, as tools are told it (RFC 3339, in UTC, to the second); `nil` if it doesn't.
///
/// - Parameters:
///   - noted: what the secret itself says, which counts where the item has no expiry; passed on as it is.
///   - login: what is said to have expired.
/// - Throws: ``ProtocolError`` if that moment is over.
func expiry(
  of answer: borrowing Answer, noted: ByteString? = nil, login: String, at now: Timestamp
) throws(ProtocolError) -> ByteString? {
  // An expired item has not answered.
  if let seconds = answer.credential.expiry {
    return ByteString("\(Timestamp(seconds: seconds).description.prefix(19))Z")
  }
  guard let noted else { return nil }
  if let end = Timestamp(rfc3339: utc(noted).bytes), end.seconds <= now.seconds {
    throw .refused(
      Refusal(
        "what the keychain has for \(login) has expired", hint: "give it anew with 'llavero update'",
        .nothingMatched))
  }
  return noted
}

/// A moment whose offset is zero, in the one form that ``Timestamp`` reads.
private func utc(_ moment: ByteString) -> ByteString {
  let zero = Array("+00:00".utf8)
  guard moment.bytes.count > zero.count, moment.bytes.suffix(zero.count).elementsEqual(zero) else {
    return moment
  }
  return ByteString(moment.bytes.dropLast(zero.count) + [UInt8(ascii: "Z")])
}
