import { setTimeout as sleep } from 'node:timers/promises'
import { REACHED } from '../processes/boundary.ts'
import type { Order } from '../processes/boundary.ts'
import { untilPaused } from '../processes/child.ts'
import { inLanes } from '../processes/lanes.ts'
import { NO_FAULTS } from '../processes/plugins.ts'
import { tellStory } from '../processes/story.ts'
import { createSharedPlugins } from '../processes/system.ts'
import type { SharedPlugins } from '../processes/system.ts'
import { beginTrial } from '../processes/trial.ts'
import type { Trial } from '../processes/trial.ts'
import type { Suite, SuiteReport, Violation } from '../suite.ts'
import { changedTables, readStanding } from './standing.ts'

/** Where a replica is made to stand still; each is met several times in the life of an installation. */
const PLACES: readonly { name: string; order: Omit<Order, 'number' | 'signal'>; times: number }[] = [
  { name: 'before a call', order: { kind: 'call', moment: 'before' }, times: 16 },
  { name: 'amid a call', order: { kind: 'call', moment: 'lost' }, times: 16 },
  { name: 'after a call', order: { kind: 'call', moment: 'after' }, times: 16 },
  {
    name: 'before a commit of the worker',
    order: { kind: 'commit', where: 'worker', moment: 'before' },
    times: 12,
  },
  {
    name: 'amid a transaction of the worker',
    order: { kind: 'commit', where: 'worker', moment: 'inside' },
    times: 12,
  },
  {
    name: 'at a commit of the worker',
    order: { kind: 'commit', where: 'worker', moment: 'lost' },
    times: 12,
  },
  {
    name: 'after a commit of the worker',
    order: { kind: 'commit', where: 'worker', moment: 'after' },
    times: 12,
  },
  { name: 'before a commit of the API', order: { kind: 'commit', where: 'api', moment: 'before' }, times: 4 },
  {
    name: 'amid a transaction of the API',
    order: { kind: 'commit', where: 'api', moment: 'inside' },
    times: 4,
  },
  { name: 'after a commit of the API', order: { kind: 'commit', where: 'api', moment: 'after' }, times: 4 },
]
const TRIALS = { quick: 20, full: 200 } as const
const LANES = 5
/** An open transaction of a replica that stands still is ended after so long, and its locks are free. */
const IDLE_MS = 1_000
/** What a woken replica is given to do damage in. */
const HARM_MS = 1_500

interface Tried {
  place: string
  isReached: boolean
  violations: Violation[]
}

/** S4: replicas that stand still, are given up, and wake. A seed names a place and a time of coming there. */
export const ZOMBIES: Suite = {
  name: 'zombies',
  title:
    'SIGSTOP of a replica at a named place, another takes over, SIGCONT: what it still does changes nothing',
  async run({ size, seed, databaseUrl }) {
    const settings = { platformApiBase: null, seed: 1, faults: NO_FAULTS, timeoutMs: 1_000, maxDelayMs: 2 }
    const plugins = await createSharedPlugins(settings)
    try {
      await plugins.plugins.start()
      const seeds = seed !== null ? [seed] : Array.from({ length: TRIALS[size] }, (_, index) => index)
      const results = await inLanes(LANES, seeds, (one) => tryPause(one, databaseUrl, plugins))
      return report(results)
    } finally {
      await plugins.stop()
    }
  },
}

async function tryPause(seed: number, serverUrl: string, plugins: SharedPlugins): Promise<Tried> {
  const place = PLACES[seed % PLACES.length]
  if (place === undefined) throw new RangeError('a seed is 0 or more')
  // 5 is prime to each of the times, so that all of them come, and the first comes first
  const number = 1 + ((Math.floor(seed / PLACES.length) * 5) % place.times)
  const trial = await beginTrial({
    serverUrl,
    plugins,
    order: { ...place.order, number, signal: 'SIGSTOP' },
    env: { DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS: String(IDLE_MS) },
  })
  try {
    const violations: Violation[] = []
    const told = tellStory(trial.caller).catch((error: unknown) => {
      violations.push({ promise: 'the story ends well', seen: String(error) })
    })
    const child = trial.replica.child()
    const reached = child.line((line) => line === REACHED).then(() => true)
    const isReached = await Promise.race([reached, told.then(() => false)])
    if (isReached) {
      await untilPaused(child)
      await trial.startSuccessor()
      await told
      violations.push(...(await wake(trial)))
    } else {
      // whoever never stood still is killed in the end, which must not surprise anybody
      reached.catch(() => undefined)
    }
    violations.push(...(await trial.violations()))
    return {
      place: place.name,
      isReached,
      violations: violations.map((violation) => ({ ...violation, seed })),
    }
  } finally {
    await trial.replica.kill()
    await trial.close()
  }
}

/** Lets the replica go on with what it was about to do, long after another has done it. */
async function wake({ replica, reader }: Trial): Promise<Violation[]> {
  const before = await readStanding(reader)
  replica.resume()
  await sleep(HARM_MS)
  const found = changedTables(before, await readStanding(reader)).map((table): Violation => ({
    promise: 'I6',
    seen: `a replica that woke has changed ${table}`,
  }))
  // it steps down by itself, and goes on as a replica like any other
  await replica.ready().catch((error: unknown) => {
    found.push({ promise: 'a replica that wakes serves again', seen: String(error) })
  })
  return found
}

function report(results: readonly Tried[]): SuiteReport {
  const failed = results.filter(({ violations }) => violations.length > 0)
  const reached = results.filter(({ isReached }) => isReached)
  const unmet = PLACES.filter(({ name }) => reached.every(({ place }) => place !== name))
  // a proof that was not tried proves nothing
  const missing = results.length < PLACES.length ? [] : unmet
  const places = PLACES.map(({ name }) => `${reached.filter(({ place }) => place === name).length} ${name}`)
  return {
    tried: [`${results.length} tried, ${reached.length} replicas stood still and woke: ${places.join(', ')}`],
    passed: results.length - failed.length,
    failed: failed.length + missing.length,
    violations: [
      ...failed.flatMap(({ violations }) => violations),
      ...missing.map(({ name }) => ({
        promise: 'every place is tried',
        seen: `no replica stood still ${name}`,
      })),
    ],
  }
}
