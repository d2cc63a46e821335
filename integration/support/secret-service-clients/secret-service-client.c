// Calls the Secret Service as programs do, without anything else: for measuring a service.
//
// secret-service-client lookup NAME VALUE   by libsecret, in an encrypted session
// secret-service-client plain NAME VALUE    the same in a plain session, which libsecret doesn't offer
// secret-service-client store NAME VALUE    by libsecret
// secret-service-client list                all items: the attributes and the secret of each; prints how many
// secret-service-client lookups COUNT NAME VALUE   that many, one after the other
// secret-service-client creates COUNT AT-ONCE      makes items, with so many calls under way
// secret-service-client replaces COUNT AT-ONCE     the same, in the place of those from the last time
// secret-service-client searches COUNT             finds all items, so many times
// secret-service-client secrets COUNT              gets all secrets by one call, so many times
// secret-service-client properties COUNT           gets all properties of the collection, so many times

#define SECRET_API_SUBJECT_TO_CHANGE
#include <libsecret/secret.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "org.freedesktop.secrets"
#define ROOT "/org/freedesktop/secrets"
#define API "org.freedesktop.Secret."

static SecretSchema schema = {"org.example.Client", SECRET_SCHEMA_DONT_MATCH_NAME, {{NULL, 0}}};

static void fail(GError *error) {
  fprintf(stderr, "secret-service-client: %s\n", error ? error->message : "nothing found");
  exit(1);
}

static GVariant *call(
    GDBusConnection *bus, const char *path, const char *interface, const char *method, GVariant *arguments) {
  GError *error = NULL;
  GVariant *reply = g_dbus_connection_call_sync(
      bus, NAME, path, interface, method, arguments, NULL, G_DBUS_CALL_FLAGS_NONE, 120000, NULL, &error);
  if (reply == NULL) fail(error);
  return reply;
}

static GHashTable *attributes(const char *name, const char *value) {
  GHashTable *table = g_hash_table_new(g_str_hash, g_str_equal);
  schema.attributes[0].name = name;
  g_hash_table_insert(table, (gpointer)name, (gpointer)value);
  return table;
}

static void lookup(const char *name, const char *value) {
  GError *error = NULL;
  gchar *secret = secret_password_lookupv_sync(&schema, attributes(name, value), NULL, &error);
  if (secret == NULL) fail(error);
  puts(secret);
  secret_password_free(secret);
}

static void store(const char *name, const char *value) {
  GError *error = NULL;
  if (!secret_password_storev_sync(&schema, attributes(name, value), NULL, "label", "secret", NULL, &error)) fail(error);
}

static char *plain_session(GDBusConnection *bus) {
  GVariant *reply = call(
      bus, ROOT, API "Service", "OpenSession", g_variant_new("(sv)", "plain", g_variant_new_string("")));
  char *session;
  g_variant_get(reply, "(vo)", NULL, &session);
  return session;
}

static void print_secret(GVariant *secret) {
  GVariant *bytes = g_variant_get_child_value(secret, 2);
  fwrite(g_variant_get_data(bytes), 1, g_variant_get_size(bytes), stdout);
  putchar('\n');
  g_variant_unref(bytes);
}

static void plain(GDBusConnection *bus, const char *name, const char *value) {
  char *session = plain_session(bus);
  GVariantBuilder wanted;
  g_variant_builder_init(&wanted, G_VARIANT_TYPE("a{ss}"));
  g_variant_builder_add(&wanted, "{ss}", name, value);
  GVariant *found = call(bus, ROOT, API "Service", "SearchItems", g_variant_new("(a{ss})", &wanted));
  GVariant *unlocked = g_variant_get_child_value(found, 0);
  if (g_variant_n_children(unlocked) == 0) fail(NULL);
  const char *path;
  g_variant_get_child(unlocked, 0, "&o", &path);
  GVariant *reply = call(bus, path, API "Item", "GetSecret", g_variant_new("(o)", session));
  print_secret(g_variant_get_child_value(reply, 0));
}

static void list(GDBusConnection *bus) {
  char *session = plain_session(bus);
  GVariantBuilder none;
  g_variant_builder_init(&none, G_VARIANT_TYPE("a{ss}"));
  GVariant *found = call(bus, ROOT, API "Service", "SearchItems", g_variant_new("(a{ss})", &none));
  GVariant *unlocked = g_variant_get_child_value(found, 0);
  GVariantIter items;
  const char *path;
  int count = 0;
  g_variant_iter_init(&items, unlocked);
  while (g_variant_iter_next(&items, "&o", &path)) {
    g_variant_unref(call(
        bus, path, "org.freedesktop.DBus.Properties", "Get", g_variant_new("(ss)", API "Item", "Attributes")));
    g_variant_unref(call(bus, path, API "Item", "GetSecret", g_variant_new("(o)", session)));
    count++;
  }
  printf("%d\n", count);
}

