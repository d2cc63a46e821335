import Foundation
import Security

/// A property that is stored in the keychain.
@propertyWrapper
struct KeychainStored<Value: Codable> {
  private let name: String
  private let fallback: Value

  init(wrappedValue: Value, _ name: String) {
    self.name = name
    fallback = wrappedValue
  }

  private var query: [String: Any] {
    [
      String(kSecClass): kSecClassGenericPassword,
      String(kSecAttrService): "com.example.settings",
      String(kSecAttrAccount): name,
    ]
  }

  var wrappedValue: Value {
    get {
      var search = query
      search[String(kSecReturnData)] = true
      var result: CFTypeRef?
      guard SecItemCopyMatching(search as CFDictionary, &result) == errSecSuccess, let data = result as? Data,
        let value = try? JSONDecoder().decode(Value.self, from: data)
      else { return fallback }
      return value
    }
    nonmutating set {
      guard let data = try? JSONEncoder().encode(newValue) else { return }
      // Removes the present item, if there is one.
      SecItemDelete(query as CFDictionary)
      var item = query
      item[String(kSecValueData)] = data
      SecItemAdd(item as CFDictionary, nil)
    }
  }
}

/// The user's settings.
struct Settings {
  @KeychainStored("license") var license: String? = nil
  @KeychainStored("attempts") var attempts = 0
  @KeychainStored("servers") var servers: [String] = []
}

func settings(_ words: [String]) throws {
  let settings = Settings()
  switch (words[0], words.count) {
  case ("show", 1): break
  case ("license", 1): settings.license = readPassword()
  case ("attempt", 1): settings.attempts += 1
  case ("server", 2): settings.servers.append(words[1])
  default: throw Usage()
  }
  print("license: \(settings.license ?? "none")")
  print("attempts: \(settings.attempts)")
  print("servers: \(settings.servers.joined(separator: " "))")
}
