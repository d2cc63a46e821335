extension Terminal {
  /// Returns whether the answer is y or yes.
  package borrowing func confirms(_ question: TextForTerminal) -> Bool {
    ["y", "yes"].contains(answer(to: question + " [y/N] ")?.lowercased() ?? "")
  }
}
