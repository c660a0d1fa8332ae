import { PASSED } from '../processes/boundary.ts'
import type { Moment } from '../processes/boundary.ts'
import { inLanes } from '../processes/lanes.ts'
import { NO_FAULTS } from '../processes/plugins.ts'
import { tellStory } from '../processes/story.ts'
import { createSharedPlugins } from '../processes/system.ts'
import type { SharedPlugins } from '../processes/system.ts'
import { beginTrial } from '../processes/trial.ts'
import type { Suite, SuiteReport, Violation } from '../suite.ts'
import { SeededRandom } from '../seeded-random.ts'

const QUICK_KILLS = 20
const LANES = 4
const MOMENTS: readonly Moment[] = ['before', 'lost', 'after']

interface Kill {
  seed: number
  moment: Moment
  number: number
}

interface Killed extends Kill {
  /** Whether the replica came so far at all: what it does when nobody waits is not the same each time. */
  isReached: boolean
  violations: Violation[]
}

/**
 * S1b: a real replica on a real PostgreSQL kills itself with SIGKILL at a boundary, and another finishes. A seed names a
 * boundary and a moment of it.
 */
export const KILLS: Suite = {
  name: 'kills',
  title: 'SIGKILL of a replica before, amid and after whatever it does for good, and another goes on',
  async run({ size, seed, databaseUrl }) {
    const settings = { platformApiBase: null, seed: 1, faults: NO_FAULTS, timeoutMs: 1_000, maxDelayMs: 2 }
    const plugins = await createSharedPlugins(settings)
    try {
      await plugins.plugins.start()
      const passed = await rehearse(databaseUrl, plugins)
      const all = MOMENTS.flatMap((moment, index) =>
        passed.map((_, at): Kill => ({ seed: at * MOMENTS.length + index, moment, number: at + 1 })),
      )
      const chosen = seed !== null ? all.filter((kill) => kill.seed === seed) : all
      const kills = size === 'full' ? chosen : sample(chosen, QUICK_KILLS)
      const results = await inLanes(LANES, kills, (kill) => tryKill(kill, databaseUrl, plugins))
      return report(passed, results)
    } finally {
      await plugins.stop()
    }
  },
}

/** The boundaries of a run that nobody disturbs, in their order. */
async function rehearse(serverUrl: string, plugins: SharedPlugins): Promise<string[]> {
  const trial = await beginTrial({
    serverUrl,
    plugins,
    order: { moment: 'before', number: 0, signal: 'SIGKILL' },
  })
  try {
    await tellStory(trial.caller)
    return trial.replica
      .child()
      .said()
      .filter((line) => line.startsWith(PASSED))
      .map((line) => line.slice(PASSED.length))
  } finally {
    await trial.close()
  }
}

function sample(kills: readonly Kill[], count: number): Kill[] {
  const random = new SeededRandom(1)
  const left = [...kills]
  return Array.from({ length: Math.min(count, kills.length) }, () =>
    left.splice(random.integer(0, left.length - 1), 1),
  ).flat()
}

async function tryKill(
  { seed, moment, number }: Kill,
  serverUrl: string,
  plugins: SharedPlugins,
): Promise<Killed> {
  const trial = await beginTrial({ serverUrl, plugins, order: { moment, number, signal: 'SIGKILL' } })
  try {
    const ended = trial.replica.child().exited.then(() => trial.startSuccessor())
    // asks the one, and when that is gone the other
    const told = await tellStory(trial.caller).then(
      () => [],
      (error: unknown) => [{ promise: 'the story ends well', seen: String(error) }],
    )
    const isReached = !trial.replica.child().isAlive()
    if (isReached) await ended
    const violations = [...told, ...(await trial.violations())].map((violation) => ({ ...violation, seed }))
    return { seed, moment, number, isReached, violations }
  } finally {
    await trial.replica.kill()
    await trial.close()
  }
}

function report(passed: readonly string[], results: readonly Killed[]): SuiteReport {
  const failed = results.filter(({ violations }) => violations.length > 0)
  const reached = results.filter(({ isReached }) => isReached)
  const kinds = [...new Set(passed)].map(
    (kind) => `${passed.filter((other) => other === kind).length} × ${kind}`,
  )
  const moments = MOMENTS.map(
    (moment) => `${reached.filter((result) => result.moment === moment).length} ${moment}`,
  )
  return {
    tried: [
      `${passed.length} boundaries in the life of an installation: ${kinds.join(', ')}`,
      `${results.length} chosen, ${reached.length} replicas killed (${moments.join(', ')})`,
    ],
    passed: results.length - failed.length,
    failed: failed.length,
    violations: failed.flatMap(({ violations }) => violations),
  }
}
