import Glibc

/// llavero's executables, each a file of its own.
package enum Executables {
  package static let people = "llavero"
  /// Tools call this one through links.
  package static let tools = "llavero-credential"

  package static let forwarding = "llavero-forward"

  /// The only one that uses the network.
  package static let network = "llavero-network"

  package static let all = [people, tools, SecretServiceCompanion.name, forwarding, network]

  /// The path of an executable that is not on the PATH: beside this one, in `../libexec/llavero`, or in `../../bin`
  /// for one that is itself there. `nil` if it isn't installed.
  package static func companion(_ name: String) -> String? {
    places(of: name).first { access($0, X_OK) == 0 }
  }

  /// Where a companion may be; nowhere without `/proc`, which tells where this one is.
  static func places(of name: String) -> [String] {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return [] }
    let own = String(decoding: path[..<slash], as: UTF8.self)
    return [own, own + "/../libexec/llavero", own + "/../../bin"].map { "\($0)/\(name)" }
  }
}
