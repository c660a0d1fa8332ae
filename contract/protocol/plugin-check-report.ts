import * as z from 'zod'
import { Key, Timestamp } from './keys.ts'

export const CASE_STATUSES = ['PASSED', 'FAILED', 'BLOCKED', 'NOT_TESTED'] as const

const text = (max: number) => z.string().max(max, `Must be at most ${max} characters`)

const Case = z.object({
  id: text(100),
  title: text(500),
  level: z.enum(['MUST', 'SHOULD']),
  fix: text(2000),
  status: z.enum(CASE_STATUSES),
  problem: text(10_000).nullable(),
})

/**
 * The part of the JSON report of `plugin-check run` that the runtime reads. Other fields, such as the exchanges of failed
 * cases, are ignored.
 */
export const PluginCheckReport = z.object({
  format: z.literal('bundle-console/plugin-check-report'),
  version: z.literal(1, 'Must be 1; use a version of plugin-check that writes this format'),
  checkerVersion: text(100),
  pluginId: Key,
  /** The version of the plugin that was tested, if its profile names it. */
  pluginVersion: Key.nullish(),
  /** False: only some cases were chosen. Absent in reports of earlier checkers. */
  complete: z.boolean().optional(),
  /** Where the pages of the cases are, if the run was given it: `cases/ID.md` below this address. */
  docsUrl: z
    .url({ protocol: /^https?$/, error: 'Must be an http or https address' })
    .max(2048)
    .nullish(),
  startedAt: Timestamp,
  cases: z
    .array(Case)
    .max(1000, 'Must be at most 1000 cases')
    .refine(
      (cases) => new Set(cases.map(({ id }) => id)).size === cases.length,
      'Must not have a case twice',
    ),
})
export type PluginCheckReport = z.infer<typeof PluginCheckReport>

/** Whether a report shows that a plugin keeps the protocol: every case was run, and no MUST failed or was blocked. */
export function isPassing({ complete, cases }: Pick<PluginCheckReport, 'complete' | 'cases'>): boolean {
  const musts = cases.filter(({ level }) => level === 'MUST')
  return (
    complete === true &&
    musts.some(({ status }) => status === 'PASSED') &&
    musts.every(({ status }) => status === 'PASSED' || status === 'NOT_TESTED')
  )
}
