import type { JsonValue } from '../../../contract/json-schema/json.ts'
import { memoryEvents, type MemoryEventTables } from './memory-events.ts'
import { oneTransaction } from './one-transaction.ts'
import type { Awaitable } from './awaitable.ts'
import type { Mark, RememberedCall, Store } from './store.ts'

/** What an author's change uses inside a transaction: values by key. */
export interface MemoryTransaction {
  get(key: string): JsonValue | undefined
  set(key: string, value: JsonValue): void
  /** Whether there was such a key. */
  delete(key: string): boolean
  /** Sorted. */
  keys(): string[]
}

export type MemoryStore = Store<MemoryTransaction>

interface Tables extends MemoryEventTables {
  values: Map<string, JsonValue>
  calls: Map<string, RememberedCall>
  marks: Map<string, Mark>
}

interface Transaction extends MemoryTransaction {
  tables: Tables
}

/** A store in the memory of this process, for tests and experiments: everything is lost when the process ends. */
export function memoryStore(): MemoryStore {
  let committed: Tables = {
    values: new Map(),
    calls: new Map(),
    marks: new Map(),
    events: new Map(),
    received: new Map(),
  }
  const alone = oneTransaction()
  // One transaction at a time: the next one waits for the end of this chain.
  let last: Promise<unknown> = Promise.resolve()

  async function perform<Result>(work: (tx: Transaction) => Awaitable<Result>): Promise<Result> {
    const tables: Tables = {
      values: new Map(committed.values),
      calls: new Map(committed.calls),
      marks: new Map(committed.marks),
      events: new Map(committed.events),
      received: new Map(committed.received),
    }
    const result = await work(transactionOn(tables))
    committed = tables
    return result
  }

  const store: Store<Transaction> = {
    memory: {
      read: ({ tables }, key) => ({
        call: tables.calls.get(nameOf(key)) ?? null,
        mark: tables.marks.get(key.bundleInstallId) ?? null,
      }),
      writeCall: ({ tables }, call) => void tables.calls.set(nameOf(call), { ...call }),
      writeMark: ({ tables }, mark) => void tables.marks.set(mark.bundleInstallId, { ...mark }),
      forgetCalls({ tables }, { bundleInstallId, executionSequence, endedAt }) {
        for (const [name, call] of tables.calls) {
          const isEarlier =
            call.bundleInstallId === bundleInstallId && call.executionSequence < executionSequence
          if (isEarlier && call.endedAt !== null && call.endedAt < endedAt) tables.calls.delete(name)
        }
      },
    },
    events: memoryEvents(),
    transaction: (work) =>
      alone(() => {
        const result = last.then(() => perform(work))
        last = result.catch(() => undefined)
        return result
      }),
    async close() {
      await last
    },
  }
  // The transactions that the memory receives are those that `perform` creates.
  return store
}

const nameOf = ({ operationId, stage }: Pick<RememberedCall, 'operationId' | 'stage'>): string =>
  `${stage} ${operationId}`

const transactionOn = (tables: Tables): Transaction => ({
  tables,
  // copies, so that nobody changes a stored value in place
  get: (key) => structuredClone(tables.values.get(key)),
  set: (key, value) => void tables.values.set(key, structuredClone(value)),
  delete: (key) => tables.values.delete(key),
  keys: () => [...tables.values.keys()].toSorted(),
})
