/**
 * A position in the event order: the transaction, then the event in it. As text it is the `id` of a server-sent
 * event.
 */
export interface Position {
  /** A 64-bit transaction id as text, because it may exceed a safe integer. */
  xid: string
  eventId: number
}

/** The position before all events. */
export const BEGINNING: Position = { xid: '0', eventId: 0 }

export function formatPosition({ xid, eventId }: Position): string {
  return `${xid}-${eventId}`
}

/** Returns the position in a `Last-Event-ID`, or null if the text is not a valid position. */
export function parsePosition(text: string): Position | null {
  const [, xid, id] = /^(\d{1,19})-(\d{1,15})$/.exec(text) ?? []
  return xid === undefined || id === undefined ? null : { xid, eventId: Number(id) }
}

/** Whether `a` comes after `b`. */
export function isAfter(a: Position, b: Position): boolean {
  const [first, second] = [BigInt(a.xid), BigInt(b.xid)]
  return first === second ? a.eventId > b.eventId : first > second
}
