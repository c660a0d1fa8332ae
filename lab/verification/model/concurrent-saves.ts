import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import * as z from 'zod'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { TestAnswer, Call } from '#runtime/testing/http.ts'
import { checkInvariants } from '../invariants/check-invariants.ts'
import { clientWrite } from '../invariants/evidence.ts'
import type { ClientWrite } from '../invariants/evidence.ts'
import { manifest, module, TEXT } from '../manifests.ts'
import { SeededRandom } from '../seeded-random.ts'
import type { Violation } from '../suite.ts'
import type { Replicas } from './replicas.ts'
import { findViolations } from './save-order.ts'
import type { Entry, Register, Result, Values } from './save-order.ts'

// Concurrent clients save the two compare-and-set registers of a scope, its configuration and a local service, while
// commits and responses are lost. No update may be lost, and no response may be wrong.

const CLIENTS = 8
const REQUESTS = 12
const MAX_REPEATS = 4
/** These bundles have no plugins, so a save claims an owner only briefly. */
const BUNDLES = ['a', 'b', 'c']

const REGISTERS = ['configuration', 'local-service'] as const
type RegisterName = (typeof REGISTERS)[number]

const coreOf = (bundle: string): string => `saves/${bundle}/MODULE/core`

/** Publishes version 1 of the bundles that the clients configure. */
export async function publishBundles(replicas: Replicas): Promise<void> {
  for (const bundleId of BUNDLES) {
    const resources = [module(bundleId, 'core', { value: TEXT })]
    // a manifest is JSON
    const body = manifest({ environmentKey: 'saves', bundleId }, '1', { resources }) as unknown as JsonValue
    await mustSucceed(replicas, `/bundles/saves/${bundleId}/versions/1`, { method: 'PUT', body })
  }
}

export interface ConcurrentHistory {
  entries: Entry[]
  violations: Violation[]
}

/**
 * Runs the clients in a separate scope and checks the order of their saves. The seed determines the requests of each
 * client, but not how they interleave.
 */
export async function runConcurrentSaves(
  replicas: Replicas,
  workspaceId: number,
  seed: number,
): Promise<ConcurrentHistory> {
  await installAll(replicas, workspaceId)
  const scope = new Scope(replicas, workspaceId)
  const start = await scope.readAll()
  const random = new SeededRandom(seed)
  const clients = Array.from({ length: CLIENTS }, (_, client) => scope.runClient(client, random.split()))
  await Promise.all(clients)
  await untilUnclaimed(replicas, workspaceId)
  // the last reads must see everything that was saved
  await scope.readAll()

  const saves: Record<RegisterName, Values[]> = {
    configuration: await savesInTables(replicas, workspaceId, start.configuration.version),
    'local-service': savesInAnswers(scope.entries['local-service']),
  }
  const violations: Violation[] = REGISTERS.flatMap((name) =>
    findViolations({ start: start[name], saves: saves[name], entries: scope.entries[name] }).map((seen) => ({
      promise: `order of saves, ${name}`,
      seen,
    })),
  )
  violations.push(...(await checkTables(replicas, workspaceId, scope.writes)))
  return {
    entries: Object.values(scope.entries).flat(),
    violations: violations.map((violation) => ({ ...violation, seed })),
  }
}

class Scope {
  readonly entries: Record<RegisterName, Entry[]> = { configuration: [], 'local-service': [] }
  /** The saves of the configuration, for the invariants. */
  readonly writes: ClientWrite[] = []
  private readonly replicas: Replicas
  private readonly path: string

  constructor(replicas: Replicas, workspaceId: number) {
    this.replicas = replicas
    this.path = `/scopes/saves/concurrent/${workspaceId}`
  }

  /** Runs one client, which sends one request at a time. */
  async runClient(client: number, random: SeededRandom): Promise<void> {
    const known: Record<RegisterName, number | null> = { configuration: null, 'local-service': 0 }
    for (let index = 0; index < REQUESTS; index++) {
      const name = random.chance(0.75) ? 'configuration' : 'local-service'
      const isRead = known[name] === null || random.chance(0.15)
      const base = isRead ? null : known[name]
      const owners = random.chance(0.25) ? [random.pick(['a', 'b']), 'c'] : [random.pick(BUNDLES)]
      const keys = base === null ? [] : name === 'configuration' ? owners : ['value']
      const sets = Object.fromEntries(keys.map((key) => [key, `${client}-${index}`]))
      const result = await this.request(name, { client, base, sets }, random)
      // after a refusal most clients read again, as a person does; a few send the stale save again
      if (result.kind === 'read') known[name] = result.register.version
      else if (result.kind === 'saved') known[name] = result.version
      else if (result.kind === 'stale' && random.chance(0.8)) known[name] = null
    }
  }

