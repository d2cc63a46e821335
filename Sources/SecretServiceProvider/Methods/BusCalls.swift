/// What a call means for the log and for the items. The method's name tells: equal names do the same on every interface.
struct BusCall {
  /// What the answer depends on, and so waits for.
  enum Need {
    case nothing
    /// The object that is called; on the service itself, nothing.
    case object
    case items
  }

  /// Its action in the log; `nil` if it concerns no item.
  let action: String?
  let need: Need

  private init(_ action: String?, _ need: Need) { (self.action, self.need) = (action, need) }

  /// All methods in ``busInterfaces``, by their names.
  static let all = [
    "Introspect": BusCall(nil, .nothing),
    "Get": BusCall(nil, .object),
    "GetAll": BusCall(nil, .object),
    "Set": BusCall("change", .object),
    "OpenSession": BusCall(nil, .object),
    "Close": BusCall(nil, .object),
    "SearchItems": BusCall("search", .items),
    "GetSecret": BusCall("read", .object),
    "GetSecrets": BusCall("read", .items),
    "RetrieveSecret": BusCall("read", .object),
    "CreateItem": BusCall("store", .object),
    "SetSecret": BusCall("store", .object),
    "Delete": BusCall("delete", .object),
    "Lock": BusCall("lock", .object),
    "LockService": BusCall("lock", .object),
    "Unlock": BusCall("unlock", .items),
    "UnlockWithMasterPassword": BusCall("unlock", .object),
    "Prompt": BusCall(nil, .object),
    "Dismiss": BusCall(nil, .object),
    "CreateCollection": BusCall("collection", .object),
    "ReadAlias": BusCall(nil, .object),
    "SetAlias": BusCall("collection", .object),
    "GetCallers": BusCall(nil, .object),
  ]
}
