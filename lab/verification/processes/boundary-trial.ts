import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { createLocalJWKSet } from 'jose'
import { clientConfig, toUrl, fromUrl } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { createLog } from '#http-kit/log.ts'
import { serve } from '#http-kit/serve.ts'
import { createRuntime } from '#runtime/app.ts'
import { checkInvariants } from '../invariants/check-invariants.ts'
import { installJournal } from '../invariants/journal.ts'
import type { Violation } from '../suite.ts'
import { COUNTING, ORDER_VARIABLE, type Order } from './boundary.ts'
import { evidenceOf } from './evidence.ts'
import type { PluginProcess } from './plugin-process.ts'
import type { Replica, ReplicaOptions } from './replica.ts'
import type { RetryingClient } from './retrying-client.ts'
import { createSystem } from './system.ts'

/** One replica that follows an order, on a separate database, and a successor that is started later. */
export interface BoundaryTrial {
  replica: Replica
  /** Sends requests to whichever of the two responds. */
  client: RetryingClient
  reader: pg.Client
  startSuccessor(): Promise<void>
  /** The broken promises, once everything has ended. */
  violations(): Promise<Violation[]>
  close(): Promise<void>
}

const LEASE_SECONDS = 1
/** The server ends an open transaction of a paused replica after this, and so releases its locks. */
const IDLE_MS = 1_000
const HOOKS = new URL('./boundary-hooks.ts', import.meta.url)

/** Prepares everything; from then on the replica counts its boundaries. */
export async function beginTrial(
  serverUrl: string,
  plugins: PluginProcess,
  order: Order,
): Promise<BoundaryTrial> {
  const database = await testDatabase({ migrations: [RUNTIME_MIGRATIONS], server: serverUrl })
  const reader = new pg.Client(clientConfig(database.connection))
  await reader.connect()
  await installJournal(reader)
  const env = {
    [ORDER_VARIABLE]: JSON.stringify(order),
    ...(order.signal === 'SIGSTOP' && { DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS: String(IDLE_MS) }),
  }
  const system = await createSystem({
    databaseUrl: toUrl(database.connection),
    replicas: 2,
    leaseSeconds: LEASE_SECONDS,
    seed: 0,
    plugins,
    hooks: (index) => (index === 0 ? { imports: [HOOKS], env } : {}),
  })
  const [replica] = system.replicas
  const [, successorOptions] = system.replicaOptions
  if (replica === undefined || successorOptions === undefined) throw new Error('a trial needs two replicas')
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
    const client = system.client({ timeoutMs: 1_000 })
    await system.registerAndPublish(system.client({ bases: [replica.apiBase] }))
    replica.child().signal('SIGUSR2')
    await replica.child().line((line) => line === COUNTING)
    return {
      replica,
      client,
      reader,
      async startSuccessor() {
        successor ??= startSuccessor(successorOptions)
        await successor
      },
      async violations() {
        const evidence = await evidenceOf(reader, [client], plugins.folder)
        const { rows } = await reader.query<{ operation_id: string }>(
          'select operation_id from runtime.operation',
        )
        // the plugins serve other trials too
        const started = new Set(rows.map(({ operation_id }) => operation_id))
        const deliveries = evidence.deliveries.filter(({ operationId }) => started.has(operationId))
        return checkInvariants(reader, { ...evidence, deliveries })
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A second replica, in this process so that it starts quickly; it continues the work of the first. */
async function startSuccessor(options: ReplicaOptions): Promise<{ stop(): Promise<void> }> {
  const runtime = await createRuntime({
    connection: fromUrl(options.databaseUrl),
    dataDir: options.dataDir,
    sealingKeyFiles: [options.sealingKeyFile],
    platformApiBase: options.platformApiBase,
    egressAllow: [{ kind: 'loopback' }],
    credentials: [options.credential],
    actorKeys: createLocalJWKSet(JSON.parse(await readFile(options.actorKeysFile, 'utf8'))),
    log: createLog({ name: 'successor', level: 'silent' }),
    worker: { leaseMs: options.leaseSeconds * 1_000, pollMs: 50 },
  })
  await runtime.start()
  const server = await serve({ app: runtime.app, port: options.port, hostname: '127.0.0.1' })
  return {
    async stop() {
      await server.stop({ graceMs: 0 })
      await runtime.stop()
    },
  }
}
