// Importing this module provides these types of items and secrets, wherever they are defined.
@_exported public import struct Bytes.ByteString
@_exported public import struct Bytes.Secret
@_exported public import struct Bytes.Timestamp
