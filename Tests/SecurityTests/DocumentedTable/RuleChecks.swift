import Expectations
import Foundation
import Security
import Testing

/// A check for each rule in the table, by its title, each on an empty keychain.
let ruleChecks: KeyValuePairs<String, @Sendable () -> Void> = [
  // Keys of items
  "key of a generic password": {
    let keys: [Attributes] = [
      generic("a", "a"), generic("a", "b"), generic("b", "a"), generic("a", "a", [kSecAttrAccessGroup: "g"]),
      generic("a", "a", [kSecAttrSynchronizable: true]),
    ]
    checkDistinct(keys)
  },
  "key of an internet password": {
    let key = internet("a", "a", [kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecAttrPort: 8443])
    checkDistinct([
      key, key.with([kSecAttrServer: "b"]), key.with([kSecAttrAccount: "b"]),
      key.with([kSecAttrProtocol: kSecAttrProtocolHTTP]), key.with([kSecAttrPort: 8444]),
      key.with([kSecAttrPath: "p"]), key.with([kSecAttrSecurityDomain: "d"]),
      key.with([kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTMLForm]),
      key.with([kSecAttrAccessGroup: "g"]), key.with([kSecAttrSynchronizable: true]),
    ])
  },
  "key of a certificate": {
    let key: Attributes = [
      kSecClass: kSecClassCertificate, kSecAttrCertificateType: 1, kSecAttrIssuer: Data("a".utf8),
      kSecAttrSerialNumber: Data([1]),
    ]
    checkDistinct([
      key, key.with([kSecAttrCertificateType: 2]), key.with([kSecAttrIssuer: Data("b".utf8)]),
      key.with([kSecAttrSerialNumber: Data([2])]), key.with([kSecAttrAccessGroup: "g"]),
      key.with([kSecAttrSynchronizable: true]),
    ])
    expect(add(key.with([kSecAttrLabel: "another label"])), is: errSecDuplicateItem)
  },
  "key of a key": {
    let key: Attributes = [
      kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrKeyType: kSecAttrKeyTypeRSA,
      kSecAttrApplicationLabel: Data("a".utf8), kSecAttrApplicationTag: Data("a".utf8),
      kSecAttrKeySizeInBits: 2048,
      kSecAttrEffectiveKeySize: 2048,
    ]
    checkDistinct([
      key, key.with([kSecAttrKeyClass: kSecAttrKeyClassPublic]),
      key.with([kSecAttrKeyType: kSecAttrKeyTypeEC]),
      key.with([kSecAttrApplicationLabel: Data("b".utf8)]),
      key.with([kSecAttrApplicationTag: Data("b".utf8)]),
      key.with([kSecAttrKeySizeInBits: 4096]), key.with([kSecAttrEffectiveKeySize: 4096]),
      key.with([kSecAttrAccessGroup: "g"]), key.with([kSecAttrSynchronizable: true]),
    ])
    expect(add(key.with([kSecAttrLabel: "another label"])), is: errSecDuplicateItem)
  },
  "absent text in a key": {
    let key = internet("a", "a", [kSecAttrProtocol: kSecAttrProtocolHTTPS])
    for attribute in [kSecAttrPath, kSecAttrSecurityDomain] {
      expect(add(key), is: errSecSuccess)
      expect(add(key.with([attribute: ""])), is: errSecDuplicateItem, "\(attribute) empty")
      expect(add(key.with([attribute: "x"])), is: errSecSuccess, "\(attribute) given")
      expect(delete(key), is: errSecSuccess)
    }
    expect(add(generic("s", "a").without(kSecAttrService)), is: errSecSuccess)
    expect(add(generic("", "a")), is: errSecDuplicateItem)
    expect(add(internet("s", "a").without(kSecAttrServer)), is: errSecSuccess)
    expect(add(internet("", "a")), is: errSecDuplicateItem)
  },
  "absent account": {
    expect(add(generic().without(kSecAttrAccount)), is: errSecSuccess)
    expect(add(generic("com.example.app", "")), is: errSecDuplicateItem)
    expect(add(internet().without(kSecAttrAccount)), is: errSecSuccess)
    expect(add(internet("example.com", "")), is: errSecDuplicateItem)
  },
  "absent port": {
    let key = internet("a", "a", [kSecAttrProtocol: kSecAttrProtocolHTTPS])
    expect(add(key), is: errSecSuccess)
    expect(add(key.with([kSecAttrPort: 0])), is: errSecDuplicateItem)
    expect(add(key.with([kSecAttrPort: 443])), is: errSecDuplicateItem)
    expect(add(key.with([kSecAttrPort: 444])), is: errSecSuccess)
  },
  "case in a key": {
    expect(add(internet("example.com")), is: errSecSuccess)
    expect(add(internet("Example.COM")), is: errSecDuplicateItem)
    expect(add(internet("example.com", "Alice")), is: errSecSuccess)
    expect(add(generic("com.example")), is: errSecSuccess)
    expect(add(generic("com.Example")), is: errSecSuccess)
  },
  "absent authentication type": {
    expect(add(internet()), is: errSecSuccess)
    let named = internet().with([kSecAttrAuthenticationType: kSecAttrAuthenticationTypeDefault])
    expect(add(named), is: errSecDuplicateItem)
    expect(status(named), is: errSecSuccess)
  },
  "line break in a key": {
    for text in ["a\nb", "a\rb", "a\0b"] {
      for name in [kSecAttrAccount, kSecAttrService, kSecAttrAccessGroup] {
        expect(add(generic().with([name: text])), is: errSecParam, "\(name)")
      }
      for name in [kSecAttrAccount, kSecAttrServer, kSecAttrPath, kSecAttrSecurityDomain] {
        expect(add(internet().with([name: text])), is: errSecParam, "\(name)")
      }
      expect(add(generic(text.debugDescription, "a", [kSecAttrComment: text])), is: errSecSuccess)
      expect(attributes(generic(text.debugDescription, "a"))?[kSecAttrComment] as? String, is: text)
    }
    expect(add(generic().with(secret("a\r\nb\0"))), is: errSecSuccess)
    expect(update(generic(), [kSecAttrAccount: "a\nb"]), is: errSecParam)
    expect(password(generic()), is: "a\r\nb\0")
  },
  "what is no part of the key": {
    let others: Attributes = [
      kSecAttrLabel: "l", kSecAttrComment: "c", kSecAttrDescription: "d", kSecAttrCreator: 1, kSecAttrType: 2,
      kSecAttrIsInvisible: true, kSecAttrAccessible: kSecAttrAccessibleAlways,
    ].with(secret("other"))
    for key in [internet(), generic()] {
      expect(add(key), is: errSecSuccess)
      for (name, value) in others { expect(add(key.with([name: value])), is: errSecDuplicateItem, "\(name)") }
    }
    expect(add(generic().with([kSecAttrGeneric: Data([1])])), is: errSecDuplicateItem)
  },

  // Adding
  "add a duplicate": {
    for key in [internet(), generic()] {
      expect(add(key.with([kSecAttrLabel: "old"]).with(secret("old"))), is: errSecSuccess)
      expect(add(key.with([kSecAttrLabel: "new"]).with(secret("new"))), is: errSecDuplicateItem)
      expect(password(key), is: "old")
      expect(attributes(key)?[kSecAttrLabel] as? String, is: "old")
      expect(all(kSecAttrAccount, key), is: ["alice"])
    }
  },
  "add without a class": { expect(add(generic().without(kSecClass)), is: errSecParam) },
  "add with an unknown class": {
    expect(add(generic().with([kSecClass: "apls"])), is: errSecNoSuchClass)
    expect(status(generic().with([kSecClass: "apls"])), is: errSecNoSuchClass)
    expect(update(generic().with([kSecClass: "apls"]), secret("x")), is: errSecNoSuchClass)
    expect(delete(generic().with([kSecClass: "apls"])), is: errSecNoSuchClass)
  },
  "add without a secret": {
    expect(add(generic()), is: errSecSuccess)
    expect(password(generic()), is: "")
  },
  "secret that is not data": {
    for wrong in ["text", 12, [UInt8]([1])] as [Any] {
      expect(add(generic().with([kSecValueData: wrong])), is: errSecParam, "\(wrong)")
    }
    expect(status(generic()), is: errSecItemNotFound)
    expect(add(generic()), is: errSecSuccess)
    expect(update(generic(), [kSecValueData: "text"]), is: errSecParam)
  },
  "add returns what is asked for": {
    var value: AnyObject?
    let item = generic().with(secret("s3cret"))
    expect(SecItemAdd(item.with([kSecReturnData: true]) as CFDictionary, &value), is: errSecSuccess)
    expect(value as? Data, is: Data("s3cret".utf8))
    let another = generic("another").with(secret("s3cret")).with([
      kSecReturnAttributes: true, kSecReturnData: true,
    ])
    expect(SecItemAdd(another as CFDictionary, &value), is: errSecSuccess)
    let both = value as? [String: Any]
    expect(both?[kSecAttrService] as? String, is: "another")
    expect(both?[kSecValueData] as? Data, is: Data("s3cret".utf8))
    let third = generic("third").with([kSecReturnPersistentRef: true])
    expect(SecItemAdd(third as CFDictionary, &value), is: errSecSuccess)
    let reference = value as? Data ?? Data()
    expect(attributes([kSecValuePersistentRef: reference])?[kSecAttrService] as? String, is: "third")
  },
  "add returns nothing unasked": {
    var value: AnyObject?
    expect(SecItemAdd(generic().with(secret("s3cret")) as CFDictionary, &value), is: errSecSuccess)
    expect(value == nil)
  },
  "dates of a new item": {
    expect(add(generic()), is: errSecSuccess)
    let found = attributes(generic())
    for name in [kSecAttrCreationDate, kSecAttrModificationDate] {
      let date = found?[name] as? Date
      expect(date.map { abs($0.timeIntervalSinceNow) < 60 }, is: true, "\(name): \(String(describing: date))")
    }
  },
  "add without an access group": {
    expect(add(generic()), is: errSecSuccess)
    expect(attributes(generic())?[kSecAttrAccessGroup] as? String ?? "", is: "")
    expect(status(generic().with([kSecAttrAccessGroup: "any"])), is: errSecItemNotFound)
  },
  "size of a secret": {
    expect(add(generic().with([kSecValueData: Data(repeating: 7, count: 65_537)])), is: errSecSuccess)
    expect((find(generic().with([kSecReturnData: true])).value as? Data)?.count, is: 65_537)
    expect(
      add(generic("s").with([kSecValueData: Data(repeating: 7, count: (1 << 20) + 1)])),
      is: errSecDataTooLarge)
    expect(status(generic("s")), is: errSecItemNotFound)
  },
  "size of an attribute": {
    expect(
      add(generic("t").with([kSecAttrComment: String(repeating: "x", count: 65_534)])), is: errSecSuccess)
    let long: Attributes = [kSecAttrComment: String(repeating: "x", count: 65_535)]
    expect(add(generic("s").with(long)), is: errSecDataTooLarge)
    expect(status(generic("s")), is: errSecItemNotFound)
  },

  "size of an item": {
    let much = String(repeating: "x", count: 65_000)
    let item = generic("s", "a", [kSecAttrComment: much, kSecAttrLabel: much, kSecAttrDescription: much])
    expect(add(item.with(secret(much))), is: errSecSuccess)
    let more = item.with([kSecAttrAccount: "b", kSecAttrGeneric: Data(repeating: 255, count: 65_000)])
    expect(add(more.with(secret(much))), is: errSecDataTooLarge)
    expect(all(kSecAttrAccount, item.without(kSecAttrAccount)), is: ["a"])
  },

  // Finding
  "find without a class": { expect(status(generic().without(kSecClass)), is: errSecParam) },
  "find nothing": {
    for query in [generic(), internet(), [kSecClass: kSecClassCertificate], [kSecClass: kSecClassKey]] {
      let found = find(query.with([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]))
      expect(found.status, is: errSecItemNotFound)
      expect(found.value == nil)
    }
  },
  "find without a limit": {
    addThree()
    let found = find([kSecClass: kSecClassGenericPassword, kSecReturnAttributes: true])
    expect((found.value as? [String: Any])?[kSecAttrService] as? String, is: "com.example.app")
  },
  "limit one": {
    addThree()
    let found = find([
      kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne,
    ])
    expect(
      (found.value as? Data).map { ["1", "2", "3"].contains(String(decoding: $0, as: UTF8.self)) }, is: true)
    expect(found.value as? [Any] == nil)
  },
  "limit of a number": {
    addThree()
    for (limit, count) in [(2, 2), (3, 3), (9, 3)] {
      let found = find([kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecMatchLimit: limit])
      expect((found.value as? [Data])?.count, is: count, "limit \(limit)")
    }
    let one = find([kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecMatchLimit: 1])
    expect(one.value as? Data != nil, "a limit of 1 gives the item itself")
  },
  "limit all": {
    addThree()
    expect(all(kSecAttrAccount, [kSecClass: kSecClassGenericPassword]), is: ["a", "b", "c"])
    expect(all(kSecAttrAccount, generic("com.example.app", "b")), is: ["b"])
    let data = find(
      generic("com.example.app", "b").with([kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true])
    ).value
    expect(data as? [Data], is: [Data("2".utf8)])
  },
  "limit that is none": {
    addThree()
    for limit in [0, -1, "some", "m_LimitTwo"] as [Any] {
      let query: Attributes = [
        kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecMatchLimit: limit,
      ]
      expect(find(query).status, is: errSecParam, "limit \(limit)")
    }
  },
  "return data": {
    addThree()
    expect(password(generic("com.example.app", "c")), is: "3")
  },
  "return attributes": {
    addThree()
    let found = attributes(
      generic("com.example.app", "c").with([kSecReturnAttributes: kCFBooleanTrue as Any]))
    expect(found?[kSecAttrAccount] as? String, is: "c")
    expect(found?[kSecClass] as? String, is: kSecClassGenericPassword)
    expect(found?.keys.contains(kSecValueData), is: false)
  },
  "return several": {
    addThree()
    let found =
      find(
        generic("com.example.app", "c").with([
          kSecReturnAttributes: true, kSecReturnData: true, kSecReturnRef: true,
          kSecReturnPersistentRef: true,
        ])
      ).value as? [String: Any]
    expect(found?[kSecAttrAccount] as? String, is: "c")
    expect(found?[kSecValueData] as? Data, is: Data("3".utf8))
    expect(found?[kSecValueRef] as? SecKeychainItem != nil)
    expect((found?[kSecValuePersistentRef] as? Data)?.isEmpty, is: false)
    let two = find(
      generic("com.example.app", "c").with([kSecReturnData: true, kSecReturnPersistentRef: true]))
    let pair = two.value as? [String: Any]
    expect(pair?[kSecValueData] as? Data, is: Data("3".utf8))
    expect(pair?[kSecAttrAccount] == nil)
  },
  "return a reference": {
    addThree()
    let reference = find(generic("com.example.app", "b").with([kSecReturnRef: true])).value
    expect(reference is SecKeychainItem)
    expect(password([kSecValueRef: reference as Any]), is: "2")
  },
  "return a persistent reference": {
    addThree()
    let found = find(generic("com.example.app", "b").with([kSecReturnPersistentRef: true])).value as? Data
    expect(found?.isEmpty, is: false)
    let reference = found ?? Data()
    expect(password([kSecValuePersistentRef: reference]), is: "2")
    // Any other copy of the bytes works.
    expect(password([kSecValuePersistentRef: Data(Array(reference))]), is: "2")
    expect(update(generic("com.example.app", "b"), secret("changed")), is: errSecSuccess)
    expect(password([kSecValuePersistentRef: reference]), is: "changed")
  },
  "return nothing": {
    addThree()
    let found = find(generic("com.example.app", "b"))
    expect(found.status, is: errSecSuccess)
    expect(found.value == nil)
    expect(find(generic("com.example.app", "b").with([kSecReturnData: false])).value == nil)
  },
  "return into nil": {
    addThree()
    for key in [kSecReturnData, kSecReturnAttributes, kSecReturnRef, kSecReturnPersistentRef] {
      expect(status(generic("com.example.app", "b").with([key: true])), is: errSecParam, "\(key)")
    }
  },
  "all items with their data": {
    addThree()
    let found = find([
      kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll,
    ])
    expect(
      (found.value as? [Data])?.map { String(decoding: $0, as: UTF8.self) }.sorted(), is: ["1", "2", "3"])
  },
  "every attribute narrows": {
    expect(add(internet("a", "x", [kSecAttrLabel: "l"])), is: errSecSuccess)
    expect(add(internet("b", "x", [kSecAttrLabel: "l"])), is: errSecSuccess)
    expect(add(internet("a", "y", [kSecAttrLabel: "m"])), is: errSecSuccess)
    let query: Attributes = [kSecClass: kSecClassInternetPassword]
    expect(all(kSecAttrServer, query.with([kSecAttrLabel: "l"])), is: ["a", "b"])
    expect(all(kSecAttrServer, query.with([kSecAttrLabel: "l", kSecAttrServer: "a"])), is: ["a"])
    expect(all(kSecAttrAccount, query.with([kSecAttrServer: "a"])), is: ["x", "y"])
    expect(status(query.with([kSecAttrServer: "b", kSecAttrLabel: "m"])), is: errSecItemNotFound)
    expect(all(kSecAttrServer, query), is: ["a", "a", "b"])
  },
  "case of text": {
    expect(add(generic("Service", "Alice", [kSecAttrLabel: "My Label"])), is: errSecSuccess)
    expect(status(generic("service", "Alice")), is: errSecItemNotFound)
    expect(status(generic("Service", "alice")), is: errSecItemNotFound)
    let byLabel: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrLabel: "my label"]
    expect(status(byLabel), is: errSecItemNotFound)
    expect(status(byLabel.with([kSecMatchCaseInsensitive: false])), is: errSecItemNotFound)
    expect(status(byLabel.with([kSecMatchCaseInsensitive: true])), is: errSecSuccess)
    expect(status(generic("service", "alice", [kSecMatchCaseInsensitive: true])), is: errSecSuccess)
  },
  "case of a server": {
    expect(add(internet("Example.com")), is: errSecSuccess)
    expect(attributes(internet("eXAMPLE.com"))?[kSecAttrServer] as? String, is: "Example.com")
    expect(status(internet("example.org")), is: errSecItemNotFound)
  },
  "slashes of a path": {
    expect(add(internet("s", "a", [kSecAttrPath: "/acme/app/"])), is: errSecSuccess)
    expect(add(internet("s", "a", [kSecAttrPath: "acme/app"])), is: errSecDuplicateItem)
    expect(
      attributes(internet("s", "a", [kSecAttrPath: "//acme/app"]))?[kSecAttrPath] as? String, is: "acme/app")
    expect(status(internet("s", "a", [kSecAttrPath: "/acme"])), is: errSecItemNotFound)
    // The root means the whole server, like no path.
    expect(add(internet("s", "a", [kSecAttrPath: "/"])), is: errSecSuccess)
    expect(add(internet("s", "a")), is: errSecDuplicateItem)
  },
  "port in a query": {
    let query = internet("a", "none", [kSecAttrProtocol: kSecAttrProtocolHTTPS])
    expect(add(query), is: errSecSuccess)
    expect(add(query.with([kSecAttrAccount: "own", kSecAttrPort: 443])), is: errSecSuccess)
    expect(add(query.with([kSecAttrAccount: "other", kSecAttrPort: 8443])), is: errSecSuccess)
    let any = query.without(kSecAttrAccount)
    expect(all(kSecAttrAccount, any.with([kSecAttrPort: 0])), is: ["none", "own"])
    expect(all(kSecAttrAccount, any.with([kSecAttrPort: 443])), is: ["none", "own"])
    expect(all(kSecAttrAccount, any.with([kSecAttrPort: 8443])), is: ["other"])
    expect(all(kSecAttrAccount, any), is: ["none", "other", "own"])
  },
  "values of a neighbouring type": {
    expect(add(generic("s", "a", [kSecAttrGeneric: "text", kSecAttrIsInvisible: 1])), is: errSecSuccess)
    let query = generic("s", "a", [kSecAttrGeneric: Data("text".utf8), kSecAttrIsInvisible: true])
    expect(status(query), is: errSecSuccess)
    expect(status(query.with([kSecAttrService: Data("s".utf8)])), is: errSecSuccess)
    expect(add(internet("s", "a", [kSecAttrPort: "8443"])), is: errSecSuccess)
    expect(attributes(internet("s", "a", [kSecAttrPort: 8443]))?[kSecAttrPort] as? Int, is: 8443)
  },
  "secret in a query": {
    expect(add(generic().with(secret("s3cret"))), is: errSecSuccess)
    expect(status(generic().with(secret("another"))), is: errSecSuccess)
    expect(status(generic("com.example.other").with(secret("s3cret"))), is: errSecItemNotFound)
  },
  "synchronizable in a query": {
    expect(add(generic("s", "local")), is: errSecSuccess)
    expect(add(generic("s", "cloud", [kSecAttrSynchronizable: true])), is: errSecSuccess)
    let query: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s"]
    expect(all(kSecAttrAccount, query), is: ["local"])
    expect(all(kSecAttrAccount, query.with([kSecAttrSynchronizable: false])), is: ["local"])
    expect(all(kSecAttrAccount, query.with([kSecAttrSynchronizable: true])), is: ["cloud"])
    expect(
      all(kSecAttrAccount, query.with([kSecAttrSynchronizable: kSecAttrSynchronizableAny])),
      is: [
        "cloud", "local",
      ])
    expect(delete(query), is: errSecSuccess)
    expect(
      all(kSecAttrAccount, query.with([kSecAttrSynchronizable: kSecAttrSynchronizableAny])), is: ["cloud"])
    expect(add(generic("t").with([kSecAttrSynchronizable: kSecAttrSynchronizableAny])), is: errSecParam)
  },
  "access group in a query": {
    expect(add(generic("s", "none")), is: errSecSuccess)
    expect(add(generic("s", "one", [kSecAttrAccessGroup: "g1"])), is: errSecSuccess)
    expect(add(generic("s", "two", [kSecAttrAccessGroup: "g2"])), is: errSecSuccess)
    let query: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s"]
    expect(all(kSecAttrAccount, query), is: ["none", "one", "two"])
    expect(all(kSecAttrAccount, query.with([kSecAttrAccessGroup: "g2"])), is: ["two"])
    expect(all(kSecAttrAccount, query.with([kSecAttrAccessGroup: "g3"])), is: [])
  },
  "attribute of another class": {
    expect(add(generic().with([kSecAttrServer: "example.com"])), is: errSecNoSuchAttr)
    expect(add(internet().with([kSecAttrService: "s"])), is: errSecNoSuchAttr)
    expect(status(internet().with([kSecAttrService: "s"])), is: errSecNoSuchAttr)
    expect(delete(generic().with([kSecAttrPort: 1])), is: errSecNoSuchAttr)
  },
  "unknown key": {
    expect(add(generic().with(secret("s"))), is: errSecSuccess)
    for (key, expected) in [("zzzz", errSecNoSuchAttr), ("unknown", errSecParam), ("", errSecParam)] {
      let query = generic().with([key: "x"])
      expect(find(query.with([kSecReturnData: true])).status, is: expected)
      expect(add(query.with([kSecAttrAccount: "b"])), is: expected)
      expect(update(query, secret("t")), is: expected)
      expect(delete(query), is: expected)
    }
    expect(update(generic(), ["unknown": "x"]), is: errSecNoSuchAttr)
    expect(password(generic()), is: "s")
    expect(all(kSecAttrAccount, generic()), is: ["alice"])
  },
  "wrong type of value": {
    expect(add(generic().with([kSecAttrAccount: ["a"]])), is: errSecParam)
    expect(status(generic().with([kSecAttrIsInvisible: "yes please"])), is: errSecParam)
    expect(status(generic().with([kSecReturnData: "yes please"])), is: errSecParam)
    expect(status([kSecClass: 12]), is: errSecParam)
    expect(status(internet().with([kSecAttrPort: "many"])), is: errSecParam)
    expect(add(internet().with([kSecAttrPort: 65_536])), is: errSecParam)
    expect(add(internet().with([kSecAttrPort: -1])), is: errSecParam)
    expect(status([kSecClass: kSecClassInternetPassword]), is: errSecItemNotFound)
  },
  "attributes that are absent": {
    expect(add(generic().without(kSecAttrAccount)), is: errSecSuccess)
    let found = attributes([kSecClass: kSecClassGenericPassword])
    expect(found != nil)
    for name in [
      kSecAttrComment, kSecAttrDescription, kSecAttrCreator, kSecAttrType, kSecAttrGeneric, kSecAttrServer,
      kSecAttrPort, kSecAttrIsNegative,
    ] {
      expect(found?[name] == nil, "\(name)")
    }
  },
  "host or subdomain of another class": {
    for server in ["example.com", "www.example.com", "notexample.com", "example.org"] {
      add(internet(server))
    }
    let query: Attributes = [
      kSecClass: kSecClassInternetPassword, kSecMatchHostOrSubdomainOfHost: "example.com",
    ]
    expect(all(kSecAttrServer, query), is: ["example.com", "www.example.com"])
    expect(status(query.with([kSecClass: kSecClassGenericPassword])), is: errSecUnimplemented)
  },
  "a reference needs no class": {
    addThree()
    let found =
      find(
        generic("com.example.app", "b").with([kSecReturnRef: true, kSecReturnPersistentRef: true])
      ).value as? [String: Any]
    for key in [kSecValueRef, kSecValuePersistentRef] {
      let query: Attributes = [key: found?[key] as Any]
      expect(password(query), is: "2", "\(key)")
      expect(attributes(query)?[kSecAttrAccount] as? String, is: "b")
      expect(status(query.with([kSecClass: kSecClassGenericPassword])), is: errSecSuccess)
      expect(status(query.with([kSecClass: kSecClassInternetPassword])) != errSecSuccess)
    }
  },
  "reference to a deleted item": {
    addThree()
    let found =
      find(
        generic("com.example.app", "b").with([kSecReturnRef: true, kSecReturnPersistentRef: true])
      ).value as? [String: Any]
    expect(delete(generic("com.example.app", "b")), is: errSecSuccess)
    for key in [kSecValueRef, kSecValuePersistentRef] {
      let query: Attributes = [key: found?[key] as Any]
      expect(status(query), is: errSecItemNotFound)
      expect(delete(query), is: errSecItemNotFound)
    }
    expect(all(kSecAttrAccount, [kSecClass: kSecClassGenericPassword]), is: ["a", "c"])
  },

  // Changing and deleting
  "update every match": {
    addThree()
    let query: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.app"]
    expect(update(query, [kSecAttrComment: "seen"]), is: errSecSuccess)
    expect(all(kSecAttrAccount, query.with([kSecAttrComment: "seen"])), is: ["a", "b", "c"])
    expect(all(kSecAttrAccount, query), is: ["a", "b", "c"])
  },
  "delete every match": {
    addThree()
    expect(add(generic("com.example.other")), is: errSecSuccess)
    let query: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.app"]
    expect(delete(query), is: errSecSuccess)
    expect(all(kSecAttrService, [kSecClass: kSecClassGenericPassword]), is: ["com.example.other"])
    expect(delete(query), is: errSecItemNotFound)
  },
  "update without a search": {
    expect(add(generic().with(secret("old"))), is: errSecSuccess)
    expect(update(generic(), secret("new")), is: errSecSuccess)
    expect(password(generic()), is: "new")
    expect(update(generic("com.example.other"), secret("x")), is: errSecItemNotFound)
    expect(all(kSecAttrService, [kSecClass: kSecClassGenericPassword]), is: ["com.example.app"])
  },
  "update nothing": { expect(update(generic(), secret("x")), is: errSecItemNotFound) },
  "delete nothing": {
    expect(delete(generic()), is: errSecItemNotFound)
    expect(delete([kSecClass: kSecClassGenericPassword]), is: errSecItemNotFound)
  },
  "update without a class": {
    expect(add(generic()), is: errSecSuccess)
    expect(update(generic().without(kSecClass), secret("x")), is: errSecParam)
    expect(password(generic()), is: "")
  },
  "delete without a class": {
    expect(add(generic()), is: errSecSuccess)
    expect(delete(generic().without(kSecClass)), is: errSecParam)
    expect(delete([:]), is: errSecParam)
    expect(status(generic()), is: errSecSuccess)
  },
  "update to a key that is taken": {
    addThree()
    expect(update(generic("com.example.app", "a"), [kSecAttrAccount: "b"]), is: errSecDuplicateItem)
    expect(password(generic("com.example.app", "a")), is: "1")
    expect(password(generic("com.example.app", "b")), is: "2")
    expect(update(generic("com.example.app", "a"), [kSecAttrAccount: "d"]), is: errSecSuccess)
    expect(password(generic("com.example.app", "d")), is: "1")
    // Its own key doesn't count as taken.
    expect(update(generic("com.example.app", "d"), [kSecAttrAccount: "d"]), is: errSecSuccess)
  },
  "update is all or nothing": {
    addThree()
    let query: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.app"]
    expect(update(query, [kSecAttrAccount: "same", kSecAttrComment: "changed"]), is: errSecDuplicateItem)
    expect(all(kSecAttrAccount, query), is: ["a", "b", "c"])
    expect(status(query.with([kSecAttrComment: "changed"])), is: errSecItemNotFound)
  },
  "update changes the secret": {
    addThree()
    expect(update(generic("com.example.app", "a"), secret("new")), is: errSecSuccess)
    expect(password(generic("com.example.app", "a")), is: "new")
    expect(password(generic("com.example.app", "b")), is: "2")
    expect(update(generic("com.example.app", "a"), [kSecValueData: Data()]), is: errSecSuccess)
    expect(password(generic("com.example.app", "a")), is: "")
  },
  "update leaves the rest": {
    let key = generic()
    let rest: Attributes = [
      kSecAttrLabel: "l", kSecAttrComment: "c", kSecAttrDescription: "d", kSecAttrGeneric: Data([1]),
      kSecAttrCreator: 7, kSecAttrIsInvisible: true,
    ]
    expect(add(key.with(rest).with(secret("s3cret"))), is: errSecSuccess)
    expect(update(key, [kSecAttrComment: "new"]), is: errSecSuccess)
    let found = attributes(key)
    for (name, value) in rest.with([kSecAttrComment: "new"]) { expect(same(found?[name], value), "\(name)") }
    expect(password(key), is: "s3cret")
  },
  "update of an attribute that isn't there": {
    expect(add(generic()), is: errSecSuccess)
    expect(update(generic(), [kSecAttrDescription: "d", kSecAttrGeneric: Data([1])]), is: errSecSuccess)
    expect(attributes(generic())?[kSecAttrDescription] as? String, is: "d")
    expect(attributes(generic())?[kSecAttrGeneric] as? Data, is: Data([1]))
    expect(update(generic(), [:]) == errSecSuccess || update(generic(), [:]) == errSecParam)
  },
  "dates after an update": {
    expect(add(generic()), is: errSecSuccess)
    let before = attributes(generic())
    expect(update(generic(), secret("new")), is: errSecSuccess)
    let after = attributes(generic())
    expect(same(before?[kSecAttrCreationDate], after?[kSecAttrCreationDate]))
    let old = before?[kSecAttrModificationDate] as? Date
    let new = after?[kSecAttrModificationDate] as? Date
    expect(zip([old].compactMap { $0 }, [new].compactMap { $0 }).contains { $0 <= $1 })
  },
  "update with a match key": {
    refuseOfThree { item in
      [kSecMatchLimitOne, kSecMatchLimitAll].map {
        (update(item.with([kSecMatchLimit: $0]), secret("x")), errSecParam)
      }
    }
  },
  "delete with a match key": {
    refuseOfThree { item in
      [kSecMatchLimitOne, kSecMatchLimitAll].map { (delete(item.with([kSecMatchLimit: $0])), errSecParam) }
    }
  },
  "update with a return key": {
    refuseOfThree { [(update($0.with([kSecReturnData: true]), secret("x")), errSecParam)] }
  },
  "meta key among the new attributes": {
    refuseOfThree { item in
      [kSecReturnData, kSecMatchLimit, kSecUseAuthenticationUI, kSecValueRef].map {
        let value: Any = $0 == kSecReturnData ? true : kSecMatchLimitOne
        return (update(item, [$0: value].with(secret("x"))), errSecNoSuchAttr)
      }
    }
  },
  "class among the new attributes": {
    refuseOfThree {
      [(update($0, [kSecClass: kSecClassGenericPassword].with(secret("x"))), errSecNoSuchAttr)]
    }
  },
  "null among the new attributes": {
    refuseOfThree { item in
      [kSecAttrComment, kSecAttrAccount, kSecValueData].map { (update(item, [$0: NSNull()]), errSecParam) }
    }
  },
  "date among the new attributes": {
    addThree()
    let before = attributes(generic("com.example.app", "a"))
    for key in [kSecAttrCreationDate, kSecAttrModificationDate] {
      expect(
        update(generic("com.example.app", "a"), [key: Date(timeIntervalSince1970: 0)]),
        is: errSecReadOnlyAttr,
        "\(key)")
    }
    expect(
      same(attributes(generic("com.example.app", "a"))?[kSecAttrCreationDate], before?[kSecAttrCreationDate]))
  },

  // Keychains and processes
  "access group as a boundary": {
    expect(
      add(generic("s", "a", [kSecAttrAccessGroup: "TEAM2.of.somebody.else"]).with(secret("x"))),
      is: errSecSuccess)
    expect(password(generic("s", "a", [kSecAttrAccessGroup: "TEAM2.of.somebody.else"])), is: "x")
  },
  "invisible items": {
    expect(add(generic("s", "hidden", [kSecAttrIsInvisible: true])), is: errSecSuccess)
    expect(add(generic("s", "shown")), is: errSecSuccess)
    let query: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s"]
    expect(all(kSecAttrAccount, query), is: ["hidden", "shown"])
    expect(all(kSecAttrAccount, query.with([kSecAttrIsInvisible: true])), is: ["hidden"])
  },
]

