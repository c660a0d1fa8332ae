import type { Case } from '../cases/case.ts'
import type { CaseResult, Status } from '../run/judges.ts'
import type { Sent } from '../run/trial.ts'

/** One exchange of a case that failed; tokens are removed. */
export interface ReportedExchange {
  method: string
  url: string
  requestBody: string
  status: number | null
  responseBody: string
  problem: string | null
  ms: number
}

export interface ReportedCase {
  id: string
  title: string
  level: Case['level']
  kind: Case['kind']
  /** Section of docs/protocol.md. */
  rule: string
  fix: string
  status: Status
  problem: string | null
  ms: number
  exchanges: ReportedExchange[]
}

/** The result of one run; the JSON report is exactly this. */
export interface Report {
  format: 'bundle-console/plugin-check-report'
  version: 1
  checkerVersion: string
  pluginId: string
  /** As the profile names it. */
  pluginVersion: string | null
  /** False: only some cases were chosen. */
  complete: boolean
  /** Where the pages of the cases are. */
  docsUrl: string | null
  url: string
  seed: number
  /** The time in the ids of the run, in milliseconds since 1970. Seed and ids together reproduce every byte. */
  ids: number
  startedAt: string
  durationMs: number
  /** True: every MUST that was tested passed, and none was blocked. */
  passed: boolean
  totals: Record<Status, number>
  cases: ReportedCase[]
}

const BODY_MAX = 4_000

export function createReport(
  run: Omit<Report, 'format' | 'version' | 'passed' | 'totals' | 'cases'>,
  cases: readonly Case[],
  results: readonly CaseResult[],
): Report {
  const byId = new Map(results.map((result) => [result.id, result]))
  const reported = cases.flatMap(({ id, title, level, kind, rule, fix }): ReportedCase[] => {
    const result = byId.get(id)
    if (result === undefined) return []
    const { status, problem, ms, sent } = result
    const exchanges = status === 'FAILED' ? sent.map(toExchange) : []
    return [{ id, title, level, kind, rule, fix, status, problem, ms: Math.round(ms), exchanges }]
  })
  const totals = { PASSED: 0, FAILED: 0, BLOCKED: 0, NOT_TESTED: 0 }
  for (const { status } of reported) totals[status]++
  return {
    format: 'bundle-console/plugin-check-report',
    version: 1,
    ...run,
    passed: !reported.some(isFinding),
    totals,
    cases: reported,
  }
}

/** A MUST that did not pass. */
export const isFinding = ({ level, status }: Pick<ReportedCase, 'level' | 'status'>): boolean =>
  level === 'MUST' && (status === 'FAILED' || status === 'BLOCKED')

function toExchange({ exchange }: Sent): ReportedExchange {
  const { request, response, problem, ms } = exchange
  const { authorization } = request.headers
  const token = authorization?.split(' ')[1]
  const hide = (text: string): string =>
    token === undefined || token === '' ? text : text.replaceAll(token, '[token]')
  return {
    method: request.method,
    url: request.url,
    requestBody: cut(request.body),
    status: response?.status ?? null,
    responseBody: hide(cut(response?.body ?? Buffer.alloc(0))),
    problem,
    ms: Math.round(ms),
  }
}

function cut(body: Buffer): string {
  const text = body.toString()
  return text.length > BODY_MAX ? `${text.slice(0, BODY_MAX)}… (${body.byteLength} bytes)` : text
}
