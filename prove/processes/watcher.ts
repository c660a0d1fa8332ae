import { setTimeout as sleep } from 'node:timers/promises'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { RuntimeEvent } from '#contract/runtime-api/events.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import { createActorAssertions } from '#bff/actor-assertion.ts'
import type { AssertionKey } from '#bff/actor-assertion.ts'
import { eventSourceReader } from '#bff/event-source.ts'
import { createRuntimeEvents } from '#bff/runtime-events.ts'
import type { Outbound } from '#http-kit/outbound.ts'

/** What one subscriber was told, over all its connections, each of which began where the one before ended. */
export interface Watcher {
  /** The newest that was told of each object, by its kind and id. */
  newest: ReadonlyMap<string, Told>
  /** Where the first connection began; what was committed before was never promised. */
  beganAt(): string | null
  connections(): number
  /** `reset`s: the runtime said that it cannot tell what was missed. */
  resets(): number
  /** Resolves with the next thing that is told of an operation which fits. */
  operation(operationId: string, fits: (row: Operation) => boolean, signal: AbortSignal): Promise<Operation>
  stop(): Promise<void>
}

export interface Told {
  version: number
  event: RuntimeEvent
}

export interface WatcherOptions {
  outbound: Outbound
  bases: readonly string[]
  credential: string
  key: AssertionKey
}

const RuntimeEventSchema = runtimeApi['GET /events'].answer

export function startWatcher({ outbound, bases, credential, key }: WatcherOptions): Watcher {
  const openers = bases.map((baseUrl) => createRuntimeEvents({ outbound, baseUrl, credential }))
  const assert = createActorAssertions(key)
  const person = { id: 'watcher', name: 'Watcher', grants: [{ permissions: [...PERMISSIONS], scope: null }] }
  const newest = new Map<string, Told>()
  const waiting = new Set<(row: Operation) => void>()
  const stopped = new AbortController()
  let lastEventId: string | null = null
  let first: string | null = null
  let connections = 0
  let resets = 0

  const take = (event: RuntimeEvent): void => {
    const object = `${event.kind} ${event.id}`
    if ((newest.get(object)?.version ?? 0) <= event.version)
      newest.set(object, { version: event.version, event })
    if (event.kind === 'operation') for (const tell of waiting) tell(event.row)
  }

  const read = async (source: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const told of eventSourceReader(source)) {
      if (told.kind === 'comment') continue
      lastEventId = told.id
      first ??= told.id
      if (told.kind !== 'event') continue
      if (told.event === 'reset') resets++
      else take(RuntimeEventSchema.parse({ kind: told.event, ...JSON.parse(told.data) }))
    }
  }

  const watch = async (): Promise<void> => {
    for (let turn = 0; !stopped.signal.aborted; turn++) {
      const open = openers[turn % openers.length]
      const assertion = await assert(person)
      const request = { assertion, lastEventId, requestId: 'watcher', signal: stopped.signal }
      const source = await open?.(request).catch(() => undefined)
      if (source === undefined) {
        await sleep(50)
        continue
      }
      connections++
      // a connection that is lost is what this is about
      await read(source).catch((error: unknown) => {
        if (error instanceof TypeError || error instanceof SyntaxError) throw error
      })
    }
  }
  const watching = watch()

  return {
    newest,
    beganAt: () => first,
    connections: () => connections,
    resets: () => resets,
    operation(operationId, fits, signal) {
      const known = newest.get(`operation ${operationId}`)?.event
      if (known?.kind === 'operation' && fits(known.row)) return Promise.resolve(known.row)
      return new Promise((resolve, reject) => {
        const tell = (row: Operation): void => {
          if (row.operationId !== operationId || !fits(row)) return
          waiting.delete(tell)
          resolve(row)
        }
        waiting.add(tell)
        signal.addEventListener('abort', () => {
          waiting.delete(tell)
          reject(new Error('nobody waits for this any more'))
        })
      })
    },
    async stop() {
      stopped.abort()
      await watching
    },
  }
}