  /** Reads both registers, until there is a response. */
  async readAll(): Promise<Record<RegisterName, Register>> {
    const random = new SeededRandom(1)
    const read = async (name: RegisterName): Promise<Register> => {
      for (;;) {
        const result = await this.request(name, { client: -1, base: null, sets: {} }, random)
        if (result.kind === 'read') return result.register
      }
    }
    return { configuration: await read('configuration'), 'local-service': await read('local-service') }
  }

  /** Sends a request, with the same idempotency key each time, until it gets a response or gives up. Records the result. */
  private async request(
    name: RegisterName,
    entry: Pick<Entry, 'client' | 'base' | 'sets'>,
    random: SeededRandom,
  ): Promise<Result> {
    const calledAt = performance.now()
    const requestId = randomUUID()
    const { path, ...call } = this.callOf(name, entry)
    const sent = { ...call, key: randomUUID(), headers: { 'x-request-id': requestId } }
    let answer: TestAnswer | null = null
    for (let repeats = 0; repeats <= MAX_REPEATS && answer === null; repeats++) {
      answer = await this.replicas.call(random.below(this.replicas.count), path, sent)
      if (answer !== null || random.chance(0.3)) break
      await sleep(random.below(10))
    }
    const result: Result = answer === null ? { kind: 'unknown' } : resultOf(name, entry, answer)
    // a read without a response proves nothing
    if (entry.base !== null || answer !== null)
      this.entries[name].push({
        ...entry,
        result,
        calledAt,
        answeredAt: answer === null ? Infinity : performance.now(),
      })
    if (name === 'configuration' && entry.base !== null) {
      const responses = answer === null ? [] : [{ errorCode: answer.errorCode, data: answer.data }]
      this.writes.push(clientWrite({ kind: 'CONFIGURE', requestIds: [requestId], responses }))
    }
    return result
  }

  private callOf(name: RegisterName, { base, sets }: Pick<Entry, 'base' | 'sets'>): Call & { path: string } {
    const path = `${this.path}/${name === 'configuration' ? name : 'local-services/one'}`
    if (base === null) return { path, method: 'GET' }
    if (name === 'local-service') return { path, method: 'PUT', body: { version: base, values: { ...sets } } }
    const changes = Object.fromEntries(
      Object.entries(sets).map(([bundle, value]) => [coreOf(bundle), { value: { ...wrapData(value) } }]),
    )
    return { path, method: 'PATCH', body: { snapshotVersion: base, changes } }
  }
}

const Configuration = z.object({
  snapshotVersion: z.number(),
  resources: z.record(
    z.string(),
    z.object({ properties: z.object({ value: z.object({ value: z.string() }).optional() }) }),
  ),
})
const LocalService = z.object({ version: z.number(), values: z.record(z.string(), z.string()) })
const Saved = z.object({ snapshotVersion: z.number() })

function resultOf(
  name: RegisterName,
  { base }: Pick<Entry, 'base'>,
  { errorCode, data }: TestAnswer,
): Result {
  switch (errorCode) {
    case '0':
      if (base === null) return { kind: 'read', register: registerIn(name, data) }
      return {
        kind: 'saved',
        version:
          name === 'configuration' ? Saved.parse(data).snapshotVersion : LocalService.parse(data).version,
      }
    case 'NOT_FOUND':
      if (name === 'local-service' && base === null)
        return { kind: 'read', register: { version: 0, values: {} } }
      break
    case 'CONFIGURATION_SNAPSHOT_STALE':
    case 'LOCAL_SERVICE_STALE':
      return { kind: 'stale' }
    case 'OPERATION_IN_PROGRESS':
      return { kind: 'claimed' }
  }
  throw new Error(`a request for the ${name} was answered with ${errorCode}`)
}

