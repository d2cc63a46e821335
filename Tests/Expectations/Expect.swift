public import Testing

/// Records an issue with both values unless they are equal.
///
/// It stands in for the macro of Swift Testing, which takes the compiler several times as long. That is still the one for
/// errors and exits.
public func expect<Value: Equatable>(
  _ value: Value, is expected: Value, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  guard value != expected else { return }
  Issue.record(
    told("\(shown(value)) is not \(shown(expected))", comment()),
    sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Records an issue unless the condition is true.
///
/// Of two values that should be equal, the other form shows both.
public func expect(
  _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  guard !condition else { return }
  Issue.record(
    told("it is false", comment()),
    sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

private func told(_ fact: String, _ comment: Comment?) -> Comment {
  Comment(rawValue: comment.map { "\(fact): \($0)" } ?? fact)
}

/// Text in quotes, and bytes that are text as that.
private func shown(_ value: some Equatable) -> String {
  switch value {
  case let text as String: text.debugDescription
  case let bytes as [UInt8]: String(validating: bytes, as: UTF8.self)?.debugDescription ?? "\(bytes)"
  default: String(describing: value)
  }
}
