import { setTimeout as wait } from 'node:timers/promises'
import { mapConcurrently } from '../concurrency.ts'
import type { Suite, SuiteReport } from '../suite.ts'
import { addressAttacks, upstreamAttacks } from './addresses.ts'
import type { Attack } from './attack.ts'
import { forgedAttacks } from './forged.ts'
import { inputAttacks, limitAttacks } from './inputs.ts'
import { matrixAttacks } from './matrix.ts'
import { pageAttacks } from './pages.ts'
import { pathAttacks } from './paths.ts'
import { startTarget } from './target.ts'
import type { RunningTarget } from './target.ts'

/** How much memory may remain of all attacks, as a factor; the process also has the attackers. */
const MEMORY_MAX = 1.1
/** Pipelined requests and cut sockets of the floods hold some 12 MB until they have ended, within this time. */
const SETTLES_MS = 60_000

/** Kinds of attacks, and how many of one kind run at once. */
const KINDS: Readonly<
  Record<string, { at: number; of(target: RunningTarget): Attack[] | Promise<Attack[]> }>
> = {
  'cells of the matrix': { at: 8, of: matrixAttacks },
  'spellings and smuggled requests': { at: 8, of: pathAttacks },
  'forged assertions': { at: 4, of: forgedAttacks },
  'addresses to call': { at: 8, of: addressAttacks },
  'bodies and types': { at: 2, of: inputAttacks },
  floods: { at: 1, of: limitAttacks },
}

/** The attack on a complete system: loopback only, bounded, and each attack names what it tried. */
export const ATTACK: Suite = {
  name: 'attack',
  title:
    'a complete system is attacked from outside: permissions, paths, forgeries, addresses, inputs, browsers, limits',
  async run({ databaseUrl }) {
    const report: SuiteReport = { lines: [], trials: {}, violations: [] }
    const target = await startTarget(databaseUrl)
    const launch = async (kind: string, attacks: readonly Attack[], at: number): Promise<void> => {
      const began = performance.now()
      await mapConcurrently(attacks, at, async ({ name, run }) => {
        const seen = await run().catch((error: unknown) => `the attack failed: ${String(error)}`)
        if (seen !== null) report.violations.push({ promise: kind, seen: `${name}: ${seen}` })
      })
      const { status } = await target.send({ method: 'GET', path: '/api/session', as: 'admin' })
      if (status !== 200)
        report.violations.push({ promise: 'the platform still answers', seen: `after ${kind}: ${status}` })
      report.trials[kind] = attacks.length
      report.lines.push(`${attacks.length} ${kind} in ${((performance.now() - began) / 1000).toFixed(1)} s`)
    }
    try {
      for (const [kind, { at, of }] of Object.entries(KINDS)) await launch(kind, await of(target), at)
      await launchWith(upstreamAttacks(target), (attacks) => launch('hostile receivers', attacks, 4))
      // again, now that everything that is loaded on demand and every pool is there
      const before = target.memory()
      for (const { at, of } of Object.values(KINDS))
        await mapConcurrently(await of(target), at, ({ run }) => run().catch(() => null))
      const after = await settledMemory(target, before * MEMORY_MAX)
      report.lines.push(`memory ${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after`)
      if (after > before * MEMORY_MAX)
        report.violations.push({
          promise: 'memory',
          seen: `${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after`,
        })
      await launchWith(pageAttacks(target), (attacks) => launch('hostile pages', attacks, 2))
    } finally {
      await target.stop()
    }
    return report
  },
}

/** The memory in MB, once it is at most `most` or has had time to be. */
async function settledMemory(target: RunningTarget, most: number): Promise<number> {
  const giveUpAt = performance.now() + SETTLES_MS
  for (;;) {
    const memory = target.memory()
    if (memory <= most || performance.now() > giveUpAt) return memory
    await wait(1_000)
  }
}

async function launchWith(
  opening: Promise<{ attacks: Attack[]; stop(): unknown }>,
  launch: (attacks: readonly Attack[]) => Promise<void>,
): Promise<void> {
  const { attacks, stop } = await opening.catch((error: unknown) => ({
    attacks: [
      { name: 'the attackers', run: () => Promise.resolve(`they cannot start: ${firstLine(error)}`) },
    ],
    stop: () => undefined,
  }))
  try {
    await launch(attacks)
  } finally {
    await stop()
  }
}

const firstLine = (error: unknown): string => String(error).split('\n', 1)[0] ?? ''
