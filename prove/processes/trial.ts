import pg from 'pg'
import { clientConfig, toUrl } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { checkInvariants } from '../invariants/check-invariants.ts'
import { installJournal } from '../invariants/journal.ts'
import type { Violation } from '../suite.ts'
import { COUNTS, ORDER_VARIABLE } from './boundary.ts'
import type { Order } from './boundary.ts'
import type { Caller } from './caller.ts'
import { evidenceOf } from './evidence.ts'
import type { Replica } from './replica.ts'
import { scopesOf } from './scopes.ts'
import { startSuccessor } from './successor.ts'
import { createSystem } from './system.ts'
import type { SharedPlugins } from './system.ts'

export interface TrialOptions {
  /** The server on which the trial has a database of its own. */
  serverUrl: string
  order: Order
  plugins: SharedPlugins
  /** Settings of the replica under trial. */
  env?: Record<string, string>
}

/** One replica that follows an order, on a database of its own, and another that is started when it is time. */
export interface Trial {
  replica: Replica
  /** Asks whichever of the two answers. */
  caller: Caller
  reader: pg.Client
  startSuccessor(): Promise<void>
  /** What is broken, once everything has come to its end. */
  violations(): Promise<Violation[]>
  close(): Promise<void>
}

const LEASE_SECONDS = 1
const HOOKS = new URL('./boundary-hooks.ts', import.meta.url)

/** Everything is in place, and the replica counts its boundaries from now on. */
export async function beginTrial({ serverUrl, order, plugins, env = {} }: TrialOptions): Promise<Trial> {
  const database = await testDatabase({ migrations: [RUNTIME_MIGRATIONS], server: serverUrl })
  const reader = new pg.Client(clientConfig(database.connection))
  await reader.connect()
  await installJournal(reader)
  const hooked = { imports: [HOOKS], env: { ...env, [ORDER_VARIABLE]: JSON.stringify(order) } }
  const system = await createSystem({
    databaseUrl: toUrl(database.connection),
    replicas: 2,
    leaseSeconds: LEASE_SECONDS,
    seed: 0,
    plugins,
    watch: (index) => (index === 0 ? hooked : { imports: [], env: {} }),
  })
  const [replica] = system.replicas
  const [, successorOptions] = system.replicaOptions
  if (replica === undefined || successorOptions === undefined) throw new Error('two replicas were asked for')
  let successor: Promise<{ stop(): Promise<void> }> | undefined

  const close = async (): Promise<void> => {
    await (await successor)?.stop()
    await system.stop()
    await reader.end()
    await database.close()
  }
  try {
    replica.start()
    await replica.ready()
    const caller = system.caller({ timeoutMs: 1_000 })
    await system.furnish(system.caller({ bases: [replica.apiBase] }))
    replica.child().signal('SIGUSR2')
    await replica.child().line((line) => line === COUNTS)
    return {
      replica,
      caller,
      reader,
      async startSuccessor() {
        successor ??= startSuccessor(successorOptions)
        await successor
      },
      async violations() {
        const evidence = evidenceOf([caller], plugins.ledgerFolder, await scopesOf(reader))
        const { rows } = await reader.query<{ operation_id: string }>(
          'select operation_id from runtime.operation',
        )
        const mine = new Set(rows.map(({ operation_id }) => operation_id))
        const isMine = ({ operationId }: { operationId: string }) => mine.has(operationId)
        return checkInvariants(reader, { ...evidence, deliveries: evidence.deliveries.filter(isMine) })
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
