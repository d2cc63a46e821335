#ifndef CSECRET_SHIM_H
#define CSECRET_SHIM_H

// libsecret has had the calls by object path since 0.12, but declares them only if this is defined.
#define SECRET_API_SUBJECT_TO_CHANGE

#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <glib-unix.h>
#include <libsecret/secret.h>
#include <malloc.h>
#include <unistd.h>

// Things that Swift cannot express: casts and values that GLib defines as macros.

// SecretService's own constructor chooses the proxy's settings: the session bus that GLib finds, the well-known name,
// and loading and watching everything, which takes ten calls. This subclass restores the requested settings.
static inline GObject *_Nonnull csecret_constructor(
    GType type, guint count, GObjectConstructParam *_Nullable parameters) {
  gpointer parent = g_type_class_peek(SECRET_TYPE_SERVICE);
  GObject *object = G_OBJECT_CLASS(parent)->constructor(type, count, parameters);
  g_object_set(object, "g-bus-type", G_BUS_TYPE_NONE, NULL);
  for (guint index = 0; index < count; index++) {
    const char *name = g_param_spec_get_name(parameters[index].pspec);
    if (g_str_equal(name, "g-name") || g_str_equal(name, "g-flags"))
      g_object_set_property(object, name, parameters[index].value);
  }
  return object;
}

static inline void csecret_class_init(gpointer _Nonnull class_, gpointer _Nullable data) {
  (void)data;
  G_OBJECT_CLASS(class_)->constructor = csecret_constructor;
}

/// Registers the class of service objects, which takes a tenth of a millisecond. Call it once in a process.
static inline GType csecret_register_service(void) {
  GType type = g_type_register_static_simple(
      SECRET_TYPE_SERVICE, "LlaveroSecretService", sizeof(SecretServiceClass), csecret_class_init,
      sizeof(SecretService), NULL, 0);
  g_type_class_ref(type);
  return type;
}

/// Makes a service object of the registered class, on a connection that is already open. This asks the bus nothing:
/// `owner` is a unique name. Returns a new reference, or NULL with `error` set.
static inline SecretService *_Nullable csecret_service_new(
    GType type, GDBusConnection *_Nonnull connection, const char *_Nonnull owner, int timeout_milliseconds,
    GError *_Nullable *_Nonnull error) {
  GObject *service = g_initable_new(
      type, NULL, error, "g-connection", connection, "g-name", owner, "g-flags",
      G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES | G_DBUS_PROXY_FLAGS_DO_NOT_CONNECT_SIGNALS |
          G_DBUS_PROXY_FLAGS_DO_NOT_AUTO_START,
      NULL);
  if (service == NULL) return NULL;
  g_dbus_proxy_set_default_timeout(G_DBUS_PROXY(service), timeout_milliseconds);
  return SECRET_SERVICE(service);
}

/// Whether the value has the type.
static inline gboolean csecret_is(GVariant *_Nonnull value, const char *_Nonnull type) {
  return g_variant_is_of_type(value, G_VARIANT_TYPE(type));
}

/// An array of elements of the type.
static inline GVariant *_Nonnull csecret_array(
    const char *_Nonnull type, GVariant *_Nonnull *_Nullable children, gsize count) {
  return g_variant_new_array(G_VARIANT_TYPE(type), children, count);
}

/// An array of bytes, copied.
static inline GVariant *_Nonnull csecret_bytes(const void *_Nullable bytes, gsize count) {
  return g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, bytes, count, 1);
}

/// Registers the classes that a connection needs.
static inline void csecret_prepare_connection(void) {
  g_type_class_ref(G_TYPE_DBUS_CONNECTION);
  g_type_class_ref(g_socket_connection_factory_lookup_type(G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM, 0));
  g_type_class_ref(G_TYPE_DBUS_MESSAGE);
}

