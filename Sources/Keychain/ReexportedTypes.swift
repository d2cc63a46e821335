// What items and their secrets consist of: whoever imports this module has them, and need not know where they are.
@_exported public import struct Bytes.ByteString
@_exported public import struct Bytes.Secret
@_exported public import struct Bytes.Timestamp
