import { REQUIREMENTS, SUBJECTS } from './requirements.ts'
import type { Requirement } from './requirements.ts'
import type { TaggedTest } from './tagged-tests.ts'

/** The tests of a requirement in the last run. */
export interface Result {
  /** How many tests it had. If it has another number now, they count as not run. */
  count: number
  state: 'passed' | 'failed'
}

const START = '<!-- written by npm run security: start -->'
const END = '<!-- written by npm run security: end -->'
const ROW = /^\| ([A-Z]\d\d) +\|.*\| (\d+) (passed|failed) +\|$/gm

/** The results on a page, by id. */
export function readResults(page: string): Map<string, Result> {
  return new Map(
    [...page.matchAll(ROW)].map(([, id = '', count = '', state]): [string, Result] => [
      id,
      { count: Number(count), state: state === 'passed' ? 'passed' : 'failed' },
    ]),
  )
}

/** The page with its generated part replaced. */
export function withTables(
  page: string,
  tests: readonly TaggedTest[],
  results: ReadonlyMap<string, Result>,
): string {
  const [before = '', rest = ''] = page.split(START)
  const [, after = ''] = rest.split(END)
  return `${before}${START}\n\n${Object.keys(SUBJECTS)
    .map((letter) => subject(letter, tests, results))
    .join('\n')}\n${END}${after}`
}

function subject(letter: string, tests: readonly TaggedTest[], results: ReadonlyMap<string, Result>): string {
  const requirements = REQUIREMENTS.filter(({ id }) => id.startsWith(letter))
  const rows = requirements.map((requirement) => {
    const { id, level, text } = requirement
    const count = tests.filter(({ ids }) => ids.includes(id)).length
    const result = results.get(id)
    const state = result?.count === count ? result.state : 'not run'
    return [id, level, text, count === 0 ? 'none' : `${count} ${state}`]
  })
  return `### ${SUBJECTS[letter]}\n\n${table([['id', 'level', 'requirement', 'tests'], ...rows])}\n\n${requirements
    .map((requirement) => evidence(requirement, tests))
    .filter((line) => line !== '')
    .join('\n')}\n`
}

function evidence({ id, open }: Requirement, tests: readonly TaggedTest[]): string {
  const shown = tests
    .filter(({ ids }) => ids.includes(id))
    .map(({ file, title }) => `\`${file}\`: ${escaped(title)}`)
  const parts = [...(open === undefined ? [] : [`_${open}_`]), ...shown]
  return parts.length === 0 ? '' : `- ${id}: ${parts.join('; ')}`
}

/** Titles are text: no character of them formats. */
const escaped = (title: string) =>
  title.replaceAll(/\\(['"`])/g, '$1').replaceAll(/[\\`*_{}[\]<>|$#]/g, String.raw`\$&`)

function table(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => [...(row[column] ?? '')].length)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map((row) => line(row))].join(
    '\n',
  )
}
