import pg from 'pg'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { PlatformMessage } from '#contract/protocol/platform-messages.ts'
import { isPgError, PG } from './transaction.ts'

/** Why there is no connection, in our own words: never the driver's, and never with a password or a query. */
export type Unreachable = {
  reason: string
  /** Whether a later attempt can succeed; false for problems that someone must fix. */
  isTransient: boolean
}

/** The cause of a failed connection attempt, or of a failure of an open connection. */
export function whyUnreachable(error: unknown): Unreachable {
  const code = codeOf(error)
  const known = transient[code]
  if (known !== undefined) return { reason: known, isTransient: true }
  const message = error instanceof Error ? error.message : ''
  if (/^timeout expired$|connection timeout|trying to connect|^Query read timeout$/.test(message))
    return { reason: 'it does not answer', isTransient: true }
  if (/^Connection terminated|is not queryable$/.test(message)) return { reason: closed, isTransient: true }
  return { reason: permanent[code] ?? permanentByMessage(error, code, message), isTransient: false }
}

const closed = 'it closes the connection'

const transient: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'there is no socket',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name is unknown',
  EHOSTUNREACH: 'it cannot be routed to',
  ENETUNREACH: 'it cannot be routed to',
  ETIMEDOUT: 'it does not answer',
  ECONNRESET: closed,
  EPIPE: closed,
  [PG.adminShutdown]: 'it is stopping',
  [PG.crashShutdown]: 'it is recovering from a crash',
  [PG.cannotConnectNow]: 'it is starting, stopping or recovering',
  [PG.insufficientResources]: 'it has run out of a resource',
  [PG.diskFull]: 'it has no space left',
  [PG.outOfMemory]: 'it has no memory left',
  [PG.tooManyConnections]: 'it has no connection left',
  [PG.readOnly]: 'it accepts no writes',
}

const permanent: Record<string, string> = {
  EACCES: 'this user may not use its socket',
  '28P01': 'it rejects the user or the password',
  '28000': 'it does not accept this user from this address with these TLS settings and certificates',
  '3D000': 'it has no such database',
  '42501': 'the user may not connect to this database',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; compare the clocks',
}

function permanentByMessage(error: unknown, code: string, message: string): string {
  if (message.includes('does not support SSL')) return 'it offers no TLS, and sslmode requires it'
  // any answer to the request for TLS but yes and no, also the error of a server that has no memory for a connection
  if (message.includes('establishing an SSL'))
    return 'another program than PostgreSQL listens there, or the server could not accept the connection'
  if (message.includes('received invalid response')) return 'another program than PostgreSQL listens there'
  if (message.includes('password must be a')) return 'it requires a password, and none is set'
  if (/^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|CERT_)/.test(code))
    return 'its certificate is not signed by an authority in the file of sslrootcert (without that, by a public one)'
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return `the TLS handshake failed (${code})`
  // the server's own error text contains nothing of the connection but user and database
  if (error instanceof pg.DatabaseError) return `it says: ${message} (${code})`
  return `the connection failed${code === '' ? '' : ` (${code})`}`
}

/** Node wraps the errors for several addresses of a host in one, which has the code of the first. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) return ''
  // a missing file is not a missing socket
  const isOfFile = error.code === 'ENOENT' && !('syscall' in error && error.syscall === 'connect')
  return isOfFile ? '' : String(error.code)
}

const POOL_IS_BUSY = 'timeout exceeded when trying to connect'
const driverWords =
  /timeout exceeded when trying to connect|Connection terminated|is not queryable|driver has already been destroyed|Query read timeout/

/** Why a statement could not be executed now. */
export type Unavailable = {
  /** For the log. */
  reason: string
  /** What the person whose request failed can do, if anything. */
  shown?: PlatformMessage
}

/** Unlike a pool without a free connection, which is an overload. */
const away = platformMessage('databaseAway')

const messages: Record<string, PlatformMessage> = {
  [PG.insufficientResources]: platformMessage('databaseOutOfResources'),
  [PG.diskFull]: platformMessage('databaseFull'),
  [PG.outOfMemory]: platformMessage('databaseOutOfMemory'),
  [PG.tooManyConnections]: platformMessage('databaseOutOfConnections'),
  [PG.readOnly]: platformMessage('databaseReadOnly'),
}

/**
 * Why the database could not execute a statement now but may soon: it is down, restarts, failed over, is too busy, has
 * run out of space, memory or connections, a lock was held too long, or a migration changed a table under a prepared
 * statement. Null for every other error.
 */
export function whyUnavailable(error: unknown): Unavailable | null {
  if (!(error instanceof Error)) return null
  if (driverWords.test(error.message)) {
    const { reason } = whyUnreachable(error)
    return error.message.includes(POOL_IS_BUSY) ? { reason } : { reason, shown: away }
  }
  if (isBusy(error)) return { reason: 'it is busy' }
  if (isPlanOutdated(error)) return { reason: 'its schema has changed' }
  const code = codeOf(error)
  const reason = transient[code] ?? (code.startsWith('08') ? closed : undefined)
  if (reason === undefined) return null
  return { reason, shown: messages[code] ?? away }
}

/** Whether the database works but this transaction could not: a conflict, or a lock or a statement that took too long. */
export function isBusy(error: unknown): boolean {
  return busy.some((code) => isPgError(error, code))
}

/** Whether a migration changed a table under a prepared statement; on another connection the statement works. */
export function isPlanOutdated(error: unknown): boolean {
  return isPgError(error, PG.featureNotSupported) && /cached plan/.test(error.message)
}

/** Whether {@link whyUnavailable} knows a reason. */
export function isUnavailable(error: unknown): boolean {
  return whyUnavailable(error) !== null
}

/** Whether the database can be read but not written to: it has no space left, or accepts no writes. */
export function rejectsWrites(error: unknown): boolean {
  return isPgError(error, PG.diskFull) || isPgError(error, PG.readOnly)
}

/** For `catch`: ignores the expected errors and rethrows all others. */
export function throwUnless(isExpected: (error: unknown) => boolean): (error: unknown) => void {
  return (error) => {
    if (!isExpected(error)) throw error
  }
}

const busy = [
  PG.lockNotAvailable,
  PG.queryCanceled,
  PG.idleInTransactionTimeout,
  PG.serializationFailure,
  PG.deadlockDetected,
]
