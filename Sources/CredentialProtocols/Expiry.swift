package import Keychain

/// The time at which an answer's credential expires, as tools are told it (RFC 3339, in UTC, to the second); `nil` if
/// it doesn't.
///
/// - Parameters:
///   - noted: the time that the secret itself contains, used if the item has no expiry; passed on unchanged.
///   - login: the name of the login in the error.
/// - Throws: ``ProtocolError`` if that time is past.
func expiry(
  of answer: borrowing Answer, noted: ByteString? = nil, login: String, at now: Timestamp
) throws(ProtocolError) -> ByteString? {
  // Expired items don't answer, so this time is in the future.
  if let seconds = answer.credential.expiry {
    return rfc3339(Timestamp(seconds: seconds))
  }
  guard let noted else { return nil }
  if let end = Timestamp(rfc3339: utc(noted).bytes), end.seconds <= now.seconds {
    throw .refused(
      Refusal(
        "what the keychain has for \(login) has expired", hint: "replace it with 'llavero update'",
        .nothingMatched))
  }
  return noted
}

/// A time as tools are told it.
package func rfc3339(_ moment: Timestamp) -> ByteString { ByteString("\(moment.description.prefix(19))Z") }

/// Converts a time with offset zero to the single form that ``Timestamp`` reads.
private func utc(_ moment: ByteString) -> ByteString {
  let zero = Array("+00:00".utf8)
  guard moment.bytes.count > zero.count, moment.bytes.suffix(zero.count).elementsEqual(zero) else {
    return moment
  }
  return ByteString(moment.bytes.dropLast(zero.count) + [UInt8(ascii: "Z")])
}
