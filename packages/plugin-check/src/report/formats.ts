import type { Status } from '../run/judges.ts'
import type { Report, ReportedCase } from './report.ts'

const MARKS: Readonly<Record<Status, string>> = {
  PASSED: '✔',
  FAILED: '✖',
  BLOCKED: '■',
  NOT_TESTED: '-',
}

export const mark = (status: Status): string => MARKS[status]

/** The summary for a terminal: what failed with what to do, what was not tested, and the totals. */
export function toTable(report: Report): string {
  const width = Math.max(...report.cases.map(({ id }) => id.length))
  // what blocks cases or leaves them untested is said once
  const counts = new Map<string, number>()
  const reasonOf = ({ status, problem }: ReportedCase): string | null =>
    status === 'FAILED' ? null : `${status} ${problem}`
  const shown = report.cases.filter((one) => {
    if (one.status === 'PASSED') return false
    const reason = reasonOf(one)
    const before = reason === null ? 0 : (counts.get(reason) ?? 0)
    if (reason !== null) counts.set(reason, before + 1)
    return before === 0
  })
  const lines = shown.map((one) => {
    const others = (counts.get(reasonOf(one) ?? '') ?? 1) - 1
    const more = others === 0 ? '' : ` (and ${others} more)`
    const line = `${mark(one.status)} ${one.id.padEnd(width)}  ${one.level.padEnd(6)}  ${one.problem ?? ''}${more}`
    return one.status === 'FAILED' ? `${line}\n  ${one.fix}` : line
  })
  const { PASSED, FAILED, BLOCKED, NOT_TESTED } = report.totals
  return [
    ...lines,
    '',
    `${report.pluginId}: ${verdictOf(report)} in ${(report.durationMs / 1000).toFixed(1)} s`,
    `${PASSED} passed, ${FAILED} failed, ${BLOCKED} blocked, ${NOT_TESTED} not tested (seed ${report.seed})`,
    ...(report.complete
      ? []
      : [
          'This was a partial run, which proves nothing about the other cases. Run it without --case for that.',
        ]),
  ].join('\n')
}

/** What was not tested is no part of a pass, so it is said beside it. */
function verdictOf({ passed, totals: { NOT_TESTED } }: Report): string {
  if (!passed) return 'FAILED'
  return NOT_TESTED === 0 ? 'PASSED' : `PASSED, ${NOT_TESTED} cases not tested,`
}

export const toJson = (report: Report): string => `${JSON.stringify(report, null, 2)}\n`

/** JUnit XML: a blocked case is an error, an untested one is skipped. */
export function toJunit(report: Report): string {
  const { FAILED, BLOCKED, NOT_TESTED } = report.totals
  const counts = `tests="${report.cases.length}" failures="${FAILED}" errors="${BLOCKED}" skipped="${NOT_TESTED}"`
  const seconds = (ms: number): string => (ms / 1000).toFixed(3)
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts} time="${seconds(report.durationMs)}">
<testsuite name="plugin-check ${escape(report.pluginId)}" ${counts} time="${seconds(report.durationMs)}">
${report.cases
  .map(
    (one) =>
      `<testcase classname="${escape(one.id.split('.')[0] ?? '')}" name="${escape(`${one.id} (${one.level}): ${one.title}`)}" time="${seconds(one.ms)}">${junitResult(one)}</testcase>`,
  )
  .join('\n')}
</testsuite>
</testsuites>
`
}

function junitResult({ status, problem, fix, rule }: ReportedCase): string {
  const text = escape(problem ?? '')
  switch (status) {
    case 'PASSED':
      return ''
    case 'FAILED':
      return `<failure message="${text}">${escape(`${fix} Rule: docs/protocol.md#${rule}`)}</failure>`
    case 'BLOCKED':
      return `<error message="${text}"/>`
    case 'NOT_TESTED':
      return `<skipped message="${text}"/>`
  }
}

/** An SVG of one line. */
export function toBadge(report: Report): string {
  const { PASSED, FAILED, BLOCKED } = report.totals
  const text = report.passed ? `${PASSED} passed` : `${FAILED + BLOCKED} failed`
  const color = report.passed ? '#1a7f37' : '#b42318'
  const left = 92
  const right = 14 + text.length * 7
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="plugin-check: ${text}">
<rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${right}" height="20" fill="${color}"/>
<g fill="#fff" font-family="sans-serif" font-size="11" text-anchor="middle">
<text x="${left / 2}" y="14">plugin-check</text><text x="${left + right / 2}" y="14">${text}</text>
</g></svg>
`
}

/** Also removes characters that XML cannot contain. */
export const escape = (text: string): string =>
  text
    .replaceAll(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udfff](?![\udc00-\udfff])/g,
      '�',
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
