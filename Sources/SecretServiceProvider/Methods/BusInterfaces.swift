/// What is on the bus, in D-Bus's own description (D-Bus Specification, "Introspection Data Format"): the draft's
/// interfaces, with gnome-keyring's property `Type`, and those beside them. Calls and properties have the types that are
/// here. ``BusCall`` says of each method what it waits for.
let busInterfaces = """
  <node>
  <interface name="org.freedesktop.DBus.Properties">
    <method name="Get">
      <arg name="interface" type="s"/><arg name="property" type="s"/><arg name="value" type="v" direction="out"/>
    </method>
    <method name="GetAll">
      <arg name="interface" type="s"/><arg name="properties" type="a{sv}" direction="out"/>
    </method>
    <method name="Set">
      <arg name="interface" type="s"/><arg name="property" type="s"/><arg name="value" type="v"/>
    </method>
    <signal name="PropertiesChanged">
      <arg name="interface" type="s"/><arg name="changed" type="a{sv}"/><arg name="invalidated" type="as"/>
    </signal>
  </interface>
  <interface name="org.freedesktop.DBus.Introspectable">
    <method name="Introspect"><arg name="data" type="s" direction="out"/></method>
  </interface>
  <interface name="org.freedesktop.Secret.Service">
    <method name="OpenSession">
      <arg name="algorithm" type="s"/><arg name="input" type="v"/>
      <arg name="output" type="v" direction="out"/><arg name="result" type="o" direction="out"/>
    </method>
    <method name="CreateCollection">
      <arg name="properties" type="a{sv}"/><arg name="alias" type="s"/>
      <arg name="collection" type="o" direction="out"/><arg name="prompt" type="o" direction="out"/>
    </method>
    <method name="SearchItems">
      <arg name="attributes" type="a{ss}"/>
      <arg name="unlocked" type="ao" direction="out"/><arg name="locked" type="ao" direction="out"/>
    </method>
    <method name="Unlock">
      <arg name="objects" type="ao"/>
      <arg name="unlocked" type="ao" direction="out"/><arg name="prompt" type="o" direction="out"/>
    </method>
    <method name="Lock">
      <arg name="objects" type="ao"/>
      <arg name="locked" type="ao" direction="out"/><arg name="prompt" type="o" direction="out"/>
    </method>
    <method name="LockService"/>
    <method name="GetSecrets">
      <arg name="items" type="ao"/><arg name="session" type="o"/>
      <arg name="secrets" type="a{o(oayays)}" direction="out"/>
    </method>
    <method name="ReadAlias">
      <arg name="name" type="s"/><arg name="collection" type="o" direction="out"/>
    </method>
    <method name="SetAlias"><arg name="name" type="s"/><arg name="collection" type="o"/></method>
    <signal name="CollectionCreated"><arg name="collection" type="o"/></signal>
    <signal name="CollectionDeleted"><arg name="collection" type="o"/></signal>
    <signal name="CollectionChanged"><arg name="collection" type="o"/></signal>
    <property name="Collections" type="ao" access="read"/>
  </interface>
  <interface name="org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface">
    <method name="UnlockWithMasterPassword">
      <arg name="collection" type="o"/><arg name="master" type="(oayays)"/>
    </method>
  </interface>
  <interface name="org.llavero.SecretService">
    <method name="GetCallers"><arg name="callers" type="a(subtu)" direction="out"/></method>
  </interface>
  <interface name="org.freedesktop.Secret.Collection">
    <method name="Delete"><arg name="prompt" type="o" direction="out"/></method>
    <method name="SearchItems">
      <arg name="attributes" type="a{ss}"/><arg name="results" type="ao" direction="out"/>
    </method>
    <method name="CreateItem">
      <arg name="properties" type="a{sv}"/><arg name="secret" type="(oayays)"/><arg name="replace" type="b"/>
      <arg name="item" type="o" direction="out"/><arg name="prompt" type="o" direction="out"/>
    </method>
    <signal name="ItemCreated"><arg name="item" type="o"/></signal>
    <signal name="ItemDeleted"><arg name="item" type="o"/></signal>
    <signal name="ItemChanged"><arg name="item" type="o"/></signal>
    <property name="Items" type="ao" access="read"/>
    <property name="Label" type="s" access="readwrite"/>
    <property name="Locked" type="b" access="read"/>
    <property name="Created" type="t" access="read"/>
    <property name="Modified" type="t" access="read"/>
  </interface>
  <interface name="org.freedesktop.Secret.Item">
    <method name="Delete"><arg name="prompt" type="o" direction="out"/></method>
    <method name="GetSecret">
      <arg name="session" type="o"/><arg name="secret" type="(oayays)" direction="out"/>
    </method>
    <method name="SetSecret"><arg name="secret" type="(oayays)"/></method>
    <property name="Locked" type="b" access="read"/>
    <property name="Attributes" type="a{ss}" access="readwrite"/>
    <property name="Label" type="s" access="readwrite"/>
    <property name="Type" type="s" access="readwrite"/>
    <property name="Created" type="t" access="read"/>
    <property name="Modified" type="t" access="read"/>
  </interface>
  <interface name="org.freedesktop.Secret.Session"><method name="Close"/></interface>
  <interface name="org.freedesktop.Secret.Prompt">
    <method name="Prompt"><arg name="window" type="s"/></method>
    <method name="Dismiss"/>
    <signal name="Completed"><arg name="dismissed" type="b"/><arg name="result" type="v"/></signal>
  </interface>
  <interface name="org.freedesktop.impl.portal.Secret">
    <method name="RetrieveSecret">
      <arg name="handle" type="o"/><arg name="app_id" type="s"/><arg name="fd" type="h"/>
      <arg name="options" type="a{sv}"/>
      <arg name="response" type="u" direction="out"/><arg name="results" type="a{sv}" direction="out"/>
    </method>
    <property name="version" type="u" access="read"/>
  </interface>
  <interface name="org.freedesktop.impl.portal.Request"><method name="Close"/></interface>
  </node>
  """

