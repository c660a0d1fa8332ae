import { subscribe } from 'node:diagnostics_channel'
import { writeSync } from 'node:fs'
import pg from 'pg'
import { COUNTS, ORDER_VARIABLE, PASSED, REACHED } from './boundary.ts'
import type { Boundary, Moment, Order } from './boundary.ts'

// Loaded before the program of a replica, of which it changes nothing: it looks at what goes through the database driver
// and the HTTP client, and at one moment sends a signal to its own process, which so ends or stands still just there.

// the suite that starts this process writes it
const order = JSON.parse(process.env[ORDER_VARIABLE] ?? 'null') as Order | null
let isCounting = false
let count = 0

process.on('SIGUSR2', () => {
  isCounting = true
  say(COUNTS)
})

/** Not through the console, which may keep it for later. */
function say(line: string): void {
  writeSync(1, `${line}\n`)
}

/** Counts a boundary, and gives what is to be called at its moments. */
function meet(boundary: Boundary): (moment: Moment) => void {
  const isMeant =
    isCounting &&
    order !== null &&
    (order.kind ?? boundary.kind) === boundary.kind &&
    (order.where ?? boundary.where) === boundary.where
  if (!isMeant) return () => {}
  const number = ++count
  if (order.number === 0) say(`${PASSED}${boundary.kind} ${boundary.where}`)
  return (moment) => {
    if (number !== order.number || moment !== order.moment) return
    isCounting = false
    say(REACHED)
    process.kill(process.pid, order.signal)
  }
}

type Query = (...args: unknown[]) => unknown
const WRITES = /\b(insert\s+into|update\s+runtime|delete\s+from)\b/i
/** Of each connection with an open transaction: whether it has written. */
const transactions = new WeakMap<object, { hasWritten: boolean }>()

const original: Query = pg.Client.prototype.query
pg.Client.prototype.query = function query(this: pg.Client & Named, ...args: unknown[]): unknown {
  const [first] = args
  const text = textOf(first)
  const send = () => original.apply(this, args)
  const where = this.connectionParameters?.application_name?.includes('worker') === true ? 'worker' : 'api'
  const verb = text.trimStart().slice(0, 8).toLowerCase()
  if (verb.startsWith('begin') || verb.startsWith('start tr')) {
    transactions.set(this, { hasWritten: false })
    return send()
  }
  const transaction = transactions.get(this)
  if (verb.startsWith('commit')) {
    transactions.delete(this)
    return transaction?.hasWritten === true ? passing(meet({ kind: 'commit', where }), send) : send()
  }
  if (verb === 'rollback') transactions.delete(this)
  if (!WRITES.test(text)) return send()
  if (transaction === undefined) return passing(meet({ kind: 'write', where }), send)
  const isFirst = !transaction.hasWritten
  transaction.hasWritten = true
  if (!isFirst || order?.moment !== 'inside') return send()
  const at = meet({ kind: 'commit', where })
  return afterwards(send(), () => at('inside'))
} as typeof pg.Client.prototype.query

/** Of a statement as the driver takes it: its text alone, or, where it is prepared, with a name. */
function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement
  const isNamed = typeof statement === 'object' && statement !== null && 'text' in statement
  return isNamed ? String(statement.text) : ''
}

interface Named {
  connectionParameters?: { application_name?: string }
}

function passing(at: (moment: Moment) => void, send: () => unknown): unknown {
  at('before')
  const answer = send()
  // the driver has handed it to the system
  at('lost')
  return afterwards(answer, () => at('after'))
}

function afterwards(answer: unknown, then: () => void): unknown {
  if (!(answer instanceof Promise)) return answer
  return answer.then((value: unknown) => {
    then()
    return value
  })
}

const calls = new WeakMap<object, (moment: Moment) => void>()
const onCall = (event: string, then: (request: object) => void): void =>
  subscribe(`undici:request:${event}`, (message) => {
    // as the client's documentation has it
    const { request } = message as { request: object & { method: string } }
    if (request.method === 'POST') then(request)
  })
onCall('create', (request) => {
  const at = meet({ kind: 'call', where: 'worker' })
  calls.set(request, at)
  at('before')
})
onCall('bodySent', (request) => calls.get(request)?.('lost'))
onCall('trailers', (request) => calls.get(request)?.('after'))
