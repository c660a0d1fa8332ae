import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { readConsoleSettings } from '#bff/settings.ts'
import { generatePassword } from '#bff/oidc/passwords.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { STAGES } from '#contract/protocol/vocabulary.ts'
import { systemClock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import { persistentSecret } from '#http-kit/secret-files.ts'
import type { Signer } from '#runtime/deps/signer.ts'
import { loadSigner } from '#runtime/keys/signer.ts'
import { signLifecycleToken } from '#runtime/worker/send-call.ts'
import type { Profile } from '../../packages/plugin-check/src/profile.ts'
import { createHost, isListening } from '../../packages/plugin-check/src/run/host.ts'
import type { Host } from '../../packages/plugin-check/src/run/host.ts'
import { platform as person } from '../../demo/people.ts'
import { startAll } from '../../start.ts'
import type { Running } from '../../start.ts'
import { startControlServer } from './control-server.ts'
import { createFaultProxy } from './fault-proxy.ts'
import { registerAll, TIMEOUT_MS } from './operations.ts'

export interface PluginDevOptions {
  pluginUrl: string
  profile: Profile
  dataDir: string
  ports: { console: number; platform: number; controls: number }
  /** The built console. */
  folder: string
  /** Null: the embedded PostgreSQL in `dataDir`. */
  databaseUrl?: string | null
  log: Log
}

export interface PluginDev {
  running: Running
  controlsUrl: string
  /** The account of the console. */
  signIn: { username: string; password: string }
  /** The platform API base of the plugin. */
  platform: string
  /** The file with the credential of the plugin. */
  credentialFile: string
  /** Whether plugin-dev started the plugin, with `start` of the profile. */
  startsPlugin: boolean
  stop(): Promise<void>
}

/** Starts the real system for one plugin, with a page that starts operations and plants faults. */
export async function startPluginDev(options: PluginDevOptions): Promise<PluginDev> {
  const { profile, dataDir, ports, folder, log } = options
  let host: Host | null = null
  let signer: Signer | null = null
  const proxy = createFaultProxy(options.pluginUrl, {
    delayMs: TIMEOUT_MS + 1_000,
    tokenFor: async (body) => {
      const call = callOf(body)
      return call && signer && signLifecycleToken(signer, { ...call, pluginId: profile.pluginId })
    },
    pluginProcess: () => host,
  })
  const controls = await startControlServer(proxy, ports.controls)
  const signIn = {
    username: 'admin',
    password: await persistentSecret({
      directory: dataDir,
      file: 'console.password',
      make: generatePassword,
    }),
  }
  const running = await startAll({
    dataDir,
    databaseUrl: options.databaseUrl ?? null,
    isDatabaseDisposable: true,
    console: readConsoleSettings({
      PORT: String(ports.console),
      HOST: '127.0.0.1',
      // one person instead of one for each role: hashing a password takes a quarter of a second
      CONSOLE_USERS: JSON.stringify([{ ...signIn, roles: ['admin'] }]),
    }),
    portNames: { console: '--port', runtime: '--platform-port' },
    runtime: { port: ports.platform, platformApiBase: null, egressAllow: [{ kind: 'loopback' }] },
    plugins: false,
    folder,
    log,
  }).catch(async (error: unknown) => {
    await controls.close()
    throw error
  })
  const stop = async (): Promise<void> => {
    await running.stop()
    await host?.kill()
    await controls.close()
  }
  try {
    const { call } = running
    if (call === null) throw new TypeError('The system has no runtime')
    const addresses = { plugin: controls.pluginUrl, services: controls.servicesUrl }
    const operations = await registerAll(call, profile, addresses)
    const credentialFile = join(dataDir, 'plugin.credential')
    if (!existsSync(credentialFile)) {
      const { pluginId } = profile
      const { secret } = await call(
        person,
        'POST /plugins/{pluginId}/credentials',
        { params: { pluginId }, body: {} },
        crypto.randomUUID(),
      )
      writeFileSync(credentialFile, secret ?? '', { mode: 0o600 })
    }
    const platform = running.runtimeUrl.replace(/\/bundle-runtime\/api$/, '')
    signer = await loadSigner({ directory: dataDir, issuer: platform, clock: systemClock })
    if (!(await isListening(options.pluginUrl))) {
      const credential = readFileSync(credentialFile, 'utf8')
      host = createHost(profile, options.pluginUrl, { platform, credential })
      await host?.start()
    }
    controls.open({ pluginId: profile.pluginId, consoleUrl: running.url, platform, operations, host })
    return {
      running,
      signIn,
      platform,
      controlsUrl: controls.url,
      credentialFile,
      startsPlugin: host !== null,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const Call = z.object({
  operation: z.object({ operationId: z.string() }),
  stage: z.enum(STAGES),
  executionSequence: z.number(),
})

/** What the token of a call names, from a body that somebody may have edited; null if it is missing. */
function callOf(body: string) {
  try {
    const { operation, stage, executionSequence } = Call.parse(parseStrictJson(body))
    return { operationId: operation.operationId, stage, executionSequence }
  } catch {
    return null
  }
}
