import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Key } from '#contract/protocol/keys.ts'
import { LARGE_BODY_BYTES_MAX } from '#contract/protocol/limits.ts'
import { PluginCheckReport } from '#contract/protocol/plugin-check-report.ts'
import { listOf, Person, Reason, Timestamp } from './common.ts'
import { PLUGIN_POLICIES } from './vocabulary.ts'

const Count = z.number().int().nonnegative()

/** The last uploaded report of one version of a plugin. */
export const PluginReport = z.object({
  version: Key,
  /** Every case was run, and no MUST failed or was blocked. */
  passed: z.boolean(),
  /** False: the run left cases out, so the report cannot pass. */
  complete: z.boolean(),
  checkerVersion: z.string(),
  /** When plugin-check ran. */
  startedAt: Timestamp,
  /** Where the pages of the cases are: `cases/ID.md` below this address. */
  docsUrl: z.string().nullable(),
  uploadedAt: Timestamp,
  uploadedBy: Person,
  /** SHA-256 of the stored report as canonical JSON (RFC 8785), in hex. */
  digest: z.string(),
  totals: z.object({ PASSED: Count, FAILED: Count, BLOCKED: Count, NOT_TESTED: Count }),
})
export type PluginReport = z.infer<typeof PluginReport>

export const PluginReportDetail = PluginReport.extend({
  /** The cases that did not pass, the failed ones first. */
  findings: PluginCheckReport.shape.cases,
})
export type PluginReportDetail = z.infer<typeof PluginReportDetail>

/** What happens in an environment to operations that call a plugin version without a passing report. */
export const PluginPolicy = z.object({ environmentKey: Key, policy: z.enum(PLUGIN_POLICIES) })
export type PluginPolicy = z.infer<typeof PluginPolicy>

export const pluginReportEndpoints = defineEndpoints({
  'GET /plugins/{pluginId}/reports': {
    summary: 'The last report of each version of a plugin, newest first, without findings; at most 20',
    access: { needs: 'read', where: 'anywhere' },
    params: z.strictObject({ pluginId: Key }),
    query: z.strictObject({}),
    answer: listOf(PluginReport),
    codes: ['NOT_FOUND'],
  },
  'GET /plugins/{pluginId}/reports/{version}': {
    summary: 'The last report of one version of a plugin, with the cases that did not pass',
    access: { needs: 'read', where: 'anywhere' },
    params: z.strictObject({ pluginId: Key, version: Key }),
    query: z.strictObject({}),
    answer: PluginReportDetail,
    codes: ['NOT_FOUND'],
  },
  'PUT /plugins/{pluginId}/reports/{version}': {
    cost: 5,
    summary: 'Upload the JSON report of plugin-check for a version of a plugin; replaces an earlier one',
    audit: 'plugin.report',
    access: { needs: 'plugin:write', where: 'everywhere' },
    params: z.strictObject({ pluginId: Key, version: Key }),
    body: z.strictObject({ report: PluginCheckReport, reason: Reason.optional() }),
    answer: PluginReport,
    codes: ['NOT_FOUND', 'REQUEST_INVALID', 'IDEMPOTENCY_KEY_REUSED'],
    maxBodyBytes: LARGE_BODY_BYTES_MAX,
  },
  'GET /plugin-policies': {
    summary: 'The environments with a policy for plugins without a passing report; the others ignore it',
    access: { needs: 'read', where: 'anywhere' },
    query: z.strictObject({}),
    answer: listOf(PluginPolicy),
    codes: [],
  },
  'PUT /plugin-policies/{environmentKey}': {
    summary: 'Set what happens in an environment without a passing report: ignore, warn or refuse',
    audit: 'plugin.policy',
    access: { needs: 'plugin:write', where: 'everywhere' },
    params: z.strictObject({ environmentKey: Key }),
    body: z.strictObject({ policy: z.enum(PLUGIN_POLICIES), reason: Reason.optional() }),
    answer: PluginPolicy,
    codes: ['IDEMPOTENCY_KEY_REUSED', 'RECENT_SIGN_IN_REQUIRED'],
    recentSignIn: 'always',
  },
})
