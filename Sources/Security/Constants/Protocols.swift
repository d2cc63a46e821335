/// FTP.
public let kSecAttrProtocolFTP: CFString = "ftp "

/// The account of an FTP client.
public let kSecAttrProtocolFTPAccount: CFString = "ftpa"

/// HTTP.
public let kSecAttrProtocolHTTP: CFString = "http"

/// IRC.
public let kSecAttrProtocolIRC: CFString = "irc "

/// NNTP.
public let kSecAttrProtocolNNTP: CFString = "nntp"

/// POP3.
public let kSecAttrProtocolPOP3: CFString = "pop3"

/// SMTP.
public let kSecAttrProtocolSMTP: CFString = "smtp"

/// A SOCKS proxy.
public let kSecAttrProtocolSOCKS: CFString = "sox "

/// IMAP.
public let kSecAttrProtocolIMAP: CFString = "imap"

/// LDAP.
public let kSecAttrProtocolLDAP: CFString = "ldap"

/// AFP over AppleTalk.
public let kSecAttrProtocolAppleTalk: CFString = "atlk"

/// AFP over TCP.
public let kSecAttrProtocolAFP: CFString = "afp "

/// Telnet.
public let kSecAttrProtocolTelnet: CFString = "teln"

/// SSH.
public let kSecAttrProtocolSSH: CFString = "ssh "

/// FTP over TLS.
public let kSecAttrProtocolFTPS: CFString = "ftps"

/// HTTP over TLS; items store it as `https`, as git and every tool does.
public let kSecAttrProtocolHTTPS: CFString = "htps"

/// A proxy for HTTP.
public let kSecAttrProtocolHTTPProxy: CFString = "htpx"

/// A proxy for HTTPS.
public let kSecAttrProtocolHTTPSProxy: CFString = "htsx"

/// A proxy for FTP.
public let kSecAttrProtocolFTPProxy: CFString = "ftpx"

/// SMB.
public let kSecAttrProtocolSMB: CFString = "smb "

/// RTSP.
public let kSecAttrProtocolRTSP: CFString = "rtsp"

/// A proxy for RTSP.
public let kSecAttrProtocolRTSPProxy: CFString = "rtsx"

/// DAAP, of iTunes.
public let kSecAttrProtocolDAAP: CFString = "daap"

/// Remote Apple events.
public let kSecAttrProtocolEPPC: CFString = "eppc"

/// IPP.
public let kSecAttrProtocolIPP: CFString = "ipp "

/// NNTP over TLS.
public let kSecAttrProtocolNNTPS: CFString = "ntps"

/// LDAP over TLS.
public let kSecAttrProtocolLDAPS: CFString = "ldps"

/// Telnet over TLS.
public let kSecAttrProtocolTelnetS: CFString = "tels"

/// IMAP over TLS.
public let kSecAttrProtocolIMAPS: CFString = "imps"

/// IRC over TLS.
public let kSecAttrProtocolIRCS: CFString = "ircs"

/// POP3 over TLS.
public let kSecAttrProtocolPOP3S: CFString = "pops"
