import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { loadActorKey } from '#bff/runtime/actor-assertion.ts'
import { startConsole } from '#bff/testing-console.ts'
import { clientConfig, toUrl } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { createLog } from '#http-kit/log.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import { sessionCookie } from '#bff/testing-browser.ts'
import { startChild } from '../processes/child.ts'
import type { Child } from '../processes/child.ts'
import { THIS_CONSOLE } from '../processes/console-parts.ts'
import { startOwnDatabase } from '../processes/database.ts'
import { fastFolder } from '../processes/fast-folder.ts'
import { freePort } from '#database/free-port.ts'
import { createReplica } from '../processes/replica.ts'
import type { Replica } from '../processes/replica.ts'
import { createRetryingClient } from '../processes/retrying-client.ts'
import type { RetryingClient } from '../processes/retrying-client.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { SIDES } from './bundles.ts'
import type { Side } from './bundles.ts'
import { Canaries } from './canaries.ts'
import type { CanaryKind } from './canaries.ts'
import type { CanaryPluginSettings } from './plugin-main.ts'
import { startRecordingProxy } from './recording-proxy.ts'
import type { ProxyFault, RecordingProxy } from './recording-proxy.ts'

/** A plugin process, and the proxies before it. */
export interface RunningPlugin extends Side {
  /** Its own address, past the proxies. */
  url: string
  credentialFile: string
  folder: string
  /** Between the runtime and its lifecycle calls. */
  lifecycle: RecordingProxy
  /** Between the senders of events and its receiver. */
  receiver: RecordingProxy
  /** The address of its service: secret, and different in each run. */
  serviceUrl: string
  start(): Promise<void>
  kill(): Promise<void>
}

/** One runtime, one console and two plugins on the SDK, with a recording proxy wherever they talk. */
export interface World {
  canaries: Canaries
  replica: Replica
  /** Between everybody and the runtime. */
  platform: RecordingProxy
  plugins: readonly RunningPlugin[]
  client: RetryingClient
  /** Runtime and console share the first; the second is the store of a plugin. */
  databases: { name: string; connection: ConnectionSettings }[]
  /** Where the database server has its files. */
  databaseFolder: string
  /** The environment of the runtime, for programs that examine it. */
  env: Record<string, string>
  /** Everything that the processes print, by process. */
  output: Map<string, string[]>
  /** Files of runtime, console and plugins. */
  folders: Map<string, string>
  /** A GET of the console API by a person who signed in, or of any other path of the console. */
  askConsole(path: string): Promise<string>
  /** Whether the proxies cause faults. */
  faults: { isOn: boolean }
  stop(): Promise<void>
}

const FAULTS: Readonly<Record<'platform' | 'receiver' | 'lifecycle', Partial<Record<ProxyFault, number>>>> = {
  platform: { cut: 0.04, lose: 0.04, refuse: 0.04 },
  receiver: { cut: 0.08, lose: 0.12, refuse: 0.12, repeat: 0.2 },
  lifecycle: { cut: 0.05, lose: 0.1 },
}
const PASSWORD = 'correct horse'

