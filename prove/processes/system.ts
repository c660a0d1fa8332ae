import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#database/free-port.ts'
import { loadActorKey } from '#bff/actor-key.ts'
import type { AssertionKey } from '#bff/actor-assertion.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import type { Outbound } from '#http-kit/outbound.ts'
import { createCaller } from './caller.ts'
import type { Caller, CallerOptions } from './caller.ts'
import { BUNDLE_IDS, manifestOf, PLUGIN_IDS, refOf, VERSIONS } from './bundles.ts'
import { createPlugins, NO_FAULTS } from './plugins.ts'
import type { Faults, LedgerSettings, Plugins } from './plugins.ts'
import { createReplica } from './replica.ts'
import type { Replica, ReplicaOptions } from './replica.ts'

export interface SystemOptions {
  databaseUrl: string
  replicas: number
  leaseSeconds: number
  seed: number
  faults?: Faults
  /** The runtime gives a call up after so long. */
  timeoutMs?: number
  /** An honest plugin takes up to so long. */
  maxDelayMs?: number
  /** Plugins that other systems use too, and that outlive this one; none: it has its own. */
  plugins?: SharedPlugins
  /** Modules that look over a replica's shoulder, and what they are told, by the replica's number. */
  watch?: (index: number) => { imports: readonly URL[]; env: Record<string, string> }
}

export interface SharedPlugins {
  plugins: Plugins
  ledgerFolder: string
  stop(): Promise<void>
}

/** Replicas and plugins as processes of their own on one database, and callers of them. */
export interface System {
  replicas: readonly Replica[]
  /** What they are started with. */
  replicaOptions: readonly ReplicaOptions[]
  plugins: Plugins
  /** Where the plugins keep their account. */
  ledgerFolder: string
  outbound: Outbound
  key: AssertionKey
  caller(options?: Partial<Pick<CallerOptions, 'bases' | 'echoes' | 'timeoutMs' | 'patienceMs'>>): Caller
  /** Registers the plugins and publishes the bundles. */
  furnish(caller: Caller): Promise<void>
  /** Kills whatever runs and removes whatever was written. */
  stop(): Promise<void>
}

export const CREDENTIAL = 'the-service-credential'

/** Only processes are killed, so what they have written stays, whether or not it has reached a disk. */
function memoryOrDisk(): string {
  const memory = '/dev/shm'
  return existsSync(memory) ? memory : tmpdir()
}

/** Nothing of it runs yet. */
export async function createSystem(options: SystemOptions): Promise<System> {
  const folder = await mkdtemp(join(memoryOrDisk(), 'bundle-console-prove-'))
  const key = await loadActorKey(folder)
  const actorKeysFile = join(folder, 'actor-keys.json')
  await writeFile(actorKeysFile, JSON.stringify({ keys: [key.publicJwk] }))
  const sealingKeyFile = join(folder, 'sealing.key')
  await writeFile(sealingKeyFile, randomBytes(32).toString('base64'), { mode: 0o600 })
  const outbound = createOutbound({ egressAllow: [{ kind: 'loopback' }] })
  const { leaseSeconds, timeoutMs = 1_000 } = options

  const ports = await Promise.all(Array.from({ length: options.replicas }, freePort))
  const platformApiBase = `http://127.0.0.1:${ports[0]}`
  const replicaOptions = ports.map((port, index) => ({
    databaseUrl: options.databaseUrl,
    dataDir: join(folder, `replica-${index}`),
    port,
    platformApiBase,
    credential: CREDENTIAL,
    actorKeysFile,
    sealingKeyFile,
    leaseSeconds,
    ...options.watch?.(index),
  }))
  const replicas = replicaOptions.map((settings) => createReplica(settings))
  const { faults = NO_FAULTS, maxDelayMs = 5 } = options
  const shared =
    options.plugins ??
    (await createSharedPlugins({ platformApiBase, seed: options.seed, faults, timeoutMs, maxDelayMs }))
  const { plugins, ledgerFolder } = shared

  return {
    replicas,
    replicaOptions,
    plugins,
    ledgerFolder,
    outbound,
    key,
    caller: (more = {}) =>
      createCaller({
        outbound,
        bases: replicas.map(({ apiBase }) => apiBase),
        credential: CREDENTIAL,
        key,
        ...more,
      }),
    async furnish(caller) {
      for (const pluginId of PLUGIN_IDS) {
        const limits = { timeoutMs, maxAttempts: 20, maxBackoffMs: 200 }
        const body = { title: pluginId, endpoint: plugins.endpoint(pluginId), enabled: true, ...limits }
        await caller.write('PUT /plugins/{pluginId}', { params: { pluginId }, body })
      }
      for (const bundleId of BUNDLE_IDS)
        for (const version of VERSIONS)
          await caller.write('PUT /bundles/{environmentKey}/{bundleId}/versions/{version}', {
            params: { ...refOf(bundleId), version },
            body: manifestOf(bundleId, version),
          })
    },
    async stop() {
      await Promise.all([
        options.plugins === undefined ? shared.stop() : undefined,
        ...replicas.map((replica) => replica.kill()),
      ])
      await outbound.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Plugins with a folder of their own, which do not run yet. */
export async function createSharedPlugins(
  settings: Omit<LedgerSettings, 'folder' | 'pluginIds' | 'port'>,
): Promise<SharedPlugins> {
  const ledgerFolder = await mkdtemp(join(memoryOrDisk(), 'bundle-console-plugins-'))
  const port = await freePort()
  const plugins = createPlugins({ ...settings, folder: ledgerFolder, pluginIds: PLUGIN_IDS, port })
  return {
    plugins,
    ledgerFolder,
    async stop() {
      await plugins.kill()
      await rm(ledgerFolder, { recursive: true, force: true })
    },
  }
}
