import Bytes

/// A value with a form in JSON. Not for secrets.
protocol JSONConvertible {
  /// Writes the value as a member, or without a name as an element or the whole text.
  func write(to json: inout JSONWriter, as name: StaticString?)
}

extension JSONConvertible {
  /// The value as JSON, with a line feed.
  var jsonLine: Secret {
    var json = JSONWriter()
    write(to: &json, as: nil)
    return json.finishLine()
  }
}

/// The members of an object, in order. Those without a value are left out.
struct JSONObject: JSONConvertible, ExpressibleByDictionaryLiteral {
  private let members: [(inout JSONWriter) -> Void]

  init(dictionaryLiteral members: (StaticString, (any JSONConvertible)?)...) { self.init(members) }

  init(_ members: [(StaticString, (any JSONConvertible)?)]) {
    self.members = members.compactMap { name, value in
      value.map { value in { value.write(to: &$0, as: name) } }
    }
  }

  /// - Parameter write: writes the members.
  init(_ write: @escaping (inout JSONWriter) -> Void) { members = [write] }

  private init(members: [(inout JSONWriter) -> Void]) { self.members = members }

  static func + (first: JSONObject, second: JSONObject) -> JSONObject {
    JSONObject(members: first.members + second.members)
  }

  func write(to json: inout JSONWriter, as name: StaticString?) {
    if let name { json.beginObject(name) } else { json.beginObject() }
    for write in members { write(&json) }
    json.endObject()
  }
}

extension Array: JSONConvertible where Element: JSONConvertible {
  func write(to json: inout JSONWriter, as name: StaticString?) {
    if let name { json.beginArray(name) } else { json.beginArray() }
    for element in self { element.write(to: &json, as: nil) }
    json.endArray()
  }
}

extension Array {
  /// The array; `nil` if it is empty.
  var ifAny: Self? { isEmpty ? nil : self }
}

extension ByteString: JSONConvertible {
  func write(to json: inout JSONWriter, as name: StaticString?) {
    if let name { json.member(name, self) } else { json.element(self) }
  }
}

extension String: JSONConvertible {
  func write(to json: inout JSONWriter, as name: StaticString?) {
    ByteString(self).write(to: &json, as: name)
  }
}

extension Timestamp: JSONConvertible {
  func write(to json: inout JSONWriter, as name: StaticString?) {
    ByteString(text).write(to: &json, as: name)
  }
}

extension Bool: JSONConvertible {
  func write(to json: inout JSONWriter, as name: StaticString?) {
    if let name { json.member(name, self) } else { json.element(self) }
  }

  /// `true`; `nil` for `false`, which is left out.
  var ifTrue: Bool? { self ? true : nil }
}

extension JSONConvertible where Self: BinaryInteger {
  func write(to json: inout JSONWriter, as name: StaticString?) {
    if let name { json.member(name, Int64(self)) } else { json.element(Int64(self)) }
  }
}

extension Int: JSONConvertible {}
extension Int64: JSONConvertible {}
extension Int32: JSONConvertible {}
extension UInt32: JSONConvertible {}