function registerIn(name: RegisterName, data: unknown): Register {
  if (name === 'local-service') return LocalService.parse(data)
  const { snapshotVersion, resources } = Configuration.parse(data)
  const values = BUNDLES.flatMap((bundle) => {
    const value = resources[coreOf(bundle)]?.properties.value?.value
    return value === undefined ? [] : [[bundle, value] as const]
  })
  return { version: snapshotVersion, values: Object.fromEntries(values) }
}

/** What each save of the configuration changed, in the order of the snapshots. */
async function savesInTables(replicas: Replicas, workspaceId: number, after: number): Promise<Values[]> {
  const { rows } = await replicas.read((db) =>
    sql<{ changed: Values }>`
      select json_object_agg(split_part(locator, '/', 2), after ->> 'value') as changed
      from runtime.snapshot_change as change join runtime.scope using (scope_id)
      where workspace_id = ${workspaceId} and change.snapshot_version > ${after}
      group by change.snapshot_version order by change.snapshot_version`.execute(db),
  )
  return rows.map(({ changed }) => changed)
}

/** What each save of the local service changed, derived from the responses, because its old versions are not stored. */
function savesInAnswers(entries: readonly Entry[]): Values[] {
  const saves: Values[] = []
  const last = Math.max(
    ...entries.map(({ result }) => (result.kind === 'read' ? result.register.version : 0)),
  )
  for (let version = 1; version <= last; version++) {
    const answered = entries.find(({ result }) => result.kind === 'saved' && result.version === version)
    const read = entries.find(({ result }) => result.kind === 'read' && result.register.version === version)
    // no client saw this version: assume the first save without a response that could have created it
    const unanswered = entries
      .filter(({ base, result }) => base === version - 1 && result.kind === 'unknown')
      .toSorted((a, b) => a.calledAt - b.calledAt)[0]
    const seen = read?.result.kind === 'read' ? read.result.register.values : undefined
    saves.push(answered?.sets ?? seen ?? unanswered?.sets ?? {})
  }
  return saves
}

/**
 * Checks the invariants. I7 is among them: the saves form one chain, each save has one CONFIGURE per owner, and a
 * refused save leaves no trace.
 */
async function checkTables(
  replicas: Replicas,
  workspaceId: number,
  writes: readonly ClientWrite[],
): Promise<Violation[]> {
  return replicas.read(async (db) => {
    const scopes = await db
      .selectFrom('runtime.scope')
      .select('scope_id')
      .where('workspace_id', '=', workspaceId)
      .execute()
    const reader = {
      query: (text: string, values?: unknown[]) => db.executeQuery(CompiledQuery.raw(text, values)),
    }
    // a commit whose response was lost may still be in progress
    const evidence = { deliveries: [], writes, isQuiet: false }
    return checkInvariants(
      reader,
      evidence,
      scopes.map(({ scope_id }) => scope_id),
    )
  })
}

/** Installs all bundles in a separate scope. */
async function installAll(replicas: Replicas, workspaceId: number): Promise<void> {
  const scope = { environmentKey: 'saves', applicationRuntimeId: 'concurrent', workspaceId }
  for (const bundleId of BUNDLES) {
    const bundle = { environmentKey: 'saves', bundleId }
    await mustSucceed(replicas, '/installations', {
      method: 'POST',
      body: { scope, bundle, targetVersion: '1' },
    })
  }
  await untilUnclaimed(replicas, workspaceId)
}

async function untilUnclaimed(replicas: Replicas, workspaceId: number): Promise<void> {
  const deadline = performance.now() + 60_000
  for (;;) {
    const { claims } = await replicas.read((db) =>
      db
        .selectFrom('runtime.operation')
        .select((row) => row.fn.countAll<number>().as('claims'))
        .where('workspace_id', '=', workspaceId)
        .where('holds_claim', '=', true)
        .executeTakeFirstOrThrow(),
    )
    if (claims === 0) return
    if (performance.now() > deadline)
      throw new Error(`the operations of workspace ${workspaceId} did not end within 60 s`)
    await sleep(10)
  }
}

/** Repeats a request whose response is lost. Throws if it is refused, or has no response after 100 attempts. */
async function mustSucceed(replicas: Replicas, path: string, call: Call): Promise<void> {
  const key = randomUUID()
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await replicas.call(attempt % replicas.count, path, { ...call, key })
    if (answer?.errorCode === '0') return
    if (answer !== null) throw new Error(`${call.method} ${path}: ${answer.errorCode}`)
    await sleep(20)
  }
  throw new Error(`${call.method} ${path}: no response`)
}
