package import Keychain

/// When an answer's credential expires, in the form for tools (RFC 3339, in UTC, to the second); `nil` if it doesn't.
///
/// - Parameters:
///   - noted: the time within the secret itself, used unchanged if the item has no expiry.
///   - login: the name of the login in the error.
/// - Throws: ``KeychainError`` if that time is past.
func expiry(
  of answer: borrowing Answer, noted: ByteString? = nil, login: String, at now: Timestamp
) throws(KeychainError) -> ByteString? {
  // Expired items don't answer, so this time is in the future.
  if let seconds = answer.credential.expiry {
    return rfc3339(Timestamp(seconds: seconds))
  }
  guard let noted else { return nil }
  if let end = Timestamp(rfc3339: utc(noted).bytes), end.seconds <= now.seconds {
    throw .failure(
      "the secret for \(login) has expired", hint: "replace it with 'llavero update'",
      status: .nothingMatched)
  }
  return noted
}

/// A time in the form for tools.
package func rfc3339(_ moment: Timestamp) -> ByteString { ByteString("\(moment.description.prefix(19))Z") }

/// Converts a time with offset zero to the form that ``Timestamp`` reads.
private func utc(_ moment: ByteString) -> ByteString {
  let zero = Array("+00:00".utf8)
  guard moment.bytes.count > zero.count, moment.bytes.suffix(zero.count).elementsEqual(zero) else {
    return moment
  }
  return ByteString(moment.bytes.dropLast(zero.count) + [UInt8(ascii: "Z")])
}
