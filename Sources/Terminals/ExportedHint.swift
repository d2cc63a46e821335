// What failures consist of: whoever imports this module has it, and need not know where it is.
@_exported public import struct CredentialProtocols.Hint
