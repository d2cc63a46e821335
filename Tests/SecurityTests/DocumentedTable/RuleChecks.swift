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
    #expect(add(key.with([kSecAttrLabel: "another label"])) == errSecDuplicateItem)
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
    #expect(add(key.with([kSecAttrLabel: "another label"])) == errSecDuplicateItem)
  },
  "absent text in a key": {
    let key = internet("a", "a", [kSecAttrProtocol: kSecAttrProtocolHTTPS])
    for attribute in [kSecAttrPath, kSecAttrSecurityDomain] {
      #expect(add(key) == errSecSuccess)
      #expect(add(key.with([attribute: ""])) == errSecDuplicateItem, "\(attribute) empty")
      #expect(add(key.with([attribute: "x"])) == errSecSuccess, "\(attribute) given")
      #expect(delete(key) == errSecSuccess)
    }
    #expect(add(generic("s", "a").without(kSecAttrService)) == errSecSuccess)
    #expect(add(generic("", "a")) == errSecDuplicateItem)
    #expect(add(internet("s", "a").without(kSecAttrServer)) == errSecSuccess)
    #expect(add(internet("", "a")) == errSecDuplicateItem)
  },
  "absent account": {
    #expect(add(generic().without(kSecAttrAccount)) == errSecSuccess)
    #expect(add(generic("com.example.app", "")) == errSecDuplicateItem)
    #expect(add(internet().without(kSecAttrAccount)) == errSecSuccess)
    #expect(add(internet("example.com", "")) == errSecDuplicateItem)
  },
  "absent port": {
    let key = internet("a", "a", [kSecAttrProtocol: kSecAttrProtocolHTTPS])
    #expect(add(key) == errSecSuccess)
    #expect(add(key.with([kSecAttrPort: 0])) == errSecDuplicateItem)
    #expect(add(key.with([kSecAttrPort: 443])) == errSecDuplicateItem)
    #expect(add(key.with([kSecAttrPort: 444])) == errSecSuccess)
  },
  "case in a key": {
    #expect(add(internet("example.com")) == errSecSuccess)
    #expect(add(internet("Example.COM")) == errSecDuplicateItem)
    #expect(add(internet("example.com", "Alice")) == errSecSuccess)
    #expect(add(generic("com.example")) == errSecSuccess)
    #expect(add(generic("com.Example")) == errSecSuccess)
  },
  "absent authentication type": {
    #expect(add(internet()) == errSecSuccess)
    let named = internet().with([kSecAttrAuthenticationType: kSecAttrAuthenticationTypeDefault])
    #expect(add(named) == errSecDuplicateItem)
    #expect(status(named) == errSecSuccess)
  },
  "line break in a key": {
    for text in ["a\nb", "a\rb", "a\0b"] {
      for name in [kSecAttrAccount, kSecAttrService, kSecAttrAccessGroup] {
        #expect(add(generic().with([name: text])) == errSecParam, "\(name)")
      }
      for name in [kSecAttrAccount, kSecAttrServer, kSecAttrPath, kSecAttrSecurityDomain] {
        #expect(add(internet().with([name: text])) == errSecParam, "\(name)")
      }
      #expect(add(generic(text.debugDescription, "a", [kSecAttrComment: text])) == errSecSuccess)
      #expect(attributes(generic(text.debugDescription, "a"))?[kSecAttrComment] as? String == text)
    }
    #expect(add(generic().with(secret("a\r\nb\0"))) == errSecSuccess)
    #expect(update(generic(), [kSecAttrAccount: "a\nb"]) == errSecParam)
    #expect(password(generic()) == "a\r\nb\0")
  },
  "what is no part of the key": {
    let others: Attributes = [
      kSecAttrLabel: "l", kSecAttrComment: "c", kSecAttrDescription: "d", kSecAttrCreator: 1, kSecAttrType: 2,
      kSecAttrIsInvisible: true, kSecAttrAccessible: kSecAttrAccessibleAlways,
    ].with(secret("other"))
    for key in [internet(), generic()] {
      #expect(add(key) == errSecSuccess)
      for (name, value) in others { #expect(add(key.with([name: value])) == errSecDuplicateItem, "\(name)") }
    }
    #expect(add(generic().with([kSecAttrGeneric: Data([1])])) == errSecDuplicateItem)
  },

  // Adding
  "add a duplicate": {
    for key in [internet(), generic()] {
      #expect(add(key.with([kSecAttrLabel: "old"]).with(secret("old"))) == errSecSuccess)
      #expect(add(key.with([kSecAttrLabel: "new"]).with(secret("new"))) == errSecDuplicateItem)
      #expect(password(key) == "old")
      #expect(attributes(key)?[kSecAttrLabel] as? String == "old")
      #expect(all(kSecAttrAccount, key) == ["alice"])
    }
  },
  "add without a class": { #expect(add(generic().without(kSecClass)) == errSecParam) },
  "add with an unknown class": {
    #expect(add(generic().with([kSecClass: "apls"])) == errSecNoSuchClass)
    #expect(status(generic().with([kSecClass: "apls"])) == errSecNoSuchClass)
    #expect(update(generic().with([kSecClass: "apls"]), secret("x")) == errSecNoSuchClass)
    #expect(delete(generic().with([kSecClass: "apls"])) == errSecNoSuchClass)
  },
  "add without a secret": {
    #expect(add(generic()) == errSecSuccess)
    #expect(password(generic()) == "")
  },
  "secret that is not data": {
    for wrong in ["text", 12, [UInt8]([1])] as [Any] {
      #expect(add(generic().with([kSecValueData: wrong])) == errSecParam, "\(wrong)")
    }
    #expect(status(generic()) == errSecItemNotFound)
    #expect(add(generic()) == errSecSuccess)
    #expect(update(generic(), [kSecValueData: "text"]) == errSecParam)
  },
  "add returns what is asked for": {
    var value: AnyObject?
    let item = generic().with(secret("s3cret"))
    #expect(SecItemAdd(item.with([kSecReturnData: true]) as CFDictionary, &value) == errSecSuccess)
    #expect(value as? Data == Data("s3cret".utf8))
    let another = generic("another").with(secret("s3cret")).with([
      kSecReturnAttributes: true, kSecReturnData: true,
    ])
    #expect(SecItemAdd(another as CFDictionary, &value) == errSecSuccess)
    let both = value as? [String: Any]
    #expect(both?[kSecAttrService] as? String == "another")
    #expect(both?[kSecValueData] as? Data == Data("s3cret".utf8))
    let third = generic("third").with([kSecReturnPersistentRef: true])
    #expect(SecItemAdd(third as CFDictionary, &value) == errSecSuccess)
    let reference = value as? Data ?? Data()
    #expect(attributes([kSecValuePersistentRef: reference])?[kSecAttrService] as? String == "third")
  },
  "add returns nothing unasked": {
    var value: AnyObject?
    #expect(SecItemAdd(generic().with(secret("s3cret")) as CFDictionary, &value) == errSecSuccess)
    #expect(value == nil)
  },
  "dates of a new item": {
    #expect(add(generic()) == errSecSuccess)
    let found = attributes(generic())
    for name in [kSecAttrCreationDate, kSecAttrModificationDate] {
      let date = found?[name] as? Date
      #expect(date.map { abs($0.timeIntervalSinceNow) < 60 } == true, "\(name): \(String(describing: date))")
    }
  },
  "add without an access group": {
    #expect(add(generic()) == errSecSuccess)
    #expect(attributes(generic())?[kSecAttrAccessGroup] as? String ?? "" == "")
    #expect(status(generic().with([kSecAttrAccessGroup: "any"])) == errSecItemNotFound)
  },
  "size of a secret": {
    #expect(add(generic().with([kSecValueData: Data(repeating: 7, count: 65_537)])) == errSecSuccess)
    #expect((find(generic().with([kSecReturnData: true])).value as? Data)?.count == 65_537)
    #expect(
      add(generic("s").with([kSecValueData: Data(repeating: 7, count: (1 << 20) + 1)])) == errSecDataTooLarge)
    #expect(status(generic("s")) == errSecItemNotFound)
  },
  "size of an attribute": {
    #expect(add(generic("t").with([kSecAttrComment: String(repeating: "x", count: 65_534)])) == errSecSuccess)
    let long: Attributes = [kSecAttrComment: String(repeating: "x", count: 65_535)]
    #expect(add(generic("s").with(long)) == errSecDataTooLarge)
    #expect(status(generic("s")) == errSecItemNotFound)
  },

  "size of an item": {
    let much = String(repeating: "x", count: 65_000)
    let item = generic("s", "a", [kSecAttrComment: much, kSecAttrLabel: much, kSecAttrDescription: much])
    #expect(add(item.with(secret(much))) == errSecSuccess)
    let more = item.with([kSecAttrAccount: "b", kSecAttrGeneric: Data(repeating: 255, count: 65_000)])
    #expect(add(more.with(secret(much))) == errSecDataTooLarge)
    #expect(all(kSecAttrAccount, item.without(kSecAttrAccount)) == ["a"])
  },

  // Finding
  "find without a class": { #expect(status(generic().without(kSecClass)) == errSecParam) },
  "find nothing": {
    for query in [generic(), internet(), [kSecClass: kSecClassCertificate], [kSecClass: kSecClassKey]] {
      let found = find(query.with([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]))
      #expect(found.status == errSecItemNotFound)
      #expect(found.value == nil)
    }
  },
  "find without a limit": {
    addThree()
    let found = find([kSecClass: kSecClassGenericPassword, kSecReturnAttributes: true])
    #expect((found.value as? [String: Any])?[kSecAttrService] as? String == "com.example.app")
  },
  "limit one": {
    addThree()
    let found = find([
      kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne,
    ])
    #expect(
      (found.value as? Data).map { ["1", "2", "3"].contains(String(decoding: $0, as: UTF8.self)) } == true)
    #expect(found.value as? [Any] == nil)
  },
  "limit of a number": {
    addThree()
    for (limit, count) in [(2, 2), (3, 3), (9, 3)] {
      let found = find([kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecMatchLimit: limit])
      #expect((found.value as? [Data])?.count == count, "limit \(limit)")
    }
    let one = find([kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecMatchLimit: 1])
    #expect(one.value as? Data != nil, "a limit of 1 gives the item itself")
  },
  "limit all": {
    addThree()
    #expect(all(kSecAttrAccount, [kSecClass: kSecClassGenericPassword]) == ["a", "b", "c"])
    #expect(all(kSecAttrAccount, generic("com.example.app", "b")) == ["b"])
    let data = find(
      generic("com.example.app", "b").with([kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true])
    ).value
    #expect(data as? [Data] == [Data("2".utf8)])
  },
  "limit that is none": {
    addThree()
    for limit in [0, -1, "some", "m_LimitTwo"] as [Any] {
      let query: Attributes = [
        kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecMatchLimit: limit,
      ]
      #expect(find(query).status == errSecParam, "limit \(limit)")
    }
  },
  "return data": {
    addThree()
    #expect(password(generic("com.example.app", "c")) == "3")
  },
  "return attributes": {
    addThree()
    let found = attributes(
      generic("com.example.app", "c").with([kSecReturnAttributes: kCFBooleanTrue as Any]))
    #expect(found?[kSecAttrAccount] as? String == "c")
    #expect(found?[kSecClass] as? String == kSecClassGenericPassword)
    #expect(found?.keys.contains(kSecValueData) == false)
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
    #expect(found?[kSecAttrAccount] as? String == "c")
    #expect(found?[kSecValueData] as? Data == Data("3".utf8))
    #expect(found?[kSecValueRef] as? SecKeychainItem != nil)
    #expect((found?[kSecValuePersistentRef] as? Data)?.isEmpty == false)
    let two = find(
      generic("com.example.app", "c").with([kSecReturnData: true, kSecReturnPersistentRef: true]))
    let pair = two.value as? [String: Any]
    #expect(pair?[kSecValueData] as? Data == Data("3".utf8))
    #expect(pair?[kSecAttrAccount] == nil)
  },
  "return a reference": {
    addThree()
    let reference = find(generic("com.example.app", "b").with([kSecReturnRef: true])).value
    #expect(reference is SecKeychainItem)
    #expect(password([kSecValueRef: reference as Any]) == "2")
  },
  "return a persistent reference": {
    addThree()
    let found = find(generic("com.example.app", "b").with([kSecReturnPersistentRef: true])).value as? Data
    #expect(found?.isEmpty == false)
    let reference = found ?? Data()
    #expect(password([kSecValuePersistentRef: reference]) == "2")
    // Any other copy of the bytes works.
    #expect(password([kSecValuePersistentRef: Data(Array(reference))]) == "2")
    #expect(update(generic("com.example.app", "b"), secret("changed")) == errSecSuccess)
    #expect(password([kSecValuePersistentRef: reference]) == "changed")
  },
  "return nothing": {
    addThree()
    let found = find(generic("com.example.app", "b"))
    #expect(found.status == errSecSuccess)
    #expect(found.value == nil)
    #expect(find(generic("com.example.app", "b").with([kSecReturnData: false])).value == nil)
  },
  "return into nil": {
    addThree()
    for key in [kSecReturnData, kSecReturnAttributes, kSecReturnRef, kSecReturnPersistentRef] {
      #expect(status(generic("com.example.app", "b").with([key: true])) == errSecParam, "\(key)")
    }
  },
  "all items with their data": {
    addThree()
    let found = find([
      kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll,
    ])
    #expect(
      (found.value as? [Data])?.map { String(decoding: $0, as: UTF8.self) }.sorted() == ["1", "2", "3"])
  },
  "every attribute narrows": {
    #expect(add(internet("a", "x", [kSecAttrLabel: "l"])) == errSecSuccess)
    #expect(add(internet("b", "x", [kSecAttrLabel: "l"])) == errSecSuccess)
    #expect(add(internet("a", "y", [kSecAttrLabel: "m"])) == errSecSuccess)
    let query: Attributes = [kSecClass: kSecClassInternetPassword]
    #expect(all(kSecAttrServer, query.with([kSecAttrLabel: "l"])) == ["a", "b"])
    #expect(all(kSecAttrServer, query.with([kSecAttrLabel: "l", kSecAttrServer: "a"])) == ["a"])
    #expect(all(kSecAttrAccount, query.with([kSecAttrServer: "a"])) == ["x", "y"])
    #expect(status(query.with([kSecAttrServer: "b", kSecAttrLabel: "m"])) == errSecItemNotFound)
    #expect(all(kSecAttrServer, query) == ["a", "a", "b"])
  },
  "case of text": {
    #expect(add(generic("Service", "Alice", [kSecAttrLabel: "My Label"])) == errSecSuccess)
    #expect(status(generic("service", "Alice")) == errSecItemNotFound)
    #expect(status(generic("Service", "alice")) == errSecItemNotFound)
    let byLabel: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrLabel: "my label"]
    #expect(status(byLabel) == errSecItemNotFound)
    #expect(status(byLabel.with([kSecMatchCaseInsensitive: false])) == errSecItemNotFound)
    #expect(status(byLabel.with([kSecMatchCaseInsensitive: true])) == errSecSuccess)
    #expect(status(generic("service", "alice", [kSecMatchCaseInsensitive: true])) == errSecSuccess)
  },
  "case of a server": {
    #expect(add(internet("Example.com")) == errSecSuccess)
    #expect(attributes(internet("eXAMPLE.com"))?[kSecAttrServer] as? String == "Example.com")
    #expect(status(internet("example.org")) == errSecItemNotFound)
  },
  "slashes of a path": {
    #expect(add(internet("s", "a", [kSecAttrPath: "/acme/app/"])) == errSecSuccess)
    #expect(add(internet("s", "a", [kSecAttrPath: "acme/app"])) == errSecDuplicateItem)
    #expect(
      attributes(internet("s", "a", [kSecAttrPath: "//acme/app"]))?[kSecAttrPath] as? String == "acme/app")
    #expect(status(internet("s", "a", [kSecAttrPath: "/acme"])) == errSecItemNotFound)
    // The root means the whole server, like no path.
    #expect(add(internet("s", "a", [kSecAttrPath: "/"])) == errSecSuccess)
    #expect(add(internet("s", "a")) == errSecDuplicateItem)
  },
  "port in a query": {
    let query = internet("a", "none", [kSecAttrProtocol: kSecAttrProtocolHTTPS])
    #expect(add(query) == errSecSuccess)
    #expect(add(query.with([kSecAttrAccount: "own", kSecAttrPort: 443])) == errSecSuccess)
    #expect(add(query.with([kSecAttrAccount: "other", kSecAttrPort: 8443])) == errSecSuccess)
    let any = query.without(kSecAttrAccount)
    #expect(all(kSecAttrAccount, any.with([kSecAttrPort: 0])) == ["none", "own"])
    #expect(all(kSecAttrAccount, any.with([kSecAttrPort: 443])) == ["none", "own"])
    #expect(all(kSecAttrAccount, any.with([kSecAttrPort: 8443])) == ["other"])
    #expect(all(kSecAttrAccount, any) == ["none", "other", "own"])
  },
  "values of a neighbouring type": {
    #expect(add(generic("s", "a", [kSecAttrGeneric: "text", kSecAttrIsInvisible: 1])) == errSecSuccess)
    let query = generic("s", "a", [kSecAttrGeneric: Data("text".utf8), kSecAttrIsInvisible: true])
    #expect(status(query) == errSecSuccess)
    #expect(status(query.with([kSecAttrService: Data("s".utf8)])) == errSecSuccess)
    #expect(add(internet("s", "a", [kSecAttrPort: "8443"])) == errSecSuccess)
    #expect(attributes(internet("s", "a", [kSecAttrPort: 8443]))?[kSecAttrPort] as? Int == 8443)
  },
  "secret in a query": {
    #expect(add(generic().with(secret("s3cret"))) == errSecSuccess)
    #expect(status(generic().with(secret("another"))) == errSecSuccess)
    #expect(status(generic("com.example.other").with(secret("s3cret"))) == errSecItemNotFound)
  },
  "synchronizable in a query": {
    #expect(add(generic("s", "local")) == errSecSuccess)
    #expect(add(generic("s", "cloud", [kSecAttrSynchronizable: true])) == errSecSuccess)
    let query: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s"]
    #expect(all(kSecAttrAccount, query) == ["local"])
    #expect(all(kSecAttrAccount, query.with([kSecAttrSynchronizable: false])) == ["local"])
    #expect(all(kSecAttrAccount, query.with([kSecAttrSynchronizable: true])) == ["cloud"])
    #expect(
      all(kSecAttrAccount, query.with([kSecAttrSynchronizable: kSecAttrSynchronizableAny])) == [
        "cloud", "local",
      ])
    #expect(delete(query) == errSecSuccess)
    #expect(
      all(kSecAttrAccount, query.with([kSecAttrSynchronizable: kSecAttrSynchronizableAny])) == ["cloud"])
    #expect(add(generic("t").with([kSecAttrSynchronizable: kSecAttrSynchronizableAny])) == errSecParam)
  },
  "access group in a query": {
    #expect(add(generic("s", "none")) == errSecSuccess)
    #expect(add(generic("s", "one", [kSecAttrAccessGroup: "g1"])) == errSecSuccess)
    #expect(add(generic("s", "two", [kSecAttrAccessGroup: "g2"])) == errSecSuccess)
    let query: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s"]
    #expect(all(kSecAttrAccount, query) == ["none", "one", "two"])
    #expect(all(kSecAttrAccount, query.with([kSecAttrAccessGroup: "g2"])) == ["two"])
    #expect(all(kSecAttrAccount, query.with([kSecAttrAccessGroup: "g3"])) == [])
  },
  "attribute of another class": {
    #expect(add(generic().with([kSecAttrServer: "example.com"])) == errSecNoSuchAttr)
    #expect(add(internet().with([kSecAttrService: "s"])) == errSecNoSuchAttr)
    #expect(status(internet().with([kSecAttrService: "s"])) == errSecNoSuchAttr)
    #expect(delete(generic().with([kSecAttrPort: 1])) == errSecNoSuchAttr)
  },
  "unknown key": {
    #expect(add(generic().with(secret("s"))) == errSecSuccess)
    for (key, expected) in [("zzzz", errSecNoSuchAttr), ("unknown", errSecParam), ("", errSecParam)] {
      let query = generic().with([key: "x"])
      #expect(find(query.with([kSecReturnData: true])).status == expected)
      #expect(add(query.with([kSecAttrAccount: "b"])) == expected)
      #expect(update(query, secret("t")) == expected)
      #expect(delete(query) == expected)
    }
    #expect(update(generic(), ["unknown": "x"]) == errSecNoSuchAttr)
    #expect(password(generic()) == "s")
    #expect(all(kSecAttrAccount, generic()) == ["alice"])
  },
  "wrong type of value": {
    #expect(add(generic().with([kSecAttrAccount: ["a"]])) == errSecParam)
    #expect(status(generic().with([kSecAttrIsInvisible: "yes please"])) == errSecParam)
    #expect(status(generic().with([kSecReturnData: "yes please"])) == errSecParam)
    #expect(status([kSecClass: 12]) == errSecParam)
    #expect(status(internet().with([kSecAttrPort: "many"])) == errSecParam)
    #expect(add(internet().with([kSecAttrPort: 65_536])) == errSecParam)
    #expect(add(internet().with([kSecAttrPort: -1])) == errSecParam)
    #expect(status([kSecClass: kSecClassInternetPassword]) == errSecItemNotFound)
  },
  "attributes that are absent": {
    #expect(add(generic().without(kSecAttrAccount)) == errSecSuccess)
    let found = attributes([kSecClass: kSecClassGenericPassword])
    #expect(found != nil)
    for name in [
      kSecAttrComment, kSecAttrDescription, kSecAttrCreator, kSecAttrType, kSecAttrGeneric, kSecAttrServer,
      kSecAttrPort, kSecAttrIsNegative,
    ] {
      #expect(found?[name] == nil, "\(name)")
    }
  },
  "host or subdomain of another class": {
    #expect(add(internet("www.example.com")) == errSecSuccess)
    #expect(add(internet("notexample.com")) == errSecSuccess)
    let query: Attributes = [
      kSecClass: kSecClassInternetPassword, kSecMatchHostOrSubdomainOfHost: "example.com",
    ]
    #expect(all(kSecAttrServer, query) == ["www.example.com"])
    #expect(status(query.with([kSecClass: kSecClassGenericPassword])) == errSecUnimplemented)
  },
  "a reference needs no class": {
    addThree()
    let found =
      find(
        generic("com.example.app", "b").with([kSecReturnRef: true, kSecReturnPersistentRef: true])
      ).value as? [String: Any]
    for key in [kSecValueRef, kSecValuePersistentRef] {
      let query: Attributes = [key: found?[key] as Any]
      #expect(password(query) == "2", "\(key)")
      #expect(attributes(query)?[kSecAttrAccount] as? String == "b")
      #expect(status(query.with([kSecClass: kSecClassGenericPassword])) == errSecSuccess)
      #expect(status(query.with([kSecClass: kSecClassInternetPassword])) != errSecSuccess)
    }
  },
  "reference to a deleted item": {
    addThree()
    let found =
      find(
        generic("com.example.app", "b").with([kSecReturnRef: true, kSecReturnPersistentRef: true])
      ).value as? [String: Any]
    #expect(delete(generic("com.example.app", "b")) == errSecSuccess)
    for key in [kSecValueRef, kSecValuePersistentRef] {
      let query: Attributes = [key: found?[key] as Any]
      #expect(status(query) == errSecItemNotFound)
      #expect(delete(query) == errSecItemNotFound)
    }
    #expect(all(kSecAttrAccount, [kSecClass: kSecClassGenericPassword]) == ["a", "c"])
  },

  // Changing and deleting
  "update every match": {
    addThree()
    let query: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.app"]
    #expect(update(query, [kSecAttrComment: "seen"]) == errSecSuccess)
    #expect(all(kSecAttrAccount, query.with([kSecAttrComment: "seen"])) == ["a", "b", "c"])
    #expect(all(kSecAttrAccount, query) == ["a", "b", "c"])
  },
  "delete every match": {
    addThree()
    #expect(add(generic("com.example.other")) == errSecSuccess)
    let query: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.app"]
    #expect(delete(query) == errSecSuccess)
    #expect(all(kSecAttrService, [kSecClass: kSecClassGenericPassword]) == ["com.example.other"])
    #expect(delete(query) == errSecItemNotFound)
  },
  "update without a search": {
    #expect(add(generic().with(secret("old"))) == errSecSuccess)
    #expect(update(generic(), secret("new")) == errSecSuccess)
    #expect(password(generic()) == "new")
    #expect(update(generic("com.example.other"), secret("x")) == errSecItemNotFound)
    #expect(all(kSecAttrService, [kSecClass: kSecClassGenericPassword]) == ["com.example.app"])
  },
  "update nothing": { #expect(update(generic(), secret("x")) == errSecItemNotFound) },
  "delete nothing": {
    #expect(delete(generic()) == errSecItemNotFound)
    #expect(delete([kSecClass: kSecClassGenericPassword]) == errSecItemNotFound)
  },
  "update without a class": {
    #expect(add(generic()) == errSecSuccess)
    #expect(update(generic().without(kSecClass), secret("x")) == errSecParam)
    #expect(password(generic()) == "")
  },
  "delete without a class": {
    #expect(add(generic()) == errSecSuccess)
    #expect(delete(generic().without(kSecClass)) == errSecParam)
    #expect(delete([:]) == errSecParam)
    #expect(status(generic()) == errSecSuccess)
  },
  "update to a key that is taken": {
    addThree()
    #expect(update(generic("com.example.app", "a"), [kSecAttrAccount: "b"]) == errSecDuplicateItem)
    #expect(password(generic("com.example.app", "a")) == "1")
    #expect(password(generic("com.example.app", "b")) == "2")
    #expect(update(generic("com.example.app", "a"), [kSecAttrAccount: "d"]) == errSecSuccess)
    #expect(password(generic("com.example.app", "d")) == "1")
    // Its own key doesn't count as taken.
    #expect(update(generic("com.example.app", "d"), [kSecAttrAccount: "d"]) == errSecSuccess)
  },
  "update is all or nothing": {
    addThree()
    let query: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.app"]
    #expect(update(query, [kSecAttrAccount: "same", kSecAttrComment: "changed"]) == errSecDuplicateItem)
    #expect(all(kSecAttrAccount, query) == ["a", "b", "c"])
    #expect(status(query.with([kSecAttrComment: "changed"])) == errSecItemNotFound)
  },
  "update changes the secret": {
    addThree()
    #expect(update(generic("com.example.app", "a"), secret("new")) == errSecSuccess)
    #expect(password(generic("com.example.app", "a")) == "new")
    #expect(password(generic("com.example.app", "b")) == "2")
    #expect(update(generic("com.example.app", "a"), [kSecValueData: Data()]) == errSecSuccess)
    #expect(password(generic("com.example.app", "a")) == "")
  },
  "update leaves the rest": {
    let key = generic()
    let rest: Attributes = [
      kSecAttrLabel: "l", kSecAttrComment: "c", kSecAttrDescription: "d", kSecAttrGeneric: Data([1]),
      kSecAttrCreator: 7, kSecAttrIsInvisible: true,
    ]
    #expect(add(key.with(rest).with(secret("s3cret"))) == errSecSuccess)
    #expect(update(key, [kSecAttrComment: "new"]) == errSecSuccess)
    let found = attributes(key)
    for (name, value) in rest.with([kSecAttrComment: "new"]) { #expect(same(found?[name], value), "\(name)") }
    #expect(password(key) == "s3cret")
  },
  "update of an attribute that isn't there": {
    #expect(add(generic()) == errSecSuccess)
    #expect(update(generic(), [kSecAttrDescription: "d", kSecAttrGeneric: Data([1])]) == errSecSuccess)
    #expect(attributes(generic())?[kSecAttrDescription] as? String == "d")
    #expect(attributes(generic())?[kSecAttrGeneric] as? Data == Data([1]))
    #expect(update(generic(), [:]) == errSecSuccess || update(generic(), [:]) == errSecParam)
  },
  "dates after an update": {
    #expect(add(generic()) == errSecSuccess)
    let before = attributes(generic())
    #expect(update(generic(), secret("new")) == errSecSuccess)
    let after = attributes(generic())
    #expect(same(before?[kSecAttrCreationDate], after?[kSecAttrCreationDate]))
    let old = before?[kSecAttrModificationDate] as? Date
    let new = after?[kSecAttrModificationDate] as? Date
    #expect(zip([old].compactMap { $0 }, [new].compactMap { $0 }).contains { $0 <= $1 })
  },
  "update with a match key": {
    addThree()
    for limit in [kSecMatchLimitOne, kSecMatchLimitAll] {
      #expect(
        update(generic("com.example.app", "a").with([kSecMatchLimit: limit]), secret("x")) == errSecParam)
    }
    #expect(password(generic("com.example.app", "a")) == "1")
  },
  "delete with a match key": {
    addThree()
    for limit in [kSecMatchLimitOne, kSecMatchLimitAll] {
      #expect(delete(generic("com.example.app", "a").with([kSecMatchLimit: limit])) == errSecParam)
    }
    #expect(password(generic("com.example.app", "a")) == "1")
  },
  "update with a return key": {
    addThree()
    #expect(update(generic("com.example.app", "a").with([kSecReturnData: true]), secret("x")) == errSecParam)
    #expect(password(generic("com.example.app", "a")) == "1")
  },
  "meta key among the new attributes": {
    addThree()
    for key in [kSecReturnData, kSecMatchLimit, kSecUseAuthenticationUI, kSecValueRef] {
      let value: Any = key == kSecReturnData ? true : kSecMatchLimitOne
      #expect(
        update(generic("com.example.app", "a"), [key: value].with(secret("x"))) == errSecNoSuchAttr, "\(key)")
    }
    #expect(password(generic("com.example.app", "a")) == "1")
  },
  "class among the new attributes": {
    addThree()
    #expect(
      update(generic("com.example.app", "a"), [kSecClass: kSecClassGenericPassword].with(secret("x")))
        == errSecNoSuchAttr)
    #expect(password(generic("com.example.app", "a")) == "1")
  },
  "null among the new attributes": {
    addThree()
    for key in [kSecAttrComment, kSecAttrAccount, kSecValueData] {
      #expect(update(generic("com.example.app", "a"), [key: NSNull()]) == errSecParam, "\(key)")
    }
    #expect(password(generic("com.example.app", "a")) == "1")
  },
  "date among the new attributes": {
    addThree()
    let before = attributes(generic("com.example.app", "a"))
    for key in [kSecAttrCreationDate, kSecAttrModificationDate] {
      #expect(
        update(generic("com.example.app", "a"), [key: Date(timeIntervalSince1970: 0)]) == errSecReadOnlyAttr,
        "\(key)")
    }
    #expect(
      same(attributes(generic("com.example.app", "a"))?[kSecAttrCreationDate], before?[kSecAttrCreationDate]))
  },

  // Keychains and processes
  "access group as a boundary": {
    #expect(
      add(generic("s", "a", [kSecAttrAccessGroup: "TEAM2.of.somebody.else"]).with(secret("x")))
        == errSecSuccess)
    #expect(password(generic("s", "a", [kSecAttrAccessGroup: "TEAM2.of.somebody.else"])) == "x")
  },
  "invisible items": {
    #expect(add(generic("s", "hidden", [kSecAttrIsInvisible: true])) == errSecSuccess)
    #expect(add(generic("s", "shown")) == errSecSuccess)
    let query: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s"]
    #expect(all(kSecAttrAccount, query) == ["hidden", "shown"])
    #expect(all(kSecAttrAccount, query.with([kSecAttrIsInvisible: true])) == ["hidden"])
  },
]

/// Adds three passwords for one service: accounts a, b, c with the secrets 1, 2, 3.
private func addThree() {
  for (account, text) in [("a", "1"), ("b", "2"), ("c", "3")] {
    #expect(add(generic("com.example.app", account).with(secret(text))) == errSecSuccess)
  }
}

/// Adds items that each differ in one part of their key, and then each of them a second time.
private func checkDistinct(_ keys: [Attributes]) {
  for (number, key) in keys.enumerated() { #expect(add(key) == errSecSuccess, "key \(number)") }
  for (number, key) in keys.enumerated() {
    #expect(add(key.with(secret("again"))) == errSecDuplicateItem, "key \(number) again")
  }
  let query: Attributes = [
    kSecClass: keys[0][kSecClass] as Any, kSecAttrSynchronizable: kSecAttrSynchronizableAny,
    kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
  ]
  #expect((find(query).value as? [Any])?.count == keys.count)
}
