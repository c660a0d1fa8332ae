import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { TestBrowser } from '#bff/testing-browser.ts'
import { testDatabase } from '#database/testing.ts'
import { toUrl } from '#database/settings.ts'
import type { Summary } from '#contract/runtime-api/summary.ts'
import { freePort } from '#database/free-port.ts'
import { install, register } from '../actions.ts'
import type { ApiClient } from '../api-client.ts'
import { BUNDLES, coreValues, PLUGIN_IDS } from '../bundles.ts'
import { startChild } from '../processes/child.ts'
import type { Child } from '../processes/child.ts'
import { fastFolder } from '../processes/fast-folder.ts'
import { createSystem } from '../processes/system.ts'
import type { System } from '../processes/system.ts'
import type { Suite, SuiteReport, Violation } from '../suite.ts'
import type { ConsoleProgramSettings } from './console-main.ts'
import { installDatabaseClock } from './database-clock.ts'
import type { DatabaseClock } from './database-clock.ts'
import { SHIFT_FILE_VARIABLE } from './shifted-date.ts'

/** Whose clock steps: the console's; one runtime's; of all programs; the database's; or of a machine on which everything runs. */
const WHO = ['console', 'replica', 'programs', 'database', 'machine'] as const
type Who = (typeof WHO)[number]
const SECONDS = [45, 120, 3_600, 86_400].flatMap((seconds) => [-seconds, seconds])
const FULL = WHO.flatMap((who) => SECONDS.map((seconds) => ({ who, seconds })))
const QUICK: readonly Step[] = [
  { who: 'replica', seconds: -3_600 },
  { who: 'database', seconds: -3_600 },
  { who: 'machine', seconds: -120 },
]

interface Step {
  who: Who
  seconds: number
}

const LEASE_SECONDS = 3
/** Of a lease, a back-off and the notice of the step, on a busy machine. */
const GOES_ON_MS = 30_000
const TOLD_MS = 20_000
const IDLE_SECONDS = 900
const PERSON = { username: 'ada', password: 'a long password' }
const PRELOAD = new URL('./shifted-date.ts', import.meta.url)

/** Clocks that are set wrong and right again, while people and operations go on. */
export const CLOCKS: Suite = {
  name: 'clocks',
  title:
    'the clocks of the console, a runtime, all programs, the database or the machine step while work goes on',
  async run({ size, seed, databaseUrl }) {
    const steps = size === 'full' ? FULL : QUICK
    const chosen = seed === null ? steps : [FULL[seed % FULL.length]].filter((step) => step !== undefined)
    const violations: Violation[] = []
    const world = await createWorld(databaseUrl)
    try {
      for (const step of chosen) violations.push(...(await tryStep(world, step)))
      await world.shift('machine', 0)
    } finally {
      await world.stop()
    }
    const report: SuiteReport = {
      lines: [`${chosen.length} steps of clocks, ${violations.length} violations`],
      trials: { 'steps of clocks': chosen.length },
      violations,
    }
    return report
  },
}

/** A console, two runtimes, plugins and a database, each with a clock of its own. */
interface World {
  system: System
  client: ApiClient
  browser: TestBrowser
  consoleOrigin: string
  /** What the console and the first runtime have logged. */
  lines: string[]
  /** Makes clocks wrong by this much. */
  shift(who: Who, seconds: number): Promise<void>
  stop(): Promise<void>
}

