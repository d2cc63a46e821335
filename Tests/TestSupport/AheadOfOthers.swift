public import Testing

/// Runs something that waits for a process ahead of the tests that wait for a thread.
///
/// Otherwise it would get its thread back only after every other test has had its turn. Until then the process that
/// ended is not waited for, and Swift Testing's own watch for exit tests looks for it in a loop without a pause.
public func aheadOfOthers<Result: Sendable>(
  _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  // Each priority has threads of its own.
  try await Task(priority: .high) { try await body() }.value
}

/// Runs a test ahead of all others that are waiting for a thread.
public struct AheadOfOthers: TestTrait, SuiteTrait, TestScoping {
  /// Runs the test in a task of a higher priority.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(function) { function in try await TestSupport.aheadOfOthers(function) }
  }
}

extension Trait where Self == AheadOfOthers {
  /// For tests that run parts of themselves in processes of their own.
  public static var aheadOfOthers: Self { Self() }
}
