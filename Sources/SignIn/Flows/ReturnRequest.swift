import Bytes

/// The parts of a browser's return request that matter (RFC 9112).
package struct ReturnRequest {
  /// The longest head of a request, and the longest form, in bytes.
  package static let maximumSize = 32_768

  package let path: String
  /// The parameters: the query without its question mark, or the form in the body.
  package let parameters: [UInt8]

  package enum Outcome {
    case request(ReturnRequest)
    case incomplete
    /// It isn't a browser's return to this address; with the status to answer.
    case refused(Int)
  }

  /// Reads a request's head, and its form.
  ///
  /// - Parameters:
  ///   - hosts: the values accepted in `Host`. A page of another site whose name leads here has another one (DNS
  ///     rebinding).
  ///   - isForm: whether the browser sends a form with POST, and not an address with GET.
  package static func parse(_ text: UnsafeRawBufferPointer, hosts: [String], isForm: Bool = false) -> Outcome
  {
    guard let end = endOfHead(text) else {
      return text.count > maximumSize ? .refused(431) : .incomplete
    }
    if end > maximumSize { return .refused(431) }
    var lines = Lines(text.part(0, end))
    guard let first = lines.next() else { return .refused(400) }
    let words = String(decoding: first, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/"),
      first.allSatisfy({ 0x20...0x7e ~= $0 })
    else { return .refused(400) }
    guard words[0] == (isForm ? "POST" : "GET") else { return .refused(405) }
    var fields: [String: [String]] = [:]
    while let line = lines.next(), !line.isEmpty {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":"), from: 0) else { return .refused(400) }
      let name = String(decoding: line.part(0, colon), as: UTF8.self).lowercased()
      guard ["host", "content-type", "content-length", "transfer-encoding"].contains(name) else { continue }
      let value = line.part(colon + 1, line.count - colon - 1)
      fields[name, default: []].append(
        String(decoding: value, as: UTF8.self).split(whereSeparator: { $0 == " " || $0 == "\t" }).joined()
          .lowercased())
    }
    guard let named = fields["host"], named.count == 1, hosts.contains(named[0]) else { return .refused(400) }
    let target = words[1]
    let mark = target.firstIndex(of: "?") ?? target.endIndex
    let path = String(target[..<mark])
    if !isForm {
      return .request(ReturnRequest(path: path, parameters: Array(target[mark...].dropFirst().utf8)))
    }
    return form(in: text.part(end, text.count - end), fields, at: path)
  }

  private static func form(
    in body: UnsafeRawBufferPointer, _ fields: [String: [String]], at path: String
  ) -> Outcome {
    guard fields["transfer-encoding"] == nil, let lengths = fields["content-length"], lengths.count == 1,
      1...9 ~= lengths[0].utf8.count, lengths[0].utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
      let length = Int(lengths[0])
    else { return .refused(411) }
    if length > maximumSize { return .refused(413) }
    let type = fields["content-type"]?.first?.prefix { $0 != ";" }
    guard type == "application/x-www-form-urlencoded" else { return .refused(415) }
    if body.count < length { return .incomplete }
    return .request(ReturnRequest(path: path, parameters: Array(body.part(0, length))))
  }

  private static func endOfHead(_ text: UnsafeRawBufferPointer) -> Int? {
    var start = 0
    while let feed = text.firstIndex(of: 0x0a, from: start) {
      let next = feed + 1
      if next < text.count, text[next] == 0x0a { return next + 1 }
      if next + 1 < text.count, text[next] == 0x0d, text[next + 1] == 0x0a { return next + 2 }
      start = next
    }
    return nil
  }
}
