// Failures contain hints, so whoever imports this module gets the type too.
@_exported public import struct CredentialProtocols.Hint
