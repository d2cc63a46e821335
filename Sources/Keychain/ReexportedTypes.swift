// The types of items and their secrets. Importing this module provides them, wherever they are defined.
@_exported public import struct Bytes.ByteString
@_exported public import struct Bytes.Secret
@_exported public import struct Bytes.Timestamp
