// Failures contain hints, so importers of this module need the type too.
@_exported public import struct CredentialProtocols.Hint
