/** A place in the order of events: transaction first, then the event in it. As text it is the `id` of a server-sent event. */
export interface Position {
  /** A transaction id of 64 bits, as text: it may be more than a number holds. */
  xid: string
  eventId: number
}

/** Before all events. */
export const BEGINNING: Position = { xid: '0', eventId: 0 }

export function formatPosition({ xid, eventId }: Position): string {
  return `${xid}-${eventId}`
}

/** The position that a `Last-Event-ID` names, or null where it is none of ours. */
export function parsePosition(text: string): Position | null {
  const [, xid, id] = /^(\d{1,19})-(\d{1,15})$/.exec(text) ?? []
  return xid === undefined || id === undefined ? null : { xid, eventId: Number(id) }
}

/** Whether `a` comes after `b`. */
export function isAfter(a: Position, b: Position): boolean {
  const [first, second] = [BigInt(a.xid), BigInt(b.xid)]
  return first === second ? a.eventId > b.eventId : first > second
}
