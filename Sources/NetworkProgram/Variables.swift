import Glibc

/// The environment.
enum Variables {
  /// The value of a variable; `nil` if it isn't set.
  static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Whether a variable is set and not empty.
  static func has(_ name: String) -> Bool { value(name).map { !$0.isEmpty } ?? false }
}
