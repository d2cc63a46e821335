import CSecret
import Keychain

/// A D-Bus value of which this code owns one reference.
final class Variant {
  let pointer: OpaquePointer

  /// Takes a reference over.
  init(taking pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit { g_variant_unref(pointer) }

  /// How many children a tuple, an array or a dictionary has.
  var count: Int { Int(g_variant_n_children(pointer)) }

  /// A child of a tuple, an array or a dictionary.
  subscript(_ index: Int) -> Variant {
    Variant(taking: g_variant_get_child_value(pointer, gsize(index)))
  }

  /// Whether it is of the type, in D-Bus's signature language.
  func isOf(_ type: String) -> Bool { csecret_is(pointer, type) != 0 }

  /// Itself, where it is of the type.
  ///
  /// - Parameters:
  ///   - type: in D-Bus's signature language.
  ///   - call: the method that replied with it.
  ///   - isRefusal: whether another type means that the call has not done what it was to do, and not that the
  ///     service can't be talked to.
  /// - Throws: ``BusFailure`` for another type.
  func expected(_ type: String, from call: String, isRefusal: Bool = false) throws(BusFailure) -> Variant {
    if isOf(type) { return self }
    let detail = "a strange reply"
    throw BusFailure(call: call, isRefusal ? .refused(name: "", detail: detail) : .broken(detail: detail))
  }

  /// The text of a string or an object path, or an empty one.
  var text: String {
    guard isOf("s") || isOf("o") else { return "" }
    return String(cString: g_variant_get_string(pointer, nil))
  }

  /// The elements of an array of strings or object paths.
  var texts: [String] { (0..<count).map { self[$0].text } }

  /// The entries of a dictionary from strings to strings.
  var textsByName: [String: String] {
    guard isOf("a{ss}") else { return [:] }
    var entries: [String: String] = [:]
    for index in 0..<count {
      let entry = self[index]
      entries[entry[0].text] = entry[1].text
    }
    return entries
  }

  /// What a variant holds.
  var content: Variant {
    isOf("v") ? Variant(taking: g_variant_get_variant(pointer)) : Variant(taking: g_variant_ref(pointer))
  }

  var bool: Bool { isOf("b") && g_variant_get_boolean(pointer) != 0 }

  /// A number of one of the unsigned types.
  var number: UInt64? {
    if isOf("t") { return UInt64(g_variant_get_uint64(pointer)) }
    if isOf("u") { return UInt64(g_variant_get_uint32(pointer)) }
    return nil
  }

  /// Lends the bytes of an array of bytes.
  func withBytes<Result: ~Copyable>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard isOf("ay") else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    var count: gsize = 0
    let bytes = g_variant_get_fixed_array(pointer, &count, 1)
    return body(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }

  /// A value of a dictionary from strings to variants.
  func property(_ name: String) -> Variant? {
    guard isOf("a{sv}"), let value = g_variant_lookup_value(pointer, name, nil) else { return nil }
    return Variant(taking: value)
  }
}

/// Makes the arguments of calls: floating references, which the call that gets them takes over.
enum Argument {
  static func text(_ text: String) -> OpaquePointer { g_variant_new_string(text) }

  static func path(_ path: String) -> OpaquePointer { g_variant_new_object_path(path) }

  static func bool(_ value: Bool) -> OpaquePointer { g_variant_new_boolean(value ? 1 : 0) }

  static func variant(_ value: OpaquePointer) -> OpaquePointer { g_variant_new_variant(value) }

  static func tuple(_ children: [OpaquePointer]) -> OpaquePointer {
    var children: [OpaquePointer?] = children
    return g_variant_new_tuple(&children, gsize(children.count))
  }

  static func paths(_ paths: [String]) -> OpaquePointer { array(of: "o", paths.map(path)) }

  static func texts(_ texts: [String: String]) -> OpaquePointer {
    // In order, so that the same call always is the same bytes.
    array(
      of: "{ss}",
      texts.sorted { $0.key < $1.key }.map { g_variant_new_dict_entry(text($0.key), text($0.value)) })
  }

  /// A dictionary from strings to variants.
  static func properties(_ properties: [(name: String, value: OpaquePointer)]) -> OpaquePointer {
    array(of: "{sv}", properties.map { g_variant_new_dict_entry(text($0.name), variant($0.value)) })
  }

  /// An array of bytes, copied.
  static func bytes(_ bytes: UnsafeRawBufferPointer) -> OpaquePointer {
    csecret_bytes(bytes.baseAddress, gsize(bytes.count))
  }

  private static func array(of type: String, _ children: [OpaquePointer]) -> OpaquePointer {
    var children = children
    return csecret_array(type, &children, gsize(children.count))
  }
}
