import Bytes
import Expectations
import Testing

@testable import Commands

@Suite("reports as JSON") struct ReportTests {
  @Test("members come in order, and those without a value are left out")
  func objects() {
    let number: Int? = nil
    let report: JSONObject =
      ["a": "x", "none": number, "yes": true, "list": ["y", "z"], "no list": [String]().ifAny]
      + JSONObject { $0.member("n", 7 as Int?) } + ["no": false.ifTrue, "date": Timestamp(milliseconds: 0)]
    let line = report.jsonLine.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    expect(
      line, is: #"{"a":"x","yes":true,"list":["y","z"],"n":7,"date":"1970-01-01T00:00:00.000Z"}"# + "\n")
    let nested: [JSONObject] = [["in": ["deep": true] as JSONObject], [:]]
    let lines = nested.jsonLine.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    expect(lines, is: #"[{"in":{"deep":true}},{}]"# + "\n")
    expect(
      [true, false].jsonLine.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, is: "[true,false]\n")
  }
}
