import pg from 'pg'

import { isPgError, PG } from './transaction.ts'

/** Why there is no connection, in our words: never the driver's, and never with a password or a query. */
export type Unreachable = {
  reason: string
  /** Whether to ask again later can help; false for what somebody has to change. */
  mayPass: boolean
}

/** What an attempt to connect, or the use of a connection, ran into. */
export function whyUnreachable(error: unknown): Unreachable {
  const code = codeOf(error)
  const known = passing[code]
  if (known !== undefined) return { reason: known, mayPass: true }
  const message = error instanceof Error ? error.message : ''
  if (/^timeout expired$|connection timeout|trying to connect|^Query read timeout$/.test(message))
    return { reason: 'it does not answer', mayPass: true }
  if (/^Connection terminated|is not queryable$/.test(message)) return { reason: closed, mayPass: true }
  return { reason: lasting[code] ?? lastingByMessage(error, code, message), mayPass: false }
}

const closed = 'it closes the connection'

const passing: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'there is no socket',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name is not known',
  EHOSTUNREACH: 'no way leads there',
  ENETUNREACH: 'no way leads there',
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
  [PG.readOnly]: 'it takes no writes',
}

const lasting: Record<string, string> = {
  EACCES: 'its socket may not be used by this user',
  '28P01': 'it refuses the user or the password',
  '28000': 'it does not let this user in from here with these TLS settings and certificates',
  '3D000': 'it has no such database',
  '42501': 'the user may not connect to this database',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
}

function lastingByMessage(error: unknown, code: string, message: string): string {
  if (message.includes('does not support SSL')) return 'it offers no TLS, and sslmode demands it'
  if (message.includes('password must be a')) return 'it asks for a password, and there is none'
  if (/^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|CERT_)/.test(code))
    return 'its certificate is not signed by an authority in the file of sslrootcert (without that, by a public one)'
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return `TLS could not be agreed on (${code})`
  // the server's own words of a refusal hold nothing of the connection but its user and database
  if (error instanceof pg.DatabaseError) return `it says: ${message} (${code})`
  return `the connection failed${code === '' ? '' : ` (${code})`}`
}

/** Node joins the refusals of a host's several addresses in one error, which has the code of the first. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) return ''
  // a file that is missing is no socket that is missing
  const isOfFile = error.code === 'ENOENT' && !('syscall' in error && error.syscall === 'connect')
  return isOfFile ? '' : String(error.code)
}

const driverWords =
  /timeout exceeded when trying to connect|Connection terminated|is not queryable|driver has already been destroyed|Query read timeout/

/** What a failed request says while the database cannot grow. */
export const NO_SPACE_MESSAGE = 'The database has no space left. Free space, then retry.'

/** Why a statement could not be served now. */
export type Unavailable = {
  /** For the log. */
  reason: string
  /** What to do about it, for the person whose request failed, where there is something to do. */
  message?: string
}

const messages: Record<string, string> = {
  [PG.insufficientResources]:
    'The database has run out of a resource. See the log of the server, then retry.',
  [PG.diskFull]: NO_SPACE_MESSAGE,
  [PG.outOfMemory]: 'The database has no memory left. Free memory, then retry.',
  [PG.tooManyConnections]: 'The database has no connection left. Retry in a moment.',
  [PG.readOnly]: 'The database takes no writes at the moment. Retry in a moment.',
}

/**
 * Why the database could not serve a statement now and may soon: it is away, restarts, was failed over, is too busy, has
 * run out of space, memory or connections, or somebody else held a lock too long. Null for every other error.
 */
export function whyUnavailable(error: unknown): Unavailable | null {
  if (!(error instanceof Error)) return null
  if (driverWords.test(error.message)) return { reason: whyUnreachable(error).reason }
  if (busy.some((code) => isPgError(error, code))) return { reason: 'it is busy' }
  const code = codeOf(error)
  const reason = passing[code] ?? (code.startsWith('08') ? closed : undefined)
  if (reason === undefined) return null
  const message = messages[code]
  return { reason, ...(message !== undefined && { message }) }
}

/** Whether {@link whyUnavailable} knows a reason. */
export function isUnavailable(error: unknown): boolean {
  return whyUnavailable(error) !== null
}

/** Whether the database can be read and not be written to: it has no space left, or takes no writes. */
export function takesNoWrites(error: unknown): boolean {
  return isPgError(error, PG.diskFull) || isPgError(error, PG.readOnly)
}

/** For `catch`: ignores the errors that are expected, and throws all others on. */
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
