import { mapConcurrently } from '../lab/verification/concurrency.ts'
import { runNode, tool, typeCheckArgs } from './process.ts'
import { close } from './tally.ts'
import type { Tally } from './tally.ts'

interface Check {
  name: string
  args: string[]
}

/** In the order in which they start: those that take longest first. */
const CHECKS: readonly Check[] = [
  { name: 'types and allowed imports', args: typeCheckArgs() },
  { name: 'lint', args: [tool('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings', '.'] },
  {
    name: 'spelling and words',
    args: [tool('cspell/bin.mjs'), 'lint', '--no-progress', '--show-suggestions', '.'],
  },
  { name: 'dead code', args: [tool('knip/bin/knip.js')] },
  { name: 'OpenAPI documents are current', args: ['scripts/openapi.ts', '--check'] },
  { name: 'duplicates', args: [tool('jscpd/run-jscpd.js'), '.'] },
  { name: 'pages of plugin-check are current', args: ['scripts/plugin-check-pages.ts', '--check'] },
  { name: 'format', args: [tool('oxfmt/bin/oxfmt'), '--check', '.'] },
  { name: 'wire kit is current', args: ['scripts/wire-kit.ts', '--check'] },
  { name: 'requirements for security have tests', args: ['scripts/security/main.ts', '--check'] },
  { name: 'files of a save', args: ['scripts/count-save.ts'] },
]
const CONCURRENT_CHECKS = 2

/** Runs every static check, two at a time; shows only the output of those that fail. */
export async function runChecks(): Promise<Tally> {
  const failures: string[] = []
  await mapConcurrently(CHECKS, CONCURRENT_CHECKS, async ({ name, args }) => {
    const started = performance.now()
    const { code, output } = await runNode(args, { quiet: true })
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`${code === 0 ? '✔' : '✖'} ${name} (${seconds} s)`)
    if (code !== 0) {
      failures.push(name)
      console.log(output)
    }
  })
  return { kind: 'checks', passed: CHECKS.length - failures.length, failed: failures.length, failures }
}

if (import.meta.main) process.exit(close([await runChecks()]))
