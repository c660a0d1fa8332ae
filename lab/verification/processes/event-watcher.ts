import { setTimeout as sleep } from 'node:timers/promises'
import type { RuntimeEvent } from '#contract/runtime-api/events.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import { createActorAssertions } from '#bff/runtime/actor-assertion.ts'
import { createRuntimeEvents, readEventSource } from '#bff/runtime/runtime-events.ts'
import { readJson } from '../invariants/reader.ts'
import type { Reader } from '../invariants/reader.ts'
import type { Violation } from '../suite.ts'
import { everybody } from './retrying-client.ts'
import type { ConsoleParts } from './console-parts.ts'
import type { System } from './system.ts'

/** A subscriber of events, over many connections, each of which resumes after the last event of the previous one. */
export class EventWatcher {
  /** The newest event of each object, by its kind and id. */
  readonly newest = new Map<string, RuntimeEvent>()
  connections = 0
  /** How often the runtime reported that events may have been missed. */
  private resets = 0
  /** The first event id; what was committed before is not promised. */
  private firstEventId: string | null = null
  private lastEventId: string | null = null
  private readonly waiting = new Set<(row: Operation) => void>()
  private readonly stopped = new AbortController()
  private readonly watching: Promise<void>

  constructor(system: System) {
    this.watching = this.watch(system)
  }

  /** Resolves once an operation matches. */
  operation(operationId: string, fits: (row: Operation) => boolean, signal: AbortSignal): Promise<Operation> {
    const known = this.newest.get(`operation ${operationId}`)
    if (known?.kind === 'operation' && fits(known.row)) return Promise.resolve(known.row)
    return new Promise((resolve, reject) => {
      const notify = (row: Operation): void => {
        if (row.operationId !== operationId || !fits(row)) return
        this.waiting.delete(notify)
        resolve(row)
      }
      this.waiting.add(notify)
      signal.addEventListener('abort', () => {
        this.waiting.delete(notify)
        reject(new Error('no longer awaited'))
      })
    })
  }

  async stop(): Promise<void> {
    this.stopped.abort()
    await this.watching
  }

  /**
   * I14 for a subscriber: one that resumes after every lost connection has eventually received the newest version of
   * each object, with its row. Only the newest row is sent, not every step. After a recovery of the database, which deletes
   * events, a reset is expected.
   */
  async check(reader: Reader, { mayReset = false } = {}): Promise<Violation[]> {
    const [xid = '0', eventId = '0'] = (this.firstEventId ?? '').split('-')
    // the statement builds exactly this shape
    const expected = (await readJson(
      reader,
      `select coalesce(json_agg(newest), '[]')::text as json from (
         select kind || ' ' || object_id as object, max(coalesce(version, event_id)) as version,
           (select state from runtime.operation where kind = 'operation' and operation_id::text = object_id) as state
         from runtime.event
         where event_xid > $1::xid8 or (event_xid = $1::xid8 and event_id > $2)
         group by kind, object_id) newest`,
      [xid, eventId],
    )) as { object: string; version: number; state: string | null }[]
    const broken = (seen: string): Violation => ({ promise: 'I14', seen })
    const found = expected.flatMap(({ object, version, state }) => {
      const event = this.newest.get(object)
      if (event === undefined) return [broken(`the watcher got no event of ${object}`)]
      if (event.version < version)
        return [broken(`the watcher got ${object} up to version ${event.version}, not ${version}`)]
      const row = event.kind === 'operation' ? event.row.state : null
      return row === state ? [] : [broken(`the watcher got ${object} as ${row}, and it is ${state}`)]
    })
    return this.resets > 0 && !mayReset
      ? [...found, broken(`the watcher was reset ${this.resets} times`)]
      : found
  }

  private async watch({ outbound, bases, credential, key, console: parts }: System): Promise<void> {
    const { signal } = this.stopped
    const openers = bases.map((baseUrl) => createRuntimeEvents({ outbound, baseUrl, credential }))
    const assert = createActorAssertions(key)
    for (let turn = 0; !signal.aborted; turn++) {
      const assertion = await assert(everybody(parts))
      const request = { assertion, lastEventId: this.lastEventId, requestId: 'watcher', signal }
      const source = await openers[turn % openers.length]?.(request).catch(() => undefined)
      if (source === undefined) {
        await sleep(50)
        continue
      }
      this.connections++
      await this.read(source, parts).catch((error: unknown) => {
        // lost connections are expected, invalid events are not
        if (error instanceof TypeError || error instanceof SyntaxError) throw error
      })
    }
  }

  private async read(source: AsyncIterable<Uint8Array>, { readEvent }: ConsoleParts): Promise<void> {
    for await (const message of readEventSource(source)) {
      if (message.kind === 'comment') continue
      this.lastEventId = message.id
      this.firstEventId ??= message.id
      if (message.kind !== 'event') continue
      if (message.event === 'reset') this.resets++
      else this.receive(readEvent({ kind: message.event, ...JSON.parse(message.data) }))
    }
  }

  private receive(event: RuntimeEvent): void {
    const object = `${event.kind} ${event.id}`
    if ((this.newest.get(object)?.version ?? 0) <= event.version) this.newest.set(object, event)
    if (event.kind === 'operation') for (const notify of this.waiting) notify(event.row)
  }
}
