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

/**
 * Whether an error of a statement means that the database could not serve it now and may soon: it is away, restarts,
 * was failed over, is too busy, or somebody else held a lock too long.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (busy.some((code) => isPgError(error, code)) || driverWords.test(error.message)) return true
  const code = codeOf(error)
  return passing[code] !== undefined || code.startsWith('08')
}

const busy = [
  PG.lockNotAvailable,
  PG.queryCanceled,
  PG.idleInTransactionTimeout,
  PG.serializationFailure,
  PG.deadlockDetected,
]
