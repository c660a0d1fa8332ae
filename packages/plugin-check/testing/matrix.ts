import { CASES } from '../src/cases/all-cases.ts'
import { DEFECTS } from './defects.ts'
import { STYLES } from './styles.ts'

/** docs/plugin-check/matrix.md. The suite "checker" of the laboratory proves what it says. */
export function matrixPage(): string {
  const musts = CASES.filter(({ level }) => level === 'MUST').length
  const rows = Object.entries(DEFECTS).map(
    ([name, { own, title, related }]) =>
      `| ${name} | ${title} | ${caseLink(own)} | ${related.map(link).join(', ')} |`,
  )
  const styles = Object.values(STYLES).map(({ title }) => `- It ${title}.`)
  return `# What plugin-check finds

Each row is the reference plugin with one planted defect. "Found by" is the case that is meant to find it. "May also be found by" are the cases
and groups that see a consequence of the same defect; no other MUST finds anything. \`npm run verify -- --suite checker --full\` proves both, every night.

${rows.length} broken plugins, ${CASES.length} cases, ${musts} of them MUST.

| defect | the plugin | found by | may also be found by |
| ------ | ---------- | -------- | -------------------- |
${rows.join('\n')}

## Correct styles

With one of these differences, the reference plugin is still correct, and every MUST passes:

${styles.join('\n')}
`
}

const caseLink = (id: string): string => `[${id}](cases.md#${id})`

function link(related: string): string {
  if (related === '*') return 'most cases: ordinary calls fail'
  return related.includes('.') ? caseLink(related) : `${related}.*`
}