async function createWorld(server: string): Promise<World> {
  const database = await testDatabase({ migrations: [], server })
  const databaseClock: DatabaseClock = await installDatabaseClock(database.connection)
  const url = toUrl(database.connection)
  const folder = await mkdtemp(join(fastFolder(), 'bundle-console-clocks-'))
  const lines: string[] = []
  const files = new Map<string, string>()
  const clockOf = (name: string) => {
    const file = join(folder, name)
    writeFileSync(file, '0')
    files.set(name, file)
    return { imports: [PRELOAD], env: { [SHIFT_FILE_VARIABLE]: file } }
  }
  const system = await createSystem({
    databaseUrl: url,
    replicas: 2,
    leaseSeconds: LEASE_SECONDS,
    seed: 1,
    timeoutMs: 10_000,
    hooks: (index) => ({ ...clockOf(`runtime-${index}`), onLine: (line: string) => void lines.push(line) }),
    pluginHooks: clockOf('plugins'),
  })
  for (const replica of system.replicas) replica.start()
  await Promise.all([system.plugins.start(), ...system.replicas.map((replica) => replica.ready())])
  const port = await freePort()
  const settings: ConsoleProgramSettings = {
    databaseUrl: url,
    dataDir: dirname(system.replicaOptions[0]?.dataDir ?? ''),
    port,
    runtime: { baseUrl: system.bases[0] ?? '', credential: system.credential },
    user: PERSON,
  }
  const console: Child = startChild({
    file: new URL('./console-main.ts', import.meta.url),
    args: [JSON.stringify(settings)],
    ...clockOf('console'),
    onLine: (line) => void lines.push(line),
  })
  await console.line((line) => line === 'the console is ready')
  const client = system.client()
  await system.registerAndPublish(client)
  // the plugins are down for as long as a busy machine needs to start them
  const limits = { timeoutMs: 10_000, maxAttempts: 20, maxBackoffMs: 2_000 }
  for (const pluginId of PLUGIN_IDS)
    await register(client, pluginId, system.plugins.endpoint(pluginId), limits)
  const consoleOrigin = `http://localhost:${port}`
  const browser = new TestBrowser(consoleOrigin)
  await browser.signIn(PERSON.username, PERSON.password)

  const NAMES: Record<Who, string[]> = {
    console: ['console'],
    replica: ['runtime-0'],
    programs: ['console', 'runtime-0', 'runtime-1'],
    database: [],
    machine: ['console', 'runtime-0', 'runtime-1', 'plugins'],
  }
  return {
    system,
    client,
    browser,
    consoleOrigin,
    lines,
    async shift(who, seconds) {
      for (const name of NAMES[who]) writeFileSync(files.get(name) ?? '', String(seconds * 1000))
      if (who === 'database' || who === 'machine') await databaseClock.shift(seconds * 1000)
    },
    async stop() {
      console.signal('SIGKILL')
      await console.exited
      await system.stop()
      await databaseClock.close()
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Sets clocks wrong while operations wait and run, looks whether everything goes on and is told, and sets them right again. */
async function tryStep(world: World, step: Step): Promise<Violation[]> {
  const { system, client, lines } = world
  const name = `${step.who} ${step.seconds} s`
  const found: Violation[] = []
  const fail = (promise: string, seen: string): void =>
    void found.push({
      promise,
      seen: `${name}: ${seen}`,
      seed: FULL.findIndex(({ who, seconds }) => who === step.who && seconds === step.seconds),
    })
  const [, orphaning] = system.replicas
  if (orphaning === undefined) throw new Error('there are two replicas')
  // calls that have no response, some of them at a runtime that is then killed
  await system.plugins.pause()
  const running = await Promise.all(Array.from({ length: 4 }, () => installNew(client)))
  await sleep(500)
  await orphaning.kill()
  // calls that are refused, which are tried again
  await system.plugins.kill()
  const waiting = await Promise.all(Array.from({ length: 2 }, () => installNew(client)))
  await sleep(300)

  for (const seconds of [step.seconds, 0]) {
    lines.length = 0
    await world.shift(step.who, seconds)
    const when = seconds === 0 ? 'after it was set right' : 'after the step'
    await keepsWorking(world, step, (seen) => fail('people go on', `${seen} ${when}`))
    if (seconds !== 0) {
      await Promise.all([
        system.plugins.start(),
        Promise.resolve(orphaning.start()).then(() => orphaning.ready()),
      ])
      await allEnd(client, [...running, ...waiting], (seen) => fail('operations go on', `${seen} ${when}`))
    }
    const one = await installByBrowser(world)
    if (typeof one === 'string') fail('people go on', `${one} ${when}`)
    else await allEnd(client, [one.operationId], (seen) => fail('plugins accept calls', `${seen} ${when}`))
    await isTold(world, { ...step, seconds }, (seen) => fail('it is told', `${seen} ${when}`))
  }
  return found
}

const installNew = async (client: ApiClient): Promise<string> => {
  const scope = { environmentKey: 'prod', applicationRuntimeId: randomUUID(), workspaceId: 1 }
  const operation = await install(client, scope, BUNDLES.orders[0], coreValues('orders', 1))
  return operation.operationId
}

/** A person reads every tenth of a second. One whose session seems idle for a day may sign in again, once. */
async function keepsWorking({ browser }: World, step: Step, fail: (seen: string) => void): Promise<void> {
  let signIns = 0
  const mayExpire = step.who === 'machine' && step.seconds > IDLE_SECONDS
  for (let read = 0; read < 20; read++) {
    const response = await browser.api('/api/summary')
    if (response.status === 401 && mayExpire && signIns++ === 0)
      await browser.signIn(PERSON.username, PERSON.password)
    else if (response.status !== 200) return fail(`a read got ${response.status} ${await response.text()}`)
    await sleep(100)
  }
}

/** The operation, or what went wrong. */
async function installByBrowser({ browser }: World): Promise<{ operationId: string } | string> {
  const [{ bundle, version }] = BUNDLES.orders
  const response = await browser.api('/api/installations', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: JSON.stringify({
      scope: { environmentKey: 'prod', applicationRuntimeId: randomUUID(), workspaceId: 1 },
      bundle,
      targetVersion: version,
      properties: coreValues('orders', 1),
    }),
  })
  const body = await response.text()
  if (!response.ok) return `a write got ${response.status} ${body}`
  return (JSON.parse(body) as { operation: { operationId: string } }).operation
}

async function allEnd(
  client: ApiClient,
  operationIds: readonly string[],
  fail: (seen: string) => void,
): Promise<void> {
  const deadline = performance.now() + GOES_ON_MS
  for (const operationId of operationIds)
    for (;;) {
      const { state, failure } = await client.read('GET /operations/{operationId}', {
        params: { operationId },
      })
      if (state === 'SUCCEEDED') break
      if (state === 'FAILED' || performance.now() > deadline) {
        fail(`an operation is ${state} ${JSON.stringify(failure)}`)
        break
      }
      await sleep(50)
    }
}

/** At readyz of the program, in the log and on the overview; not if the clocks agree. */
async function isTold(
  { system, browser, consoleOrigin, lines }: World,
  { who, seconds }: Step,
  fail: (seen: string) => void,
) {
  const differs = seconds !== 0 && who !== 'machine'
  const readyz = who === 'console' ? `${consoleOrigin}/readyz` : `${system.bases[0]}/readyz`
  const deadline = performance.now() + TOLD_MS
  for (;;) {
    const ready = (await (await fetch(readyz)).json()) as { status?: string; clock?: string }
    const { clockAheadMs } = (await (await browser.api('/api/summary')).json()) as Summary
    const seen = [
      ...(ready.status === 'ready' ? [] : [`readyz has ${JSON.stringify(ready)}`]),
      ...((ready.clock !== undefined) === differs ? [] : [`readyz has ${JSON.stringify(ready)}`]),
      // the overview is about runtimes
      ...((clockAheadMs !== null) === (differs && who !== 'console')
        ? []
        : [`the overview has ${clockAheadMs}`]),
      ...(seconds === 0 || lines.some((line) => /the clocks? of this machine/.test(line))
        ? []
        : ['nothing is logged']),
    ]
    if (seen.length === 0) return
    if (performance.now() > deadline) return fail(seen.join(', '))
    await sleep(250)
  }
}
