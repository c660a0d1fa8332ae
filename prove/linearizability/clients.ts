import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { JsonValue } from '#contract/protocol/json.ts'
import type { Envelope, Request } from '../http-runtime.ts'
import { SeededRandom } from '../seeded-random.ts'
import { BUNDLES, moduleOf, scopePath } from './ground.ts'
import type { Call, Entry, Register, Result, Values } from './history.ts'
import type { Replicas } from './replicas.ts'

const CLIENTS = 8
const CALLS = 12
const MOST_REPEATS = 4

/** The two compare-and-set registers of a scope. */
export type Place = 'configuration' | 'local-service'
export type Entries = Record<Place, Entry[]>

/** Lets clients read and save the registers of a scope, all at once; each does one thing after another. */
export async function runClients(replicas: Replicas, workspace: number, seed: number): Promise<Entries> {
  const entries: Entries = { configuration: [], 'local-service': [] }
  const runClient = async (client: number): Promise<void> => {
    const random = new SeededRandom(seed * CLIENTS + client)
    const known: Record<Place, number | null> = { configuration: null, 'local-service': 0 }
    for (let index = 0; index < CALLS; index++) {
      const place = random.chance(0.75) ? 'configuration' : 'local-service'
      const call = callOf(random, place, known[place], `${client}-${index}`)
      const called = performance.now()
      const result = await carryOut(replicas, { workspace, place, call, random })
      const returned = result.kind === 'unknown' ? Infinity : performance.now()
      entries[place].push({ client, call, result, called, returned })
      // whoever was refused looks again first, as a person would; a few insist
      if (result.kind === 'read') known[place] = result.seen.version
      else if (result.kind === 'saved') known[place] = result.version
      else if (result.kind === 'stale' && random.chance(0.8)) known[place] = null
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => runClient(client)))
  return entries
}

/** What the registers hold now. */
export async function readRegister(replicas: Replicas, workspace: number, place: Place): Promise<Register> {
  for (;;) {
    const answer = await replicas.ask(0, requestOf(workspace, place, { kind: 'read' }))
    const result = answer === null ? null : resultOf(place, { kind: 'read' }, answer)
    if (result?.kind === 'read') return result.seen
    await sleep(20)
  }
}

function callOf(random: SeededRandom, place: Place, base: number | null, value: string): Call {
  if (base === null || random.chance(0.15)) return { kind: 'read' }
  if (place === 'local-service') return { kind: 'save', base, sets: { value } }
  const bundles = random.chance(0.25) ? [random.pick(['a', 'b']), 'c'] : [random.pick(BUNDLES)]
  return { kind: 'save', base, sets: Object.fromEntries(bundles.map((bundle) => [bundle, value])) }
}

/** Asks until it is answered, always with the same key; or gives up. */
async function carryOut(
  replicas: Replicas,
  { workspace, place, call, random }: { workspace: number; place: Place; call: Call; random: SeededRandom },
): Promise<Result> {
  const request = requestOf(workspace, place, call)
  for (let repeats = 0; repeats <= MOST_REPEATS; repeats++) {
    const answer = await replicas.ask(random.below(replicas.count), request)
    if (answer !== null) return resultOf(place, call, answer)
    if (random.chance(0.3)) break
    await sleep(random.below(10))
  }
  return { kind: 'unknown' }
}

function requestOf(workspace: number, place: Place, call: Call): Request {
  const path =
    place === 'configuration'
      ? `${scopePath(workspace)}/configuration`
      : `${scopePath(workspace)}/local-services/one`
  if (call.kind === 'read') return { method: 'GET', path }
  const idempotencyKey = crypto.randomUUID()
  if (place === 'local-service') {
    return { method: 'PUT', path, idempotencyKey, body: { version: call.base, values: { ...call.sets } } }
  }
  const changes: { [locator: string]: JsonValue } = {}
  for (const [bundle, value] of Object.entries(call.sets))
    changes[moduleOf(bundle)] = { value: { '@type': 'Data', value } }
  // the reason goes with the snapshot and with each operation, so that what belongs together can be told
  const reason = reasonOf(call.sets)
  return { method: 'PATCH', path, idempotencyKey, body: { snapshotVersion: call.base, changes, reason } }
}

export const reasonOf = (sets: Values): string => Object.values(sets)[0] ?? ''

const Configuration = z.object({
  snapshotVersion: z.number(),
  resources: z.record(
    z.string(),
    z.object({ properties: z.object({ value: z.object({ value: z.string() }).optional() }) }),
  ),
})
const LocalService = z.object({ version: z.number(), values: z.record(z.string(), z.string()) })
const Saved = z.object({ snapshotVersion: z.number(), operations: z.array(z.unknown()) })

function resultOf(place: Place, call: Call, { errorCode, data }: Envelope): Result {
  switch (errorCode) {
    case '0':
      return call.kind === 'read' ? { kind: 'read', seen: seenIn(place, data) } : savedAs(place, call, data)
    case 'NOT_FOUND':
      if (place === 'local-service' && call.kind === 'read')
        return { kind: 'read', seen: { version: 0, values: {} } }
      break
    case 'CONFIGURATION_SNAPSHOT_STALE':
    case 'LOCAL_SERVICE_STALE':
      return { kind: 'stale' }
    case 'OPERATION_IN_PROGRESS':
      return { kind: 'claimed' }
  }
  throw new Error(`a ${call.kind} of the ${place} was answered with ${errorCode}`)
}

function seenIn(place: Place, data: unknown): Register {
  if (place === 'local-service') return LocalService.parse(data)
  const { snapshotVersion, resources } = Configuration.parse(data)
  const values = BUNDLES.flatMap((bundle) => {
    const value = resources[moduleOf(bundle)]?.properties.value?.value
    return value === undefined ? [] : [[bundle, value] as const]
  })
  return { version: snapshotVersion, values: Object.fromEntries(values) }
}

function savedAs(place: Place, call: Call & { kind: 'save' }, data: unknown): Result {
  if (place === 'local-service') return { kind: 'saved', version: LocalService.parse(data).version }
  const { snapshotVersion, operations } = Saved.parse(data)
  const owners = Object.keys(call.sets).length
  if (operations.length !== owners)
    throw new Error(`a save of ${owners} owners was answered with ${operations.length} operations`)
  return { kind: 'saved', version: snapshotVersion }
}
