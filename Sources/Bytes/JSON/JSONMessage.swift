/// An object whose members are told once, for writing and for reading.
package protocol JSONMessage: ~Copyable {
  /// Names each member and the value that it is written from or read into, in the order of writing.
  mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed)
}

extension JSONMessage where Self: ~Copyable {
  /// The object as JSON.
  ///
  /// - Parameter capacity: about how many bytes it takes. More are copied, and their former place wiped.
  package mutating func encode(capacity: Int = 1024) -> Secret {
    var members = JSONMembers(writing: JSONWriter(capacity: capacity))
    members.json.beginObject()
    // Nothing that is written is malformed.
    try? self.members(&members)
    members.json.endObject()
    return members.finish().finish()
  }

  /// Reads the object's JSON. A member that is missing leaves its value as it is.
  ///
  /// - Throws: `JSONReader.Malformed` if it isn't one, or a value is none.
  package mutating func read(_ text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var members = try JSONMembers(reading: text)
    try self.members(&members)
  }
}

extension JSONMessage {
  /// The object as JSON.
  package var encoded: Secret {
    var copy = self
    return copy.encode()
  }

  /// The same with a line feed.
  package var encodedLine: Secret {
    var line = encoded
    line.append("\n")
    return line
  }
}

extension JSONWriter {
  /// Writes a message's members into an object already begun.
  package mutating func members(of message: some JSONMessage) {
    var message = message
    var members = JSONMembers(writing: self)
    try? message.members(&members)
    self = members.finish()
  }
}

