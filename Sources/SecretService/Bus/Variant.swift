import Bytes
import CSecret
package import Keychain

/// A D-Bus value that owns one reference.
///
/// It comes from another program, and GLib ends the process if a value is read as the wrong type. So only a value whose
/// type was checked can be read. The argument `what` names the value in errors.
package final class Variant {
  fileprivate let pointer: OpaquePointer

  package init(taking pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit { g_variant_unref(pointer) }

  package var size: Int { Int(g_variant_get_size(pointer)) }

  /// Whether it has the type, in D-Bus's signature language.
  package func isOf(_ type: String) -> Bool { csecret_is(pointer, type) != 0 }

  /// The value to be read, if it has the type.
  ///
  /// - Throws: ``BusFailure`` for another type.
  package func checked(as type: String, of what: String) throws(BusFailure) -> TypedVariant {
    if isOf(type) { return TypedVariant(variant: self) }
    let own = String(cString: g_variant_get_type_string(pointer))
    let shown = own.count > 40 ? own.prefix(40) + "…" : own[...]
    throw BusFailure(call: what, .malformed(detail: "\(what) is of the type \(shown) and not \(type)"))
  }

  package func text(of what: String) throws(BusFailure) -> String { try checked(as: "s", of: what).text }

  package func paths(of what: String) throws(BusFailure) -> [String] {
    try checked(as: "ao", of: what).paths
  }

  package func bool(of what: String) throws(BusFailure) -> Bool { try checked(as: "b", of: what).bool }

  /// A number of one of the unsigned types.
  package func number(of what: String) throws(BusFailure) -> UInt64 {
    try checked(as: isOf("u") ? "u" : "t", of: what).number
  }
}

/// A value whose type was checked. Reading it as another type is an error of this program, and ends it.
package struct TypedVariant {
  package let variant: Variant

  var pointer: OpaquePointer { variant.pointer }

  package var count: Int { Int(g_variant_n_children(pointer)) }

  /// A part of a tuple, or an element of an array.
  package subscript(_ index: Int) -> TypedVariant {
    TypedVariant(variant: Variant(taking: g_variant_get_child_value(pointer, gsize(index))))
  }

  package var parts: [TypedVariant] { (0..<count).map { self[$0] } }

  /// A string or an object path.
  package var text: String { String(cString: g_variant_get_string(pointer, nil)) }

  package var paths: [String] { parts.map(\.text) }

  package var bool: Bool { g_variant_get_boolean(pointer) != 0 }

  /// A number of one of the unsigned types.
  package var number: UInt64 {
    variant.isOf("u") ? UInt64(g_variant_get_uint32(pointer)) : UInt64(g_variant_get_uint64(pointer))
  }

  /// The index of a file that was sent with the message.
  package var handle: Int32 { g_variant_get_handle(pointer) }

  package var content: Variant { Variant(taking: g_variant_get_variant(pointer)) }

  /// A dictionary from strings to strings.
  package var texts: [String: String] {
    parts.reduce(into: [:]) { $0[$1[0].text] = $1[1].text }
  }

  /// The same with names as bytes: two strings may be equal for Unicode.
  package var attributes: LookupAttributes {
    var attributes = LookupAttributes()
    for entry in parts { attributes[ByteString(entry[0].text)] = ByteString(entry[1].text) }
    return attributes
  }

  /// Lends the bytes of an array of bytes.
  package func withBytes<Result: ~Copyable>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var count: gsize = 0
    let bytes = g_variant_get_fixed_array(pointer, &count, 1)
    return body(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }

  /// A property in a dictionary of them; `nil` if it is missing.
  package func optionalProperty(_ name: String) -> Variant? {
    g_variant_lookup_value(pointer, name, nil).map { Variant(taking: $0) }
  }

  /// A property in a dictionary of them; must exist.
  package func property(_ name: String, of what: String) throws(BusFailure) -> Variant {
    if let value = optionalProperty(name) { return value }
    throw BusFailure(call: what, .malformed(detail: "the property \(name) is missing"))
  }
}

/// Makes arguments of calls: floating references, which the call takes over.
package enum Argument {
  package static func text(_ text: String) -> OpaquePointer { g_variant_new_string(text) }

  package static func path(_ path: String) -> OpaquePointer { g_variant_new_object_path(path) }

  package static func bool(_ value: Bool) -> OpaquePointer { g_variant_new_boolean(value ? 1 : 0) }

  package static func number(_ value: UInt32) -> OpaquePointer { g_variant_new_uint32(value) }

  package static func time(_ seconds: UInt64) -> OpaquePointer { g_variant_new_uint64(guint64(seconds)) }

  package static func variant(_ value: OpaquePointer) -> OpaquePointer { g_variant_new_variant(value) }

  package static func tuple(_ children: [OpaquePointer]) -> OpaquePointer {
    var children: [OpaquePointer?] = children
    return g_variant_new_tuple(&children, gsize(children.count))
  }

  package static func paths(_ paths: [String]) -> OpaquePointer { array(of: "o", paths.map(path)) }

  package static func texts(_ texts: [String: String]) -> OpaquePointer {
    // Sorted, so that the same call always has the same bytes.
    entries(texts.sorted { $0.key < $1.key })
  }

  package static func attributes(_ lookup: LookupAttributes) -> OpaquePointer {
    entries(lookup.all.map { ($0.name.description, $0.value.description) })
  }

  private static func entries(_ texts: [(key: String, value: String)]) -> OpaquePointer {
    array(of: "{ss}", texts.map { g_variant_new_dict_entry(text($0.key), text($0.value)) })
  }

  /// A dictionary from strings to variants.
  package static func properties(_ properties: [(name: String, value: OpaquePointer)]) -> OpaquePointer {
    array(of: "{sv}", properties.map { g_variant_new_dict_entry(text($0.name), variant($0.value)) })
  }

  /// An array of bytes, copied.
  package static func bytes(_ bytes: UnsafeRawBufferPointer) -> OpaquePointer {
    csecret_bytes(bytes.baseAddress, gsize(bytes.count))
  }

  /// A secret in a session, of the type `(oayays)`.
  package static func secret(
    in session: String, _ parameters: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
    _ contentType: String
  ) -> OpaquePointer {
    tuple([path(session), bytes(parameters), bytes(value), text(contentType)])
  }

  package static func array(of type: String, _ children: [OpaquePointer]) -> OpaquePointer {
    var children = children
    return csecret_array(type, &children, gsize(children.count))
  }
}
