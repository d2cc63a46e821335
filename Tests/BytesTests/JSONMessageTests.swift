import Bytes
import Expectations
import TestSupport
import Testing

@Suite("members that are told once")
struct JSONMessageTests {
  private enum Size: String { case small, large }

  private struct Part: Equatable, JSONMessage {
    var name = ""

    mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
      try members.need("name")
      try members.member("name", &name)
    }
  }

  private struct Message: Equatable, JSONMessage {
    var text: String?
    var bytes: ByteString = ""
    var number = 0
    var date: Timestamp?
    var isOn = false
    var isUsual = true
    var size = Size.small
    var texts: [String] = []
    var part: Part?

    mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
      try members.member("text", &text)
      try members.member("bytes", &bytes)
      try members.member("number", &number)
      try members.date("date", &date)
      try members.mark("on", &isOn)
      try members.mark("usual", &isUsual, usually: true)
      try members.word("size", &size, usually: .small)
      try members.texts("texts", &texts)
      try members.object("part", &part) { Part() }
    }
  }

  private func written(_ message: Message) -> String {
    message.encoded.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  private func read(_ text: String, into message: Message = Message()) throws -> Message {
    var message = message
    try Secret(text).withUnsafeBytes { (text) throws(JSONReader.Malformed) in try message.read(text) }
    return message
  }

  @Test("what is usual or absent isn't written")
  func nothing() {
    expect(written(Message()), is: #"{"bytes":"","number":0,"texts":[]}"#)
  }

  @Test("what is written is read")
  func everything() throws {
    let message = Message(
      text: "a", bytes: ByteString([0xff]), number: -1, date: Timestamp(milliseconds: 5), isOn: true,
      isUsual: false, size: .large, texts: ["x", "y"], part: Part(name: "p"))
    let text = written(message)
    expect(
      text,
      is: """
        {"text":"a","bytes_b64":"/w==","number":-1,"date":5,"on":true,"usual":false,"size":"large",\
        "texts":["x","y"],"part":{"name":"p"}}
        """)
    expect(try read(text), is: message)
  }

  @Test("what is missing leaves what was there, and of two members the last counts")
  func missing() throws {
    let former = Message(text: "a", number: 3, isOn: true, size: .large, part: Part(name: "p"))
    expect(try read("{}", into: former), is: former)
    expect(try read(#"{"number":1,"other":null,"number":2}"#).number, is: 2)
  }

  @Test(
    "what isn't of the right kind, or missing where it is needed, is refused",
    arguments: [
      #"{"text":1}"#, #"{"number":"1"}"#, #"{"on":1}"#, #"{"size":"huge"}"#, #"{"texts":"x"}"#,
      #"{"part":{}}"#,
      #"{"part":[]}"#, "[]", "",
    ])
  func refused(text: String) {
    #expect(throws: JSONReader.Malformed.self) { try read(text) }
  }
}
