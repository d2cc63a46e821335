public import Foundation

// The names of Core Foundation that code for the Keychain uses. A dictionary is Foundation's class, so that everything
// which `as CFDictionary` takes on Apple's systems is taken here; text and data are Swift's own types, so that constants
// are keys of a [String: Any] as they are, and results are cast as usual.

/// Any object, as results are handed out.
public typealias CFTypeRef = AnyObject

/// Text.
public typealias CFString = String

/// What a query and a set of attributes are: keys are `kSec…`.
public typealias CFDictionary = NSDictionary

/// A dictionary that can be changed.
public typealias CFMutableDictionary = NSMutableDictionary

/// Bytes.
public typealias CFData = Data

/// A list.
public typealias CFArray = [Any]

/// A moment.
public typealias CFDate = Date

/// True or false.
public typealias CFBoolean = NSNumber

/// A number of any type.
public typealias CFNumber = NSNumber

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
