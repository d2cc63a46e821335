import Foundation

/// A self-signed certificate for example.com with the serial number 123456789ABCDEF0₁₆, in DER.
let certificateForTests = Data(base64Encoded: certificateText, options: .ignoreUnknownCharacters) ?? Data()

/// The certificate in base64.
let certificateText = """
  MIIBdzCCAR2gAwIBAgIIEjRWeJq83vAwCgYIKoZIzj0EAwIwFjEUMBIGA1UEAwwLZXhhbXBsZS5jb20wIBcNMjYx
  MTIxMjMxMzI2WhgPMjEyNjEwMjgyMzEzMjZaMBYxFDASBgNVBAMMC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYI
  KoZIzj0DAQcDQgAE/gKgK4gAvWwHUGhEJ8JARWqIuj69rp651buzaq+54oumbP235e4ktxFZSUTC3rEAE98NU0r4
  N3evCKWNPhqw36NTMFEwHQYDVR0OBBYEFMtgb03Fo3iyhrGy/audkRSPk+i0MB8GA1UdIwQYMBaAFMtgb03Fo3iy
  hrGy/audkRSPk+i0MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhALp3AVL8HrEc3jRVamdil7iU
  QASRJk2Zdz4Y+DQ/jHduAiBG+X0Bl4W2QKFHxmhATx0RpSlwnlB+LxqK3QvPbgPnUA==
  """