/// Turns an invalid reply to OpenSession into an error. libsecret would take it for a key without checking its type
/// (0.20 and 0.21 pass anything to g_variant_get_fixed_array()). Messages in both directions pass through here on
/// GLib's thread.
static inline GDBusMessage *_Nullable csecret_check_opening(
    GDBusConnection *_Nonnull connection, GDBusMessage *_Nonnull message, gboolean incoming, gpointer _Nullable data) {
  (void)connection;
  guint32 *serial = (guint32 *)data;
  GVariant *body = g_dbus_message_get_body(message);
  if (!incoming) {
    if (g_strcmp0(g_dbus_message_get_member(message), "OpenSession") == 0 && body != NULL &&
        csecret_is(body, "(sv)")) {
      const char *algorithm = NULL;
      g_variant_get_child(body, 0, "&s", &algorithm);
      *serial = g_str_equal(algorithm, "plain") ? 0 : g_dbus_message_get_serial(message);
    }
    return message;
  }
  if (*serial == 0 || g_dbus_message_get_reply_serial(message) != *serial) return message;
  *serial = 0;
  if (g_dbus_message_get_message_type(message) != G_DBUS_MESSAGE_TYPE_METHOD_RETURN) return message;
  char *problem = NULL;
  if (body == NULL || !csecret_is(body, "(vo)")) {
    problem = g_strdup_printf(
        "of the type %.40s and not (vo)", body == NULL ? "()" : g_variant_get_type_string(body));
  } else {
    GVariant *key = NULL;
    g_variant_get_child(body, 0, "v", &key);
    if (!csecret_is(key, "ay")) problem = g_strdup("a key that is no array of bytes");
    g_variant_unref(key);
  }
  if (problem == NULL) return message;
  GDBusMessage *error = g_dbus_message_copy(message, NULL);
  if (error != NULL) {
    g_dbus_message_set_message_type(error, G_DBUS_MESSAGE_TYPE_ERROR);
    g_dbus_message_set_error_name(error, "org.freedesktop.DBus.Error.InvalidSignature");
    g_dbus_message_set_body(error, g_variant_new("(s)", problem));
  }
  g_free(problem);
  g_object_unref(message);
  return error;
}

/// Makes a connection over a socket on which the D-Bus handshake has been done, and takes over the descriptor. For
/// GLib it is a connection without a bus: the caller is responsible for Hello, match rules and time limits. Returns a
/// new reference, or NULL with `error` set.
static inline GDBusConnection *_Nullable csecret_connection_new(
    int descriptor, GError *_Nullable *_Nonnull error) {
  GSocket *socket = g_socket_new_from_fd(descriptor, error);
  if (socket == NULL) {
    close(descriptor);
    return NULL;
  }
  GSocketConnection *stream = g_socket_connection_factory_create_connection(socket);
  g_object_unref(socket);
  GDBusConnection *connection =
      g_dbus_connection_new_sync(G_IO_STREAM(stream), NULL, G_DBUS_CONNECTION_FLAGS_NONE, NULL, NULL, error);
  g_object_unref(stream);
  if (connection != NULL) {
    g_dbus_connection_add_filter(connection, csecret_check_opening, g_new0(guint32, 1), g_free);
  }
  return connection;
}

/// Calls `report` when the connection is closed, until csecret_forget_closing() is called.
static inline void csecret_on_closing(
    GDBusConnection *_Nonnull connection, void (*_Nonnull report)(void *_Nonnull data), void *_Nonnull data) {
  // The data is passed first, then the signal's arguments, which the function doesn't take.
  g_signal_connect_swapped(connection, "closed", G_CALLBACK(report), data);
}

static inline void csecret_forget_closing(GDBusConnection *_Nonnull connection, void *_Nonnull data) {
  g_signal_handlers_disconnect_by_data(connection, data);
}

/// The name of the remote error, or NULL; free it with g_free().
static inline char *_Nullable csecret_error_name(const GError *_Nonnull error) {
  return g_dbus_error_get_remote_error(error);
}

static inline gboolean csecret_is_io_error(const GError *_Nonnull error, int code) {
  return g_error_matches(error, G_IO_ERROR, code);
}

/// Makes all threads share one heap.
static inline void csecret_use_one_heap(void) { mallopt(M_ARENA_MAX, 1); }

static inline void csecret_unref(void *_Nonnull object) { g_object_unref(object); }

#endif
