import { setTimeout as sleep } from 'node:timers/promises'
import { SeededRandom } from '../seeded-random.ts'
import type { SuiteOptions, SuiteReport, Violation } from '../suite.ts'
import { findBrokenChain } from './chain.ts'
import { findBreach } from './check.ts'
import { readRegister, runClients } from './clients.ts'
import type { Entries, Place } from './clients.ts'
import { installAll, publishBundles, untilUnclaimed } from './ground.ts'
import { tell } from './history.ts'
import type { Entry, Register } from './history.ts'
import type { Fate } from './lossy-link.ts'
import { startReplicas } from './replicas.ts'
import type { Replicas } from './replicas.ts'
import { startRestartable } from './restartable.ts'

const HISTORIES = { quick: 50, full: 1_000 }
/** One seed is tried a few times, because how its clients meet is left to chance. */
const AGAIN = 10
const AT_ONCE = 6
const LOST_COMMITS = 0.1
const FATES: readonly Fate[] = ['before', 'after', 'race']

/** Histories of real clients at two runtimes; in the large form the database is restarted under them too. */
export async function proveReal(options: SuiteOptions): Promise<SuiteReport> {
  const { seed, size, count, isBailing } = options
  const seeds =
    seed === null
      ? Array.from({ length: count ?? HISTORIES[size] }, (_, index) => index + 1)
      : Array.from({ length: AGAIN }, () => seed)
  const server = size === 'full' ? await startRestartable() : null
  const faults = new SeededRandom(seed ?? 1)
  let isCalm = true
  const replicas = await startReplicas({
    databaseUrl: server?.url ?? options.databaseUrl,
    fateOf: () => (!isCalm && faults.chance(LOST_COMMITS) ? faults.pick(FATES) : 'passes'),
  })
  try {
    await publishBundles(replicas)
    isCalm = false
    const end = new AbortController()
    const troubling = makeTrouble(replicas, faults, server?.restart ?? null, end.signal)
    const found: Found[] = []
    const lanes = Array.from({ length: AT_ONCE }, async (_, lane) => {
      for (let index = lane; index < seeds.length; index += AT_ONCE) {
        if (isBailing && found.some(({ violations }) => violations.length > 0)) return
        found.push(await oneHistory(replicas, index + 1, seeds[index] ?? 1))
      }
    })
    try {
      await Promise.all(lanes)
    } finally {
      end.abort()
    }
    return reportOf(found, await troubling)
  } finally {
    await replicas.close()
    await server?.stop()
  }
}

interface Found {
  entries: Entries
  violations: Violation[]
}

async function oneHistory(replicas: Replicas, workspace: number, seed: number): Promise<Found> {
  await installAll(replicas, workspace)
  const start: Record<Place, Register> = {
    configuration: await readRegister(replicas, workspace, 'configuration'),
    'local-service': { version: 0, values: {} },
  }
  const entries = await runClients(replicas, workspace, seed)
  await untilUnclaimed(replicas, workspace)
  const violations: Violation[] = []
  for (const place of ['configuration', 'local-service'] as const) {
    const called = performance.now()
    const seen = await readRegister(replicas, workspace, place)
    const last: Entry = {
      client: 0,
      call: { kind: 'read' },
      result: { kind: 'read', seen },
      called,
      returned: called,
    }
    const stuck = findBreach({ start: start[place], entries: [...entries[place], last] })
    if (stuck !== null)
      violations.push({ promise: `linearizable ${place}`, seen: stuck.map(tell).join('; '), seed })
  }
  const { version: first } = start.configuration
  const broken = await findBrokenChain(replicas, workspace, { first, entries: entries.configuration })
  for (const seen of broken) violations.push({ promise: 'I7', seen, seed })
  return { entries, violations }
}

/** Cuts connections on either side, and restarts the database where it may, until it is told to end. */
async function makeTrouble(
  replicas: Replicas,
  random: SeededRandom,
  restart: (() => Promise<void>) | null,
  end: AbortSignal,
): Promise<{ cuts: number; restarts: number }> {
  const made = { cuts: 0, restarts: 0 }
  let nextRestart = performance.now() + 3_000
  while (!end.aborted) {
    await sleep(20 + random.below(120))
    if (restart !== null && performance.now() > nextRestart) {
      await restart()
      made.restarts++
      nextRestart = performance.now() + 3_000 + random.below(3_000)
      continue
    }
    made.cuts++
    if (random.chance(0.5)) replicas.link.cutOne((count) => random.below(count))
    else await replicas.terminateOne()
  }
  return made
}

function reportOf(found: readonly Found[], troubles: { cuts: number; restarts: number }): SuiteReport {
  const entries = found.flatMap(({ entries }) => Object.values(entries).flat())
  const counted = new Map<string, number>()
  for (const { result } of entries) counted.set(result.kind, (counted.get(result.kind) ?? 0) + 1)
  const failed = found.filter(({ violations }) => violations.length > 0).length
  const results = [...counted].map(([kind, count]) => `${kind} ${count}`).join(', ')
  return {
    tried: [
      `${found.length} histories of 8 clients at two runtimes: ${entries.length} calls (${results}), ` +
        `${troubles.cuts} connections cut, ${troubles.restarts} restarts of the database`,
    ],
    passed: found.length - failed,
    failed,
    violations: found.flatMap(({ violations }) => violations),
  }
}