#define COLLECTION ROOT "/collection/login"

static int waiting;

static void created(GObject *bus, GAsyncResult *result, gpointer ignored) {
  GError *error = NULL;
  GVariant *reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(bus), result, &error);
  if (reply == NULL) fail(error);
  g_variant_unref(reply);
  waiting--;
}

static void create(GDBusConnection *bus, int count, int at_once, int replaces) {
  char *session = plain_session(bus), process[32];
  snprintf(process, sizeof process, "%d", replaces ? 0 : getpid());
  for (int number = 0; number < count; number++) {
    char value[32];
    snprintf(value, sizeof value, "%d", number);
    GVariantBuilder attributes, properties;
    g_variant_builder_init(&attributes, G_VARIANT_TYPE("a{ss}"));
    g_variant_builder_add(&attributes, "{ss}", "process", process);
    g_variant_builder_add(&attributes, "{ss}", "number", value);
    g_variant_builder_init(&properties, G_VARIANT_TYPE("a{sv}"));
    g_variant_builder_add(&properties, "{sv}", API "Item.Label", g_variant_new_string("label"));
    g_variant_builder_add(&properties, "{sv}", API "Item.Attributes", g_variant_builder_end(&attributes));
    g_dbus_connection_call(
        bus, NAME, COLLECTION, API "Collection", "CreateItem",
        g_variant_new(
            "(a{sv}(o@ay@ays)b)", &properties, session, g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, NULL, 0, 1),
            g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, "secret", 6, 1), "text/plain", replaces),
        NULL, G_DBUS_CALL_FLAGS_NONE, 120000, NULL, created, NULL);
    waiting++;
    while (waiting >= at_once) g_main_context_iteration(NULL, TRUE);
  }
  while (waiting > 0) g_main_context_iteration(NULL, TRUE);
}

static GVariant *all_paths(GDBusConnection *bus) {
  GVariantBuilder none;
  g_variant_builder_init(&none, G_VARIANT_TYPE("a{ss}"));
  GVariant *found = call(bus, COLLECTION, API "Collection", "SearchItems", g_variant_new("(a{ss})", &none));
  GVariant *paths = g_variant_get_child_value(found, 0);
  g_variant_unref(found);
  return paths;
}

int main(int count, char **words) {
  const char *mode = count > 1 ? words[1] : "";
  if (strcmp(mode, "lookup") == 0 && count == 4) {
    lookup(words[2], words[3]);
    return 0;
  }
  if (strcmp(mode, "store") == 0 && count == 4) {
    store(words[2], words[3]);
    return 0;
  }
  GError *error = NULL;
  GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, &error);
  if (bus == NULL) fail(error);
  if (strcmp(mode, "plain") == 0 && count == 4) {
    plain(bus, words[2], words[3]);
  } else if (strcmp(mode, "list") == 0 && count == 2) {
    list(bus);
  } else if (strcmp(mode, "lookups") == 0 && count == 5) {
    for (int number = atoi(words[2]); number > 0; number--) lookup(words[3], words[4]);
  } else if ((strcmp(mode, "creates") == 0 || strcmp(mode, "replaces") == 0) && count == 4) {
    create(bus, atoi(words[2]), atoi(words[3]), mode[0] == 'r');
  } else if (count == 3 && (!strcmp(mode, "searches") || !strcmp(mode, "secrets") || !strcmp(mode, "properties"))) {
    char *session = plain_session(bus);
    GVariant *paths = all_paths(bus);
    for (int number = atoi(words[2]); number > 0; number--) {
      if (strcmp(mode, "searches") == 0) {
        g_variant_unref(all_paths(bus));
      } else if (strcmp(mode, "properties") == 0) {
        GVariant *name = g_variant_new("(s)", API "Collection");
        g_variant_unref(call(bus, COLLECTION, "org.freedesktop.DBus.Properties", "GetAll", name));
      } else {
        g_variant_unref(call(bus, ROOT, API "Service", "GetSecrets", g_variant_new("(@aoo)", paths, session)));
      }
    }
  } else {
    fprintf(stderr, "usage: see the first lines of secret-service-client.c\n");
    return 64;
  }
  return 0;
}
