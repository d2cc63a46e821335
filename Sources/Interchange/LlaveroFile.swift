extension FileFormat {
  /// Placeholder
  public static let llavero = FileFormat("llavero", "x", holdsLoginsAlone: true) { _ throws(FormatFault) in
    throw FormatFault("not yet")
  }
}
