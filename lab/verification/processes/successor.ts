import { readFile } from 'node:fs/promises'
import { createLocalJWKSet } from 'jose'
import { fromUrl } from '#database/settings.ts'
import { createLog } from '#http-kit/log.ts'
import { serve } from '#http-kit/serve.ts'
import { createRuntime } from '#runtime/app.ts'
import type { ReplicaOptions } from './replica.ts'

/** A second replica, in this process so that it starts quickly; it continues the work of the first. */
export async function startSuccessor(options: ReplicaOptions): Promise<{ stop(): Promise<void> }> {
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
