public import Foundation

// The Core Foundation names that code for the Keychain uses. A dictionary is Foundation's class, so that `as
// CFDictionary` accepts everything that it accepts on Apple's systems. Text and data are Swift's own types, so that the
// constants can be keys of a [String: Any], and results can be cast as usual.

/// Any object, the type of results.
public typealias CFTypeRef = AnyObject

/// Text.
public typealias CFString = String

/// A query or a set of attributes; keys are `kSec…`.
public typealias CFDictionary = NSDictionary

/// A dictionary that can be changed.
public typealias CFMutableDictionary = NSMutableDictionary

/// Bytes.
public typealias CFData = Data

/// A list.
public typealias CFArray = [Any]

/// A point in time.
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

/// True. Optional as on Apple's systems, where code writes `kCFBooleanTrue!`.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)

/// False.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)

/// A memory allocator on Apple's systems; here only the default exists.
public final class CFAllocator: Sendable {
  private init() {}
}

/// The default allocator, `nil`.
public let kCFAllocatorDefault: CFAllocator? = nil
