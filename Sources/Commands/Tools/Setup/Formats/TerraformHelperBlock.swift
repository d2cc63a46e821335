import Bytes
import Interchange

/// The single block `credentials_helper "NAME" { … }` that Terraform's CLI configuration may have.
struct TerraformHelperBlock: ConfigurationFormat {
  let helper: String

  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading {
    if text.drop(while: isWhiteSpace).first == UInt8(ascii: "{") {
      // Terraform stops reading after the object.
      throw ConfigurationFault(
        "it is JSON", byHand: ["\"credentials_helper\": {\"\(helper)\": {\"args\": []}}"])
    }
    var reading = ConfigurationReading()
    for statement in try Self.statements(of: text) {
      if let label = Self.label(statement, text) {
        reading.setting.append(.init(value: label, line: "credentials_helper \"\(label)\""))
      } else {
        reading.others.append(
          .init(name: [], value: Array(statement.words.map { text[$0] }.joined(separator: [0x20]))))
      }
    }
    return reading
  }

  func isMade(in text: [UInt8]) throws(ConfigurationFault) -> Bool {
    try reading(of: text).setting.map(\.value) == [helper]
  }

  func lines(for base: [UInt8], like text: [UInt8]) throws(ConfigurationFault) -> [String] {
    if let other = try reading(of: base).setting.first {
      throw ConfigurationFault("it names another one already: \(other.value)")
    }
    return ["credentials_helper \"\(helper)\" { args = [] }"]
  }

  /// - Throws: as ``reading(of:)`` does.
  static func labels(of name: StaticString, in text: [UInt8]) throws(ConfigurationFault) -> [String] {
    let statements = try statements(of: text)
    return text.lendingBytes { text in statements.compactMap { $0.label(of: name, in: text)?.description } }
  }

  private static func label(_ statement: HCLStatement, _ text: [UInt8]) -> String? {
    text.lendingBytes { statement.label(of: "credentials_helper", in: $0)?.description }
  }

  private static func statements(of text: [UInt8]) throws(ConfigurationFault) -> [HCLStatement] {
    do throws(HCLStatement.Malformed) {
      return try text.lendingBytes { (text) throws(HCLStatement.Malformed) in try HCLStatement.all(in: text) }
    } catch {
      throw ConfigurationFault(error.reason)
    }
  }
}
