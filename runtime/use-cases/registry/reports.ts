import { createHash } from 'node:crypto'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { PlatformMessage } from '#contract/protocol/platform-messages.ts'
import { isPassing } from '#contract/protocol/plugin-check-report.ts'
import type { PluginReport } from '#contract/runtime-api/plugin-reports.ts'
import { DomainError } from '../../engine/refusals.ts'
import { lockPlugin } from '../../store/plugins/plugins.ts'
import {
  findReport,
  putPluginPolicy,
  putReport,
  selectPluginPolicies,
  selectReports,
} from '../../store/plugins/reports.ts'
import type { ListedReportRow } from '../../store/plugins/reports.ts'
import { fieldChanges, recordAudit } from '../audit/record.ts'
import { notFound, reads } from '../authorize.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { canonicalText } from '../plans/plan-token.ts'
import { requirePlugin } from './plugins.ts'

/** The last report of each version of a plugin, newest first, without findings. Refuses with NOT_FOUND. */
export async function listReports(
  { deps }: ReadContext,
  { params: { pluginId } }: Input<'GET /plugins/{pluginId}/reports'>,
): Promise<Answer<'GET /plugins/{pluginId}/reports'>> {
  await requirePlugin(deps.db, pluginId)
  return { items: (await selectReports(deps.db, pluginId)).map(reportView), nextCursor: null }
}

/** The last report of one version, with its findings. Refuses with NOT_FOUND. */
export async function readReport(
  { deps }: ReadContext,
  { params: { pluginId, version } }: Input<'GET /plugins/{pluginId}/reports/{version}'>,
): Promise<Answer<'GET /plugins/{pluginId}/reports/{version}'>> {
  const row = await findReport(deps.db, pluginId, version)
  if (row === undefined) throw notFound('report')
  return {
    ...reportView(row),
    findings: row.report.cases
      .filter(({ status }) => status !== 'PASSED')
      .toSorted((one, two) => ORDER.indexOf(one.status) - ORDER.indexOf(two.status)),
  }
}

/** Stores a report. Refuses one of another plugin or of another version. */
export async function uploadReport(
  { tx, actor }: WriteContext,
  { params: { pluginId, version }, body }: Input<'PUT /plugins/{pluginId}/reports/{version}'>,
): Promise<Answer<'PUT /plugins/{pluginId}/reports/{version}'>> {
  if ((await lockPlugin(tx, pluginId)) === undefined) throw notFound('plugin')
  const { report } = body
  if (report.pluginId !== pluginId)
    throw wrong(
      'pluginId',
      platformMessage('reportOfOtherPlugin', { reported: report.pluginId, plugin: pluginId }),
    )
  const tested = report.pluginVersion ?? version
  if (tested !== version)
    throw wrong('pluginVersion', platformMessage('reportOfOtherVersion', { reported: tested, version }))
  const before = await findReport(tx, pluginId, version)
  const stored = await putReport(tx, {
    plugin_id: pluginId,
    version,
    passed: isPassing(report),
    report,
    digest: createHash('sha256').update(canonicalText(report)).digest('hex'),
    uploaded_by_id: actor.id,
    uploaded_by_name: actor.name,
  })
  await recordAudit(tx, actor, {
    action: 'plugin.report',
    subject: `${pluginId} ${version}`,
    reason: body.reason ?? null,
    changes: fieldChanges(before === undefined ? null : fieldsOf(before), fieldsOf(stored)),
  })
  return reportView(stored)
}

/** The environments with a policy, of those in which the actor may read something. */
export async function listPolicies({ deps, actor }: ReadContext): Promise<Answer<'GET /plugin-policies'>> {
  const policies = (await selectPluginPolicies(deps.db)).map(({ environment_key, policy }) => ({
    environmentKey: environment_key,
    policy,
  }))
  return { items: policies.filter((one) => reads(actor, one)), nextCursor: null }
}

/** Sets the policy of an environment. Takes effect with the next plan; existing operations continue. */
export async function savePolicy(
  { tx, actor }: WriteContext,
  { params: { environmentKey }, body: { policy, reason } }: Input<'PUT /plugin-policies/{environmentKey}'>,
): Promise<Answer<'PUT /plugin-policies/{environmentKey}'>> {
  const before = await putPluginPolicy(tx, environmentKey, policy)
  await recordAudit(tx, actor, {
    action: 'plugin.policy',
    subject: environmentKey,
    reason: reason ?? null,
    changes: fieldChanges({ policy: before }, { policy }),
  })
  return { environmentKey, policy }
}

const wrong = (field: string, message: PlatformMessage): DomainError =>
  new DomainError('REQUEST_INVALID', message, {
    details: [{ path: `body.report.${field}`, errorCode: 'REQUEST_INVALID', ...message }],
  })

const fieldsOf = ({ passed, digest, summary }: Pick<ListedReportRow, 'passed' | 'digest' | 'summary'>) => ({
  passed,
  digest,
  checkerVersion: summary.checkerVersion,
})

const ORDER = ['FAILED', 'BLOCKED', 'NOT_TESTED', 'PASSED']

const reportView = ({ version, passed, digest, summary, ...row }: ListedReportRow): PluginReport => ({
  version,
  passed,
  ...summary,
  uploadedAt: row.uploaded_at,
  uploadedBy: { id: row.uploaded_by_id, name: row.uploaded_by_name },
  digest,
})