/// Adds three passwords for one service: accounts a, b, c with the secrets 1, 2, 3.
private func addThree() {
  for (account, text) in [("a", "1"), ("b", "2"), ("c", "3")] {
    expect(add(generic("com.example.app", account).with(secret(text))), is: errSecSuccess)
  }
}

/// Expects of calls that concern the first of three passwords that each has its status and changes nothing.
private func refuseOfThree(_ calls: (Attributes) -> [(status: OSStatus, expected: OSStatus)]) {
  addThree()
  for (number, call) in calls(generic("com.example.app", "a")).enumerated() {
    expect(call.status, is: call.expected, "call \(number)")
  }
  expect(password(generic("com.example.app", "a")), is: "1")
}

/// Adds items that each differ in one part of their key, and then each of them a second time.
private func checkDistinct(_ keys: [Attributes]) {
  for (number, key) in keys.enumerated() { expect(add(key), is: errSecSuccess, "key \(number)") }
  for (number, key) in keys.enumerated() {
    expect(add(key.with(secret("again"))), is: errSecDuplicateItem, "key \(number) again")
  }
  let query: Attributes = [
    kSecClass: keys[0][kSecClass] as Any, kSecAttrSynchronizable: kSecAttrSynchronizableAny,
    kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
  ]
  expect((find(query).value as? [Any])?.count, is: keys.count)
}
