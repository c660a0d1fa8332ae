import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { ConnectionOptions as TlsOptions } from 'node:tls'

import type pg from 'pg'

/** Where a database is and who connects. Plain data, safe to copy and change; never log it: it may contain a password. */
export type ConnectionSettings = {
  /** Host name, address, or the absolute path of the directory that contains the Unix socket. */
  host: string
  port: number
  database: string
  user: string
  password?: string
  /** Absent: no TLS. */
  tls?: TlsOptions
}

const example = 'postgresql://user:password@host:5432/database'
const encoding = ', with special characters of user and password written as %23 for #, and so on'

/**
 * Parses a `postgresql://` URL. A Unix socket is written `postgresql://user@/database?host=/directory`. Supported
 * parameters: `host`, `port`, `sslmode` (`disable`; `require`: encrypted, with any certificate unless `sslrootcert` is
 * given, like libpq; `verify-ca`; `verify-full`), `sslrootcert`, `sslcert`, `sslkey` (files). A Unix socket never uses
 * TLS, whatever `sslmode` says. Throws on anything else, without the URL in the message, because it may contain a
 * password.
 *
 * @param variable the name of the setting, for the message.
 */
export function fromUrl(databaseUrl: string, variable = 'DATABASE_URL'): ConnectionSettings {
  // WHATWG URLs do not allow a user with an empty host, PostgreSQL's do.
  const standIn = 'socket.invalid'
  const url = URL.parse(databaseUrl.replace(/^([a-z]+:\/\/(?:[^/@]*@)?)(?=[/?]|$)/i, `$1${standIn}`))
  const [, authority = ''] = /^[a-z]+:\/\/([^/?#]*)/i.exec(databaseUrl) ?? []
  // user and password may contain a comma
  if (authority.slice(authority.lastIndexOf('@') + 1).includes(','))
    throw new Error(`${variable} names several hosts; name one, such as a proxy in front of the primary`)
  if (!url || !['postgresql:', 'postgres:'].includes(url.protocol)) {
    throw new Error(`${variable} is not a PostgreSQL URL; expected the form ${example}${encoding}`)
  }
  const known = ['host', 'port', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']
  const unknown = [...url.searchParams.keys()].filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new Error(
      `${variable} has unknown parameters: ${unknown.join(', ')}; known are ${known.join(', ')}`,
    )
  }
  const urlHost = url.hostname === standIn ? '' : url.hostname.replace(/^\[(.*)\]$/, '$1')
  const host = url.searchParams.get('host') ?? decode(variable, urlHost)
  const user = decode(variable, url.username)
  const database = decode(variable, url.pathname.slice(1)) || user
  const port = Number(url.port || url.searchParams.get('port') || '5432')
  if (!user) throw new Error(`${variable} names no user; expected the form ${example}`)
  if (!host)
    throw new Error(`${variable} names no host; expected the form ${example}, or ?host=/socket/directory`)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`${variable} has an unusable port`)
  const tls = host.startsWith('/') ? undefined : tlsOf(variable, url.searchParams)
  return {
    host,
    port,
    database,
    user,
    ...(url.password && { password: decode(variable, url.password) }),
    ...(tls && { tls }),
  }
}

function decode(variable: string, text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // without the cause, which may contain a password
    throw new Error(
      `${variable} has a % that does not start an escape; a literal % is written %25${encoding}`,
    )
  }
}

function tlsOf(variable: string, parameters: URLSearchParams): TlsOptions | undefined {
  const file = (name: string) => {
    const path = parameters.get(name)
    return path === null ? undefined : readTlsFile(variable, name, path)
  }
  const [ca, cert, key] = [file('sslrootcert'), file('sslcert'), file('sslkey')]
  if ((cert === undefined) !== (key === undefined))
    throw new Error(`${variable} names only one of sslcert and sslkey; a client certificate needs both`)
  const files = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  }
  // unlike the others, a file of authorities without a certificate is accepted by Node, which then trusts nobody
  if (ca !== undefined && !succeeds(() => new X509Certificate(ca)))
    throw new Error(`${variable} names a file without a certificate: sslrootcert`)
  if (cert !== undefined && !succeeds(() => [new X509Certificate(cert), createSecureContext(files)]))
    throw new Error(`${variable} names files that are not a certificate and its key: sslcert and sslkey`)
  const mode = parameters.get('sslmode') ?? (ca ? 'verify-full' : 'disable')
  switch (mode) {
    case 'disable':
      return undefined
    case 'require':
      // like libpq: a given root certificate is verified, whatever the mode
      if (!ca) return { ...files, rejectUnauthorized: false }
      return { ...files, rejectUnauthorized: true, checkServerIdentity: () => undefined }
    case 'verify-ca':
      return { ...files, rejectUnauthorized: true, checkServerIdentity: () => undefined }
    case 'verify-full':
      return { ...files, rejectUnauthorized: true }
    default:
      throw new Error(`${variable} has an unknown sslmode; use disable, require, verify-ca or verify-full`)
  }
}

function succeeds(step: () => unknown): boolean {
  try {
    step()
    return true
  } catch {
    return false
  }
}

function readTlsFile(variable: string, name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = WHY_UNREADABLE[(error as NodeJS.ErrnoException).code ?? ''] ?? 'cannot be read'
    throw new Error(`${variable} is wrong: ${name}=${path} ${reason}`, { cause: error })
  }
}

// as whyUnreadable of http-kit says it, which this folder cannot import
const WHY_UNREADABLE: Record<string, string> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a directory; name a file',
  EACCES:
    'cannot be read by the user of this program; change the owner of the file, or of the directories above it',
}

/**
 * Whether others can read what is sent: a server on another machine, without TLS. A name that is not `localhost` is another
 * machine.
 */
export function isReadableByOthers({ host, tls }: ConnectionSettings): boolean {
  const isHere = host.startsWith('/') || host === 'localhost' || host === '::1' || host.startsWith('127.')
  return !isHere && tls === undefined
}

/** What to do about {@link isReadableByOthers}. */
export const UNENCRYPTED =
  'the connection to the database on another machine is not encrypted: add sslmode=verify-full with sslrootcert, or sslmode=require, to DATABASE_URL'

/** The inverse of {@link fromUrl}, for passing a connection to another process. Throws if it has TLS settings. */
export function toUrl(connection: ConnectionSettings): string {
  if (connection.tls) throw new Error('a connection with TLS settings cannot be written as a URL')
  const encode = encodeURIComponent
  const account = encode(connection.user) + (connection.password ? `:${encode(connection.password)}` : '')
  const name = encode(connection.database)
  const { host, port } = connection
  if (host.startsWith('/')) return `postgresql://${account}@/${name}?host=${encode(host)}&port=${port}`
  return `postgresql://${account}@${host.includes(':') ? `[${host}]` : host}:${port}/${name}`
}

/** The same settings for the driver. */
export function clientConfig(connection: ConnectionSettings): pg.ClientConfig {
  const { host, port, database, user, password, tls } = connection
  return { host, port, database, user, ...(password !== undefined && { password }), ...(tls && { ssl: tls }) }
}
