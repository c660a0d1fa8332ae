import { sql } from 'kysely'

/**
 * A position in the event order: the epoch, the transaction, then the event in it. As text it is the `id` of a
 * server-sent event.
 */
export interface Position {
  /**
   * The last recovery of the database in microseconds since 1970; 0 before the first. Transactions of another epoch may
   * be lost, so positions in it mean nothing.
   */
  epoch: string
  /** A 64-bit transaction id as text, because it may exceed a safe integer. */
  xid: string
  eventId: number
}

/** The current epoch, for a query of `runtime.server_identity`. */
export const EPOCH = sql<string>`coalesce((extract(epoch from recovered_at) * 1000000)::bigint, 0)::text`

/** The epoch is omitted while it is 0. */
export function formatPosition({ epoch, xid, eventId }: Position): string {
  return epoch === '0' ? `${xid}-${eventId}` : `${xid}-${eventId}-${epoch}`
}

/** Returns the position in a `Last-Event-ID`, or null if the text is not a valid position. */
export function parsePosition(text: string): Position | null {
  const [, xid, id, epoch = '0'] = /^(\d{1,19})-(\d{1,15})(?:-([1-9]\d{0,17}))?$/.exec(text) ?? []
  return xid === undefined || id === undefined ? null : { epoch, xid, eventId: Number(id) }
}

/** Whether `a` comes after `b`. */
export function isAfter(a: Position, b: Position): boolean {
  const [first, second] =
    a.epoch === b.epoch ? [BigInt(a.xid), BigInt(b.xid)] : [BigInt(a.epoch), BigInt(b.epoch)]
  return first === second ? a.eventId > b.eventId : first > second
}
