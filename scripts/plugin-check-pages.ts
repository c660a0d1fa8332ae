import { join } from 'node:path'
import { CASES } from '../packages/plugin-check/src/cases/all-cases.ts'
import { NEEDS, type Case } from '../packages/plugin-check/src/cases/case.ts'
import { matrixPage } from '../packages/plugin-check/testing/matrix.ts'
import { syncGenerated } from './generated-folder.ts'
import { root } from './process.ts'

// Writes the pages of plugin-check's cases and of what they find; with --check verifies that they are up to date.

const FOLDER = join(root, 'docs', 'plugin-check')

function caseSection({ id, title, level, kind, rule, fix, needs }: Case): string {
  const about = kind === 'behaviour' ? 'what the plugin does' : 'the form of a response'
  const conditions = needs.map((need) => `- It is not tested if ${NEEDS[need]}.`)
  return `<a id="${id}"></a>

## ${id}

${title}. ${level}, about ${about}: [the rule](../protocol.md#${rule}). Alone: \`plugin-check run --url URL --case ${id}\`.

**Fix.** ${fix}
${conditions.length === 0 ? '' : `\n${conditions.join('\n')}\n`}`
}

function casesPage(): string {
  const behaviour = CASES.filter(({ kind }) => kind === 'behaviour').length
  return `# Cases of plugin-check

${CASES.length} cases; ${behaviour} are about what a plugin does over several calls, the others about the form of a response.
\`plugin-check list\` prints a line for each, and \`plugin-check explain CASE\` one of them.

${CASES.map(caseSection).join('\n')}`
}

const pages = { 'cases.md': casesPage(), 'matrix.md': matrixPage() }
const isChecking = process.argv.includes('--check')
const stale = syncGenerated(FOLDER, pages, { patterns: ['cases.md', 'matrix.md'], isChecking })
if (stale.length > 0) {
  console.error(
    `docs/plugin-check is out of date (${stale.join(', ')}): run "node scripts/plugin-check-pages.ts"`,
  )
  process.exit(1)
}
