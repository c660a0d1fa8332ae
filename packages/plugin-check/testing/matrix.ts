import { createHash } from 'node:crypto'
import { CASES } from '../src/cases/all-cases.ts'
import { DEFECTS, type DefectName } from './defects.ts'

/** What the checker found in each broken plugin. */
export type Matrix = Readonly<Partial<Record<DefectName, readonly string[]>>>

/** Changes when a case or a defect is added, removed or defined differently. */
export function matrixDigest(): string {
  const cases = CASES.map(({ id, level }) => `${id} ${level}`)
  return createHash('sha256')
    .update(JSON.stringify([cases, DEFECTS]))
    .digest('hex')
    .slice(0, 16)
}

/** docs/plugin-check/matrix.md */
export function matrixPage(matrix: Matrix, { seed, seconds }: { seed: number; seconds: number }): string {
  const killing = CASES.filter(({ needs }) => needs.includes('start')).map(({ id }) => id)
  const musts = CASES.filter(({ level }) => level === 'MUST').length
  const rows = (Object.keys(DEFECTS) as DefectName[]).map((name) => {
    const { own, title } = DEFECTS[name]
    const found = matrix[name] ?? []
    const others = found.filter((id) => id !== own).map(link)
    return `| ${name} | ${title} | ${found.includes(own) ? link(own) : 'not found'} | ${others.join(', ')} |`
  })
  return `# What plugin-check finds

Each row is the reference plugin with one planted defect. The checker ran against each of them and against the reference plugin
without a defect, in which it found nothing. The ${killing.length} cases that kill the plugin or read its log ran against the reference
plugin and against the defects that one of them is meant to find. "Found by" is the case that is meant to find the defect. "Also found by" lists every other MUST
case that did not pass; all of them are consequences of the same defect.

${rows.length} broken plugins, ${CASES.length} cases, ${musts} of them MUST; seed ${seed}, ${seconds} s. \`npm run verify -- --suite checker --full\` writes
this page. Digest of cases and defects: ${matrixDigest()}.

| defect | the plugin | found by | also found by |
| ------ | ---------- | -------- | ------------- |
${rows.join('\n')}
`
}

const link = (id: string): string => `[${id}](cases.md#${id})`
