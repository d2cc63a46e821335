public import Keychain

/// The first login with each primary key, with logins given by index.
///
/// A table of indices, because a dictionary by keys would take a tenth of the memory of all logins.
public struct FirstOfEachKey {
  private let key: (Int) -> Item.Key
  /// Each entry is the index of a first login, in the first free place after the one given by its hash.
  private var places: [Int32?]

  /// No logins.
  ///
  /// - Parameters:
  ///   - count: the maximum number of logins.
  ///   - key: the primary key of the login with an index; must not change.
  public init(count: Int, key: @escaping (_ index: Int) -> Item.Key) {
    self.key = key
    var size = 2
    while size < count * 2 { size *= 2 }
    places = Array(repeating: nil, count: size)
  }

  /// No logins yet, with the keys of these.
  public init(of logins: [FoundLogin]) {
    self.init(count: logins.count) { logins[$0].primaryKey }
  }

  /// Adds a login. Returns the first login with the same key: the login itself if none was added before.
  public mutating func first(for index: Int) -> Int {
    let wanted = key(index)
    var place = wanted.hashValue & (places.count - 1)
    while let other = places[place].map({ Int($0) }) {
      if key(other) == wanted { return other }
      place = (place + 1) & (places.count - 1)
    }
    places[place] = Int32(index)
    return index
  }
}
