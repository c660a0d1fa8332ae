import { runNode, tool } from './process.ts'
import type { Tally } from './tally.ts'

interface Check {
  name: string
  args: string[]
}

const CHECKS: readonly Check[] = [
  { name: 'format', args: [tool('oxfmt/bin/oxfmt'), '--check', '.'] },
  { name: 'types and allowed imports', args: [tool('typescript/bin/tsc'), '-b'] },
  { name: 'lint', args: [tool('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings', '.'] },
  { name: 'dead code', args: [tool('knip/bin/knip.js')] },
  { name: 'duplicates', args: [tool('jscpd/run-jscpd.js'), '.'] },
  {
    name: 'spelling and words',
    args: [tool('cspell/bin.mjs'), 'lint', '--no-progress', '--show-suggestions', '.'],
  },
  { name: 'phrases', args: ['scripts/check-phrases.ts'] },
  { name: 'lock file', args: ['scripts/check-lock-file.ts'] },
  { name: 'OpenAPI documents are current', args: ['scripts/openapi.ts', '--check'] },
  { name: 'wire kit is current', args: ['scripts/wire-kit.ts', '--check'] },
  { name: 'pages of plugin-check are current', args: ['scripts/plugin-check-pages.ts', '--check'] },
]

/** Runs every static check; shows only the output of those that fail. */
export async function runChecks(): Promise<Tally> {
  const failures: string[] = []
  for (const check of CHECKS) {
    const started = performance.now()
    const { code, output } = await runNode(check.args, { quiet: true })
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`${code === 0 ? '✔' : '✖'} ${check.name} (${seconds} s)`)
    if (code !== 0) {
      failures.push(check.name)
      console.log(output)
    }
  }
  return { kind: 'checks', passed: CHECKS.length - failures.length, failed: failures.length, failures }
}
