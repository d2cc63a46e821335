#!/usr/bin/env python3
"""django-oauth-toolkit as an authorization server on loopback, for tests: sign-in-django.py FOLDER --tls PREFIX.

sign_in_server.py says what is in FOLDER. One person is always signed in, and has to consent to each application. There
are the public clients `web`, with the redirect URI http://127.0.0.1 and any port, and `device`, and the confidential
client `secret`, with the secret `hush:hush` and the same redirect URI.

Refresh tokens are used once; a second use revokes all that came from them. Error responses of /authorize/ have no `iss`,
the metadata names no endpoint for devices, which is /device-authorization/, and a device that polls is never told
`slow_down` or `expired_token`.

For the test itself, by POST:
  /control/application  client_id, and perhaps secret, grant (authorization-code, client-credentials or urn:…)
  /control/expire       all access tokens expire
  /control/forget       all tokens are gone, as if the person had revoked them
"""

import logging
import os
import threading

from sign_in_server import WSGIPeer, argument_parser, as_json, bind, run

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


def settings_for(options):
    return {
        "SECRET_KEY": "tests",
        "ALLOWED_HOSTS": ["*"],
        "USE_TZ": True,
        "ROOT_URLCONF": __name__,
        "INSTALLED_APPS": ["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"],
        # The tables are made from the models at once, which is faster.
        "MIGRATION_MODULES": {"auth": None, "contenttypes": None, "oauth2_provider": None},
        "MIDDLEWARE": [__name__ + ".signed_in"],
        "TEMPLATES": [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
        "LOGGING_CONFIG": None,
        "DEFAULT_AUTO_FIELD": "django.db.models.BigAutoField",
        "DATABASES": {
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": os.path.join(options.folder, "db.sqlite3"),
                "OPTIONS": {
                    "timeout": 20,
                    "transaction_mode": "IMMEDIATE",
                    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF",
                },
            }
        },
        "OAUTH2_PROVIDER": {
            "SCOPES": {"read": "Read", "write": "Write"},
            "ACCESS_TOKEN_EXPIRE_SECONDS": options.token_life,
            "ROTATE_REFRESH_TOKEN": True,
            "REFRESH_TOKEN_REUSE_PROTECTION": True,
            "DEVICE_FLOW_INTERVAL": 1,
            "OAUTH_DEVICE_VERIFICATION_URI": f"{options.origin}/device/",
            "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": lambda code: f"{options.origin}/device/?user_code={code}",
            "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
            "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
            "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
            "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
            "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
        },
    }


def signed_in(get_response):
    from django.contrib.auth import get_user_model

    def middleware(request):
        request.user = get_user_model().objects.get(username="ada")
        return get_response(request)

    return middleware


def add_application(client_id, secret="", grant="authorization-code", redirect_uris=""):
    from oauth2_provider.models import get_application_model

    get_application_model().objects.create(
        client_id=client_id,
        name=client_id,
        client_type="confidential" if secret else "public",
        client_secret=secret,
        authorization_grant_type=grant,
        redirect_uris=redirect_uris,
    )


def set_up(options):
    from django.contrib.auth import get_user_model
    from django.core.management import call_command

    if not os.path.exists(os.path.join(options.folder, "db.sqlite3")):
        call_command("migrate", run_syncdb=True, verbosity=0, skip_checks=True)
        get_user_model().objects.create(username="ada")
        add_application("web", redirect_uris="http://127.0.0.1")
        add_application("secret", secret="hush:hush", redirect_uris="http://127.0.0.1")
        add_application("device", grant=DEVICE)


def control(path, parameters):
    from django.utils import timezone
    from oauth2_provider.models import get_access_token_model, get_refresh_token_model

    if path == "/control/application":
        add_application(**parameters)
    elif path == "/control/expire":
        get_access_token_model().objects.update(expires=timezone.now())
    elif path == "/control/forget":
        get_access_token_model().objects.all().delete()
        get_refresh_token_model().objects.all().delete()
    else:
        return as_json({"error": "no such control"}, 404)
    return as_json({})


def is_valid(token):
    from oauth2_provider.models import get_access_token_model

    found = get_access_token_model().objects.filter(token=token).first()
    return found is not None and found.is_valid()


def with_database(action, *arguments):
    """Outside of Django's own requests, nothing closes what a thread has opened."""
    from django.db import connections

    try:
        return action(*arguments)
    finally:
        connections.close_all()


class Django(WSGIPeer):
    kinds = {
        "/authorize": "authorize",
        "/token": "token",
        "/device-authorization": "device",
        "/device": "verify",
        "/device-confirm": "verify",
        "/device-grant-status": "verify",
        "/revoke_token": "revoke",
        "/control": "control",
    }
    one_at_a_time = threading.Lock()

    def answer(self, path, query, body):
        if path.startswith("/control/"):
            return with_database(control, path, dict(self.parameters(query, body)))
        if path == "/token/":
            # SQLite has no locks for rows, and two uses of a refresh token at once would both be the first.
            with self.one_at_a_time:
                return super().answer(path, query, body)
        return super().answer(path, query, body)

    def admits(self, token):
        return with_database(is_valid, token)


def main():
    options = argument_parser(__doc__).parse_args()
    server = bind(Django, options)
    options.origin = f"https://127.0.0.1:{server.server_port}"

    import django
    from django.conf import settings

    settings.configure(**settings_for(options))
    django.setup()
    from django.core.handlers.wsgi import WSGIHandler
    from django.urls import include, path

    global urlpatterns
    urlpatterns = [path("", include("oauth2_provider.urls"))]
    # What it refuses is in the log.
    logging.getLogger("django.request").setLevel(logging.ERROR)
    set_up(options)
    Django.application = WSGIHandler()
    run(server)


if __name__ == "__main__":
    main()