/// Writes members of an object, or reads them, by the same calls. A value that is `nil` isn't written, and a member that
/// is missing leaves its value as it is.
package struct JSONMembers: ~Copyable {
  fileprivate var json: JSONWriter
  /// The members to read; `nil` while writing.
  private let read: [WrittenMember]?

  fileprivate init(writing json: consuming JSONWriter) {
    self.json = json
    read = nil
  }

  fileprivate init(reading text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var read: [WrittenMember] = []
    try JSONReader.writtenMembers(of: text) { (member) throws(JSONReader.Malformed) in read.append(member) }
    self.read = read
    json = JSONWriter(capacity: 0)
  }

  fileprivate consuming func finish() -> JSONWriter { json }

  package var isReading: Bool { read != nil }

  /// The last one of a name, while reading.
  private func found(_ name: StaticString) -> WrittenMember? {
    read?.last { $0.name.bytes.elementsEqual(name.bytes) }
  }

  package func has(_ name: StaticString) -> Bool { found(name) != nil }

  /// Refuses to read an object without these members.
  package func need(_ names: StaticString...) throws(JSONReader.Malformed) {
    if !isReading { return }
    for name in names where found(name) == nil { throw JSONReader.Malformed() }
  }

  package mutating func member(_ name: StaticString, _ value: inout ByteString?) throws(JSONReader.Malformed)
  {
    if !isReading { json.member(name, value) }
    if let member = found(name) { value = try member.bytes() }
  }

  package mutating func member(_ name: StaticString, _ value: inout String?) throws(JSONReader.Malformed) {
    if !isReading { json.member(name, value.map { ByteString($0) }) }
    if let member = found(name) { value = try member.text() }
  }

  package mutating func member(_ name: StaticString, _ value: inout Secret?) throws(JSONReader.Malformed) {
    if !isReading { value.lend { json.member(name, $0) } }
    if let member = found(name) { value = try member.secret() }
  }

  package mutating func member(_ name: StaticString, _ value: inout Int64?) throws(JSONReader.Malformed) {
    if !isReading { json.member(name, value) }
    if let member = found(name) { value = try member.value.integer() }
  }

  package mutating func member(_ name: StaticString, _ value: inout Int?) throws(JSONReader.Malformed) {
    var number = value.map { Int64($0) }
    try member(name, &number)
    value = number.map { Int($0) }
  }

  package mutating func member(_ name: StaticString, _ value: inout ByteString) throws(JSONReader.Malformed) {
    var text: ByteString? = value
    try member(name, &text)
    value = text ?? value
  }

  package mutating func member(_ name: StaticString, _ value: inout String) throws(JSONReader.Malformed) {
    var text: String? = value
    try member(name, &text)
    value = text ?? value
  }

  package mutating func member(_ name: StaticString, _ value: inout Secret) throws(JSONReader.Malformed) {
    if !isReading { json.member(name, value) }
    if let member = found(name) { value = try member.secret() }
  }

  /// A number, which isn't written if it is the usual one.
  package mutating func member(
    _ name: StaticString, _ value: inout Int, usually usual: Int? = nil
  ) throws(JSONReader.Malformed) {
    var number = value == usual ? nil : value
    try member(name, &number)
    value = number ?? value
  }

  /// A mark, which isn't written if it is the usual one; `nil` for none.
  package mutating func mark(
    _ name: StaticString, _ value: inout Bool, usually usual: Bool? = false
  ) throws(JSONReader.Malformed) {
    if !isReading, value != usual { json.member(name, value) }
    if let member = found(name) { value = try member.value.bool() }
  }

  /// A date as RFC 3339 in UTC.
  package mutating func member(_ name: StaticString, _ value: inout Timestamp?) throws(JSONReader.Malformed) {
    if !isReading { json.member(name, value) }
    if let member = found(name) { value = try member.value.timestamp() }
  }

  /// A date, in milliseconds since 1970.
  package mutating func date(_ name: StaticString, _ value: inout Timestamp?) throws(JSONReader.Malformed) {
    var number = value?.milliseconds
    try member(name, &number)
    value = number.map { Timestamp(milliseconds: $0) }
  }

  /// One of some words.
  package mutating func word<Word: RawRepresentable<String>>(
    _ name: StaticString, _ value: inout Word?
  ) throws(JSONReader.Malformed) {
    var text = value?.rawValue
    try member(name, &text)
    value = text.flatMap { Word(rawValue: $0) }
    if text != nil, value == nil { throw JSONReader.Malformed() }
  }

  /// One of some words, which isn't written if it is the usual one.
  package mutating func word<Word: RawRepresentable<String> & Equatable>(
    _ name: StaticString, _ value: inout Word, usually usual: Word? = nil
  ) throws(JSONReader.Malformed) {
    var word: Word? = value == usual ? nil : value
    try self.word(name, &word)
    value = word ?? value
  }

  package mutating func texts(_ name: StaticString, _ value: inout [ByteString]) throws(JSONReader.Malformed)
  {
    if !isReading {
      json.beginArray(name)
      for text in value { json.element(text) }
      json.endArray()
    }
    guard let member = found(name) else { return }
    var texts: [ByteString] = []
    try JSONReader.elements(of: member.value.raw) { (text) throws(JSONReader.Malformed) in
      texts.append(try text.string())
    }
    value = texts
  }

  package mutating func texts(_ name: StaticString, _ value: inout [String]) throws(JSONReader.Malformed) {
    var texts = value.map { ByteString($0) }
    try self.texts(name, &texts)
    value = texts.map { "\($0)" }
  }

  /// Objects.
  ///
  /// - Parameter empty: what each is read into.
  package mutating func objects<Message: JSONMessage>(
    _ name: StaticString, _ value: inout [Message], _ empty: () -> Message
  ) throws(JSONReader.Malformed) {
    if let member = found(name) {
      var messages: [Message] = []
      try JSONReader.elements(of: member.value.raw) { (object) throws(JSONReader.Malformed) in
        var message = empty()
        try message.read(object.raw)
        messages.append(message)
      }
      value = messages
    }
    if isReading { return }
    json.beginArray(name)
    for var message in value {
      json.beginObject()
      try message.members(&self)
      json.endObject()
    }
    json.endArray()
  }

  /// An object in the object.
  ///
  /// - Parameter empty: what is read into.
  package mutating func object<Message: JSONMessage & ~Copyable>(
    _ name: StaticString, _ value: inout Message?, _ empty: () -> Message
  ) throws(JSONReader.Malformed) {
    if let member = found(name) {
      var message = empty()
      try message.read(member.value.raw)
      value = consume message
    } else if !isReading, var message = value.take() {
      json.beginObject(name)
      try message.members(&self)
      json.endObject()
      value = consume message
    }
  }
}
