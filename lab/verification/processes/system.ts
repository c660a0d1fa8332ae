import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadActorKey } from '#bff/runtime/actor-assertion.ts'
import type { AssertionKey } from '#bff/runtime/actor-assertion.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import { publish, register } from '../actions.ts'
import type { ApiClient } from '../api-client.ts'
import { MANIFESTS, PLUGIN_IDS } from '../bundles.ts'
import { THIS_CONSOLE } from './console-parts.ts'
import type { ConsoleParts } from './console-parts.ts'
import { fastFolder } from './fast-folder.ts'
import { freePort } from '#database/free-port.ts'
import { createPluginProcess } from './plugin-process.ts'
import type { Faults, PluginProcess } from './plugin-process.ts'
import { createReplica } from './replica.ts'
import type { Replica, ReplicaOptions } from './replica.ts'
import { createRetryingClient } from './retrying-client.ts'
import type { RetryingClient, RetryingClientOptions } from './retrying-client.ts'
import type { Outbound } from '#http-kit/outbound-result.ts'

export interface SystemOptions {
  databaseUrl: string
  replicas: number
  leaseSeconds: number
  seed: number
  faults?: Partial<Faults>
  /** When the runtime gives up on a call. */
  timeoutMs?: number
  /** The maximum duration of a call without a fault. */
  maxDelayMs?: number
  /** Plugins that other systems share, and that outlive this one; default: separate plugins. */
  plugins?: PluginProcess
  /** Of the release that clients have; default: this one. */
  console?: ConsoleParts
  /** Additional options for the replica with this index. */
  hooks?: (index: number) => Pick<ReplicaOptions, 'imports' | 'env' | 'args' | 'program' | 'onLine'>
  /** The same for the plugins. */
  pluginHooks?: Parameters<typeof createPluginProcess>[1]
}

/** Replicas and plugins, each in a separate process, on one database; and clients of them. */
export interface System {
  replicas: readonly Replica[]
  /** The options of the replicas. */
  replicaOptions: readonly ReplicaOptions[]
  plugins: PluginProcess
  outbound: Outbound
  /** `…/bundle-runtime/api` of every replica. */
  bases: readonly string[]
  credential: string
  key: AssertionKey
  console: ConsoleParts
  client(
    options?: Partial<Pick<RetryingClientOptions, 'bases' | 'isSentTwice' | 'isReady' | 'timeoutMs'>>,
  ): RetryingClient
  /** Registers the plugins and publishes the bundles. */
  registerAndPublish(client: ApiClient): Promise<void>
  /** Kills all processes and removes all files. */
  stop(): Promise<void>
}

/** Creates a system in which nothing runs yet. */
export async function createSystem(options: SystemOptions): Promise<System> {
  const folder = await mkdtemp(join(fastFolder(), 'bundle-console-system-'))
  const key = await loadActorKey(folder)
  const actorKeysFile = join(folder, 'actor-keys.json')
  await writeFile(actorKeysFile, JSON.stringify({ keys: [key.publicJwk] }))
  const sealingKeyFile = join(folder, 'sealing.key')
  await writeFile(sealingKeyFile, randomBytes(32).toString('base64'), { mode: 0o600 })
  const outbound = createOutbound({ egressAllow: [{ kind: 'loopback' }] })
  const { databaseUrl, leaseSeconds, timeoutMs = 1_000, console = THIS_CONSOLE } = options
  const credential = 'the-service-credential'

  const ports = await Promise.all(Array.from({ length: options.replicas }, freePort))
  const platformApiBase = `http://127.0.0.1:${ports[0]}`
  const replicaOptions = ports.map((port, index) => ({
    databaseUrl,
    dataDir: join(folder, `replica-${index}`),
    port,
    platformApiBase,
    credential,
    actorKeysFile,
    sealingKeyFile,
    leaseSeconds,
    ...options.hooks?.(index),
  }))
  const replicas = replicaOptions.map((settings) => createReplica(settings))
  const bases = replicas.map(({ apiBase }) => apiBase)
  const { faults = {}, maxDelayMs = 5, seed } = options
  const plugins =
    options.plugins ??
    (await createPluginProcess({ platformApiBase, seed, faults, timeoutMs, maxDelayMs }, options.pluginHooks))

  return {
    replicas,
    replicaOptions,
    plugins,
    outbound,
    bases,
    credential,
    key,
    console,
    client: (more = {}) => createRetryingClient({ outbound, bases, credential, key, console, ...more }),
    async registerAndPublish(client) {
      const limits = { timeoutMs, maxAttempts: 20, maxBackoffMs: 200 }
      for (const pluginId of PLUGIN_IDS) await register(client, pluginId, plugins.endpoint(pluginId), limits)
      for (const manifest of MANIFESTS) await publish(client, manifest)
    },
    async stop() {
      await Promise.all([
        options.plugins === undefined ? plugins.remove() : undefined,
        ...replicas.map((replica) => replica.kill()),
      ])
      await outbound.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