/// What a call means for the log and for the items. The method's name tells: equal names do the same on every interface.
struct BusCall {
  /// What the answer depends on, and so waits for: always for all that the cases above wait for, too.
  enum Need: Comparable {
    /// Not even the caller's earlier calls: locking must wait for nothing.
    case nothing
    case earlierCalls
    /// What a file holds now, but no new look at another machine's keychain.
    case file
    /// The object that is called; on the service itself, as ``file``.
    case object
    /// As ``object``, but of a collection's properties only the items.
    case property
    case items
    /// The items, and if none is known that fits, a look that begins after the call.
    case search
  }

  /// Its action in the log; `nil` if it concerns no item.
  let action: String?
  let need: Need

  private init(_ action: String?, _ need: Need) { (self.action, self.need) = (action, need) }

  /// All methods in ``busInterfaces``, by their names.
  static let all = [
    "Introspect": BusCall(nil, .file),
    "Get": BusCall(nil, .property),
    "GetAll": BusCall(nil, .object),
    "Set": BusCall("change", .object),
    "OpenSession": BusCall(nil, .earlierCalls),
    "Close": BusCall(nil, .object),
    "SearchItems": BusCall("search", .search),
    "GetSecret": BusCall("read", .object),
    "GetSecrets": BusCall("read", .items),
    "RetrieveSecret": BusCall("read", .object),
    "CreateItem": BusCall("store", .object),
    "SetSecret": BusCall("store", .object),
    "Delete": BusCall("delete", .object),
    "Lock": BusCall("lock", .nothing),
    "LockService": BusCall("lock", .nothing),
    "Unlock": BusCall("unlock", .items),
    "UnlockWithMasterPassword": BusCall("unlock", .earlierCalls),
    "Prompt": BusCall(nil, .object),
    "Dismiss": BusCall(nil, .object),
    "CreateCollection": BusCall("collection", .object),
    "ReadAlias": BusCall(nil, .object),
    "SetAlias": BusCall("collection", .object),
    "GetCallers": BusCall(nil, .earlierCalls),
  ]
}

extension MethodCall {
  var need: BusCall.Need { BusCall.all[member]?.need ?? .object }
}
