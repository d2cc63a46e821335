import Bytes
import CSecret
import Keychain

/// A D-Bus value that owns one reference.
///
/// It comes from another program, and GLib ends the process if a value is read as the wrong type. So only
/// ``checked(as:of:)`` returns the value itself. The argument `what` of the other functions names the value in errors.
package final class Variant {
  private let pointer: OpaquePointer

  package init(taking pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit { g_variant_unref(pointer) }

  package var size: Int { Int(g_variant_get_size(pointer)) }

  /// Whether it has the type, in D-Bus's signature language.
  package func isOf(_ type: String) -> Bool { csecret_is(pointer, type) != 0 }

  /// GLib's value, if it has the type.
  ///
  /// - Throws: ``BusFailure`` for another type.
  package func checked(as type: String, of what: String) throws(BusFailure) -> OpaquePointer {
    if isOf(type) { return pointer }
    let own = String(cString: g_variant_get_type_string(pointer))
    let shown = own.count > 40 ? own.prefix(40) + "…" : own[...]
    throw BusFailure(call: what, .malformed(detail: "\(what) is of the type \(shown) and not \(type)"))
  }

  /// The parts of a tuple or the elements of an array.
  package func parts(_ type: String, of what: String) throws(BusFailure) -> [Variant] {
    let pointer = try checked(as: type, of: what)
    return (0..<g_variant_n_children(pointer)).map { Variant(taking: g_variant_get_child_value(pointer, $0)) }
  }

  package func text(of what: String) throws(BusFailure) -> String {
    String(cString: g_variant_get_string(try checked(as: "s", of: what), nil))
  }

  package func path(of what: String) throws(BusFailure) -> String {
    String(cString: g_variant_get_string(try checked(as: "o", of: what), nil))
  }

  package func paths(of what: String) throws(BusFailure) -> [String] {
    try parts("ao", of: what).map { (part) throws(BusFailure) in try part.path(of: what) }
  }

  /// A dictionary from strings to strings.
  package func texts(of what: String) throws(BusFailure) -> [String: String] {
    var entries: [String: String] = [:]
    for entry in try parts("a{ss}", of: what) {
      let pair = try entry.parts("{ss}", of: what)
      entries[try pair[0].text(of: what)] = try pair[1].text(of: what)
    }
    return entries
  }

  var count: Int { Int(g_variant_n_children(pointer)) }

  /// A dictionary from strings to strings, with names as bytes: two strings may be equal for Unicode.
  func lookupAttributes(of what: String) throws(BusFailure) -> LookupAttributes {
    var lookup = LookupAttributes()
    for entry in try parts("a{ss}", of: what) {
      let pair = try entry.parts("{ss}", of: what)
      lookup[ByteString(try pair[0].text(of: what))] = ByteString(try pair[1].text(of: what))
    }
    return lookup
  }

  package func content(of what: String) throws(BusFailure) -> Variant {
    Variant(taking: g_variant_get_variant(try checked(as: "v", of: what)))
  }

  package func bool(of what: String) throws(BusFailure) -> Bool {
    g_variant_get_boolean(try checked(as: "b", of: what)) != 0
  }

  /// A number of one of the unsigned types.
  package func number(of what: String) throws(BusFailure) -> UInt64 {
    if isOf("u") { return UInt64(g_variant_get_uint32(pointer)) }
    return UInt64(g_variant_get_uint64(try checked(as: "t", of: what)))
  }

  /// Lends the bytes of an array of bytes.
  package func withBytes<Result: ~Copyable>(
    of what: String, _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(BusFailure) -> Result {
    var count: gsize = 0
    let bytes = g_variant_get_fixed_array(try checked(as: "ay", of: what), &count, 1)
    return body(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }

  /// A property in a dictionary of them; `nil` if it is missing.
  package func optionalProperty(_ name: String, of what: String) throws(BusFailure) -> Variant? {
    g_variant_lookup_value(try checked(as: "a{sv}", of: what), name, nil).map { Variant(taking: $0) }
  }

  /// A property in a dictionary of them; must exist.
  package func property(_ name: String, of what: String) throws(BusFailure) -> Variant {
    if let value = try optionalProperty(name, of: what) { return value }
    throw BusFailure(call: what, .malformed(detail: "the property \(name) is missing"))
  }
}

/// Makes arguments of calls: floating references, which the call takes over.
package enum Argument {
  package static func text(_ text: String) -> OpaquePointer { g_variant_new_string(text) }

  package static func path(_ path: String) -> OpaquePointer { g_variant_new_object_path(path) }

  package static func bool(_ value: Bool) -> OpaquePointer { g_variant_new_boolean(value ? 1 : 0) }

  package static func variant(_ value: OpaquePointer) -> OpaquePointer { g_variant_new_variant(value) }

  package static func tuple(_ children: [OpaquePointer]) -> OpaquePointer {
    var children: [OpaquePointer?] = children
    return g_variant_new_tuple(&children, gsize(children.count))
  }

  package static func paths(_ paths: [String]) -> OpaquePointer { array(of: "o", paths.map(path)) }

  package static func texts(_ texts: [String: String]) -> OpaquePointer {
    // Sorted, so that the same call always has the same bytes.
    array(
      of: "{ss}",
      texts.sorted { $0.key < $1.key }.map { g_variant_new_dict_entry(text($0.key), text($0.value)) })
  }

  static func attributes(_ lookup: LookupAttributes) -> OpaquePointer {
    array(
      of: "{ss}",
      lookup.all.map {
        g_variant_new_dict_entry(text($0.name.description), text($0.value.description))
      })
  }

  /// A dictionary from strings to variants.
  package static func properties(_ properties: [(name: String, value: OpaquePointer)]) -> OpaquePointer {
    array(of: "{sv}", properties.map { g_variant_new_dict_entry(text($0.name), variant($0.value)) })
  }

  /// An array of bytes, copied.
  package static func bytes(_ bytes: UnsafeRawBufferPointer) -> OpaquePointer {
    csecret_bytes(bytes.baseAddress, gsize(bytes.count))
  }

  package static func array(of type: String, _ children: [OpaquePointer]) -> OpaquePointer {
    var children = children
    return csecret_array(type, &children, gsize(children.count))
  }
}
