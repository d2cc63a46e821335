public import Foundation

// The names of Core Foundation that code for the Keychain uses. On Linux, Foundation bridges nothing by itself; with
// Swift's own types by these names a dictionary literal, a [String: Any] and a String are taken as they are.

/// Any object, as results are handed out.
public typealias CFTypeRef = AnyObject

/// Text.
public typealias CFString = String

/// What a query and a set of attributes are: keys are `kSec…`.
public typealias CFDictionary = [String: Any]

/// A dictionary that can be changed; `NSMutableDictionary` can be passed to every function, too.
public typealias CFMutableDictionary = NSMutableDictionary

/// Bytes.
public typealias CFData = Data

/// A list.
public typealias CFArray = [Any]

/// A moment.
public typealias CFDate = Date

/// True or false.
public typealias CFBoolean = NSNumber

/// A number of any type, so that `port as CFNumber` is one without a conversion.
public typealias CFNumber = any NumberValue

/// An error with domain and code.
public typealias CFError = NSError

/// A count or an index.
public typealias CFIndex = Int

/// A set of flags.
public typealias CFOptionFlags = UInt

/// True. Optional as on Apple's systems, where code says `kCFBooleanTrue!`.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)

/// False.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)

/// What makes memory for objects on Apple's systems; here there is but the usual one.
public final class CFAllocator: Sendable {
  private init() {}
}

/// The usual allocator, which is none.
public let kCFAllocatorDefault: CFAllocator? = nil

/// What can stand for a ``CFNumber``.
public protocol NumberValue {}

extension NSNumber: NumberValue {}
extension Int: NumberValue {}
extension Int8: NumberValue {}
extension Int16: NumberValue {}
extension Int32: NumberValue {}
extension Int64: NumberValue {}
extension UInt: NumberValue {}
extension UInt8: NumberValue {}
extension UInt16: NumberValue {}
extension UInt32: NumberValue {}
extension UInt64: NumberValue {}
extension Double: NumberValue {}
extension Float: NumberValue {}