/** Starts everything except the plugins, which need credentials. */
export async function startWorld(random: SeededRandom): Promise<World> {
  const closing: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const close of closing.toReversed()) await close()
  }
  try {
    return await openWorld(random, closing, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function openWorld(
  random: SeededRandom,
  closing: (() => Promise<unknown>)[],
  stop: World['stop'],
): Promise<World> {
  const canaries = new Canaries()
  const output = new Map<string, string[]>()
  const linesOf = (name: string): string[] => {
    const lines = output.get(name) ?? []
    output.set(name, lines)
    return lines
  }
  const root = await mkdtemp(join(fastFolder(), 'bundle-console-canaries-'))
  closing.push(() => rm(root, { recursive: true, force: true }))
  const folders = new Map<string, string>()
  for (const name of ['runtime', 'console', ...SIDES.map(({ pluginId }) => pluginId)]) {
    folders.set(name, join(root, name))
    await mkdir(join(root, name))
  }
  const folderOf = (name: string): string => folders.get(name) ?? root

  const database = await startOwnDatabase()
  closing.push(() => database.stop())
  const store: ConnectionSettings = { ...database.connection, database: 'plugin_store' }
  const admin = new pg.Client(clientConfig(database.connection))
  await admin.connect()
  await admin.query('create database plugin_store')
  await admin.end()

  const faults = { isOn: false }
  const faultOf = (place: keyof typeof FAULTS): ProxyFault => {
    let rest = random.fraction()
    // the keys are those of the table
    for (const [fault, probability] of Object.entries(FAULTS[place]) as [ProxyFault, number][]) {
      if (faults.isOn && rest < probability) return fault
      rest -= probability
    }
    return 'none'
  }
  const startProxy: typeof startRecordingProxy = async (options) => {
    const proxy = await startRecordingProxy(options)
    closing.push(() => proxy.close())
    return proxy
  }

  const port = await freePort()
  const platform = await startProxy({
    canaries,
    target: `http://127.0.0.1:${port}`,
    fault: (path) => (path.startsWith('/module-plugin-manager/') ? faultOf('platform') : 'none'),
  })
  const credential = randomBytes(24).toString('hex')
  canaries.add('service credential', credential)
  canaries.add('password', PASSWORD)
  const key = await loadActorKey(folderOf('console'))
  const actorKeysFile = join(root, 'actor-keys.json')
  await writeFile(actorKeysFile, JSON.stringify({ keys: [key.publicJwk] }))
  const sealingKeyFile = join(root, 'sealing.key')
  const sealingKey = randomBytes(32).toString('base64')
  canaries.add('sealing key', sealingKey)
  await writeFile(sealingKeyFile, sealingKey, { mode: 0o600 })
  const settings = {
    databaseUrl: database.url,
    dataDir: folderOf('runtime'),
    port,
    platformApiBase: platform.url,
    credential,
    actorKeysFile,
    sealingKeyFile,
    leaseSeconds: 3,
  }
  const replica = createReplica({
    ...settings,
    env: { LOG_LEVEL: 'debug' },
    onLine: (line) => linesOf('runtime').push(line),
  })
  closing.push(() => replica.kill())
  replica.start()
  await replica.ready()

  const consoleLines = linesOf('console')
  const stream = { write: (line: string) => void consoleLines.push(line) }
  const console = await startConsole({
    connection: database.connection,
    runtimeUrl: `${platform.url}/bundle-runtime/api`,
    credential,
    dataDir: folderOf('console'),
    log: createLog({ name: 'console', level: 'debug', stream }),
  })
  closing.push(() => console.stop())
  const cookie = await sessionCookie(console.origin, { username: 'ada', password: PASSWORD })
  for (const pair of cookie.split('; ')) canaries.add('cookie', pair.slice(pair.indexOf('=') + 1))

  await addConsoleSecrets(canaries, { origin: console.origin, cookie })
  for (const [kind, folder, file] of KEY_FILES)
    canaries.add(kind, privatePartOf(await readFile(join(folderOf(folder), file), 'utf8')))

  const outbound = createOutbound({ egressAllow: [{ kind: 'loopback' }] })
  closing.push(() => outbound.close())
  const bases = [`${platform.url}/bundle-runtime/api`]
  const client = createRetryingClient({ outbound, bases, credential, key, console: THIS_CONSOLE })

  const plugins = await Promise.all(
    SIDES.map(async (side): Promise<RunningPlugin> => {
      const folder = folderOf(side.pluginId)
      const url = `http://127.0.0.1:${await freePort()}`
      const secretPath = `/${randomBytes(16).toString('hex')}`
      const lifecycle = await startProxy({ canaries, target: url, fault: () => faultOf('lifecycle') })
      const receiver = await startProxy({
        canaries,
        target: url,
        prefix: secretPath,
        fault: () => faultOf('receiver'),
      })
      const program: CanaryPluginSettings = {
        pluginId: side.pluginId,
        serviceId: side.serviceId,
        folder,
        databaseUrl: side.store === 'PostgreSQL' ? toUrl(store) : null,
        port: Number(new URL(url).port),
        platformApiBase: platform.url,
        // outside of what is searched: a credential has its place here
        credentialFile: join(root, `${side.pluginId}-credential`),
      }
      let child: Child | undefined
      const kill = async (): Promise<void> => {
        child?.signal('SIGKILL')
        await child?.exited
      }
      closing.push(kill)
      return {
        ...side,
        url,
        folder,
        lifecycle,
        receiver,
        serviceUrl: receiver.url + secretPath,
        credentialFile: program.credentialFile,
        kill,
        async start() {
          child = startChild({
            file: new URL('./plugin-main.ts', import.meta.url),
            args: [JSON.stringify(program)],
            onLine: (line) => linesOf(side.pluginId).push(line),
          })
          await child.line((line) => line.startsWith(`${side.pluginId} at `))
        },
      }
    }),
  )

  return {
    canaries,
    replica,
    platform,
    plugins,
    client,
    databases: [
      { name: 'runtime', connection: database.connection },
      { name: 'plugin', connection: store },
    ],
    databaseFolder: database.directory,
    env: {
      RUNTIME_PORT: String(port),
      DATA_DIR: settings.dataDir,
      DATABASE_URL: settings.databaseUrl,
      PLATFORM_API_BASE: platform.url,
      RUNTIME_API_CREDENTIAL: credential,
      ACTOR_ASSERTION_JWKS: actorKeysFile,
      SEALING_KEY_FILE: sealingKeyFile,
    },
    output,
    folders,
    async askConsole(path) {
      const response = await fetch(console.origin + path, {
        headers: { 'x-requested-by': 'console', cookie },
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`the console answers ${path} with ${response.status}: ${text}`)
      return text
    },
    faults,
    stop,
  }
}

const KEY_FILES: readonly [CanaryKind, string, string][] = [
  ['runtime key', 'runtime', 'runtime-signing-key.json'],
  ['assertion key', 'console', 'actor-key.json'],
  ['provider key', 'console', 'idp-signing-key.json'],
]

/** `d` of a JSON Web Key, or of the only key of a set. */
function privatePartOf(text: string): string {
  const [, part = ''] = /"d":"([^"]+)"/.exec(text) ?? []
  if (part === '') throw new Error('A key file has no private part')
  return part
}

/** The token of a service account, and a password that somebody types as the user name. */
async function addConsoleSecrets(
  canaries: Canaries,
  { origin, cookie }: { origin: string; cookie: string },
): Promise<void> {
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: {
        cookie,
        origin,
        'x-requested-by': 'console',
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
        'idempotency-key': randomBytes(16).toString('hex'),
      },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`the console answers ${path} with ${response.status}`)
    return (await response.json()) as Record<string, string>
  }
  const account = await post('/api/service-accounts', {
    name: 'canaries',
    roles: [{ role: 'viewer', scope: null }],
  })
  const { token = '' } = await post(`/api/service-accounts/${account['accountId']}/tokens`, { days: 1 })
  canaries.add('account token', token)
  const mistyped = randomBytes(18).toString('base64url')
  canaries.add('mistyped password', mistyped)
  await sessionCookie(origin, { username: mistyped, password: 'wrong' }).catch(() => undefined)
}
