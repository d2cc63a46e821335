import Glibc

enum Variables {
  static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  static func has(_ name: String) -> Bool { value(name).map { !$0.isEmpty } ?? false }
}
