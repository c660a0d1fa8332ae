import { subscribe } from 'node:diagnostics_channel'
import { writeSync } from 'node:fs'
import pg from 'pg'
import { COUNTING, ORDER_VARIABLE, PASSED, REACHED } from './boundary.ts'
import type { Boundary, Moment, Order } from './boundary.ts'

// Loaded before the program of a replica, whose behaviour it does not change: it observes the database driver and the HTTP
// client, and sends a signal to its own process at one moment of one boundary.

// written by the suite that starts this process
const order = JSON.parse(process.env[ORDER_VARIABLE] ?? 'null') as Order | null
let isCounting = false
let count = 0

process.on('SIGUSR2', () => {
  isCounting = true
  print(COUNTING)
})

/** Synchronous, unlike the console. */
function print(line: string): void {
  writeSync(1, `${line}\n`)
}

/** Counts a boundary. Returns the functions to call at its moments. */
function meet(boundary: Boundary): (moment: Moment) => void {
  const isCounted =
    isCounting &&
    order !== null &&
    (order.kind ?? boundary.kind) === boundary.kind &&
    (order.where ?? boundary.where) === boundary.where
  if (!isCounted) return () => {}
  const number = ++count
  if (order.number === 0) print(`${PASSED}${boundary.kind} ${boundary.where}`)
  return (moment) => {
    if (number !== order.number || moment !== order.moment) return
    isCounting = false
    print(REACHED)
    process.kill(process.pid, order.signal)
  }
}

type Query = (...args: unknown[]) => unknown
const WRITES = /\b(insert\s+into|update\s+runtime|delete\s+from)\b/i
/** Per connection with an open transaction: whether it has written. */
const transactions = new WeakMap<object, { hasWritten: boolean }>()

const original: Query = pg.Client.prototype.query
pg.Client.prototype.query = function query(this: pg.Client & WithName, ...args: unknown[]): unknown {
  const text = textOf(args[0])
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
    // for `inside`, counted at the first write
    const isCounted = transaction?.hasWritten === true && order?.moment !== 'inside'
    return isCounted ? pass(meet({ kind: 'commit', where }), send) : send()
  }
  if (verb === 'rollback') transactions.delete(this)
  if (!WRITES.test(text)) return send()
  if (transaction === undefined) return pass(meet({ kind: 'write', where }), send)
  const isFirst = !transaction.hasWritten
  transaction.hasWritten = true
  if (!isFirst || order?.moment !== 'inside') return send()
  const at = meet({ kind: 'commit', where })
  return afterwards(send(), () => at('inside'))
} as typeof pg.Client.prototype.query

/** The text of a statement, which the driver takes alone or in an object. */
function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement
  const hasText = typeof statement === 'object' && statement !== null && 'text' in statement
  return hasText ? String(statement.text) : ''
}

interface WithName {
  connectionParameters?: { application_name?: string }
}

function pass(at: (moment: Moment) => void, send: () => unknown): unknown {
  at('before')
  const answer = send()
  // the driver has written it to the socket
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
    // as documented by undici
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
