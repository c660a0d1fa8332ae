import type { Selectable } from 'kysely'
import type { Plugin } from '#contract/runtime-api/plugins.ts'
import { uuidv7 } from '#http-kit/random.ts'
import { DomainError } from '../../engine/refusals.ts'
import { linksOf, ownerOf, retirementOf } from '../../engine/views.ts'
import type { Db } from '../../model/db.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import {
  countValidCredentials,
  insertCredential,
  revokeCredentialRow,
  makeSecret,
} from '../../store/plugins/credentials.ts'
import { findPlugin, listPluginRows, lockPlugin, savePluginRow } from '../../store/plugins/plugins.ts'
import type { PluginRow } from '../../store/plugins/plugins.ts'
import { fieldChanges, recordAudit } from '../audit/record.ts'
import type { Fields } from '../audit/record.ts'
import { notFound } from '../authorize.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { cursorValues, pageOf } from '../paging.ts'
import { registrationExists, requireExpected, requireReachable } from './registration.ts'
import type { Egress } from './registration.ts'

/** Registered plugins, ordered by id; with a scope, those that its active installations call. */
export async function listPlugins(
  { deps, actor }: ReadContext,
  { query }: Input<'GET /plugins'>,
): Promise<Answer<'GET /plugins'>> {
  const [after] = cursorValues(query.cursor, ['string']) ?? []
  const rows = await listPluginRows(deps.db, actor, { ...query, after, limit: query.limit + 1 })
  return pageOf(rows, query.limit, {
    item: pluginView,
    valuesOf: (row) => [row.plugin_id],
    found: rows[0]?.found,
  })
}

/** One plugin. Refuses with NOT_FOUND. */
export function readPlugin(
  { deps }: ReadContext,
  { params }: Input<'GET /plugins/{pluginId}'>,
): Promise<Answer<'GET /plugins/{pluginId}'>> {
  return requirePlugin(deps.db, params.pluginId)
}

/**
 * Registers a plugin or changes its registration. Refuses a registration other than the expected one with
 * REGISTRATION_EXISTS or REGISTRATION_STALE, and an endpoint that the deployment does not allow; a disabled plugin
 * may keep its address.
 */
export async function savePlugin(
  { tx, actor }: WriteContext,
  { params, body }: Input<'PUT /plugins/{pluginId}'>,
  egress: Egress,
): Promise<Answer<'PUT /plugins/{pluginId}'>> {
  const before = await lockPlugin(tx, params.pluginId)
  requireExpected(body.expected, before, 'pluginId')
  if (body.enabled || body.endpoint !== before?.endpoint) requireReachable(egress, body.endpoint, 'endpoint')
  const after = {
    plugin_id: params.pluginId,
    title: body.title,
    endpoint: body.endpoint,
    enabled: body.enabled,
    version: body.version ?? null,
    timeout_ms: body.timeoutMs ?? null,
    max_attempts: body.maxAttempts ?? null,
    max_backoff_ms: body.maxBackoffMs ?? null,
    owner_team: body.owner?.team ?? null,
    owner_contact: body.owner?.contact ?? null,
    runbooks: body.runbooks ?? [],
    logs_link: body.links?.logs ?? null,
    traces_link: body.links?.traces ?? null,
  }
  const row = { ...after, runbooks: JSON.stringify(after.runbooks) }
  const isSaved = await savePluginRow(tx, row, { mustBeNew: body.expected === null })
  if (!isSaved) throw registrationExists('pluginId')
  await recordAudit(tx, actor, {
    action: 'plugin.save',
    subject: params.pluginId,
    reason: body.reason ?? null,
    changes: fieldChanges(before ? fieldsOf(before) : null, fieldsOf(after)),
  })
  return requirePlugin(tx, params.pluginId)
}

type RetiredColumns = Pick<
  RuntimeTables['runtime.plugin'],
  'retired_at' | 'retired_by_id' | 'retired_by_name' | 'retired_reason'
>

function fieldsOf(
  row: Omit<
    Selectable<RuntimeTables['runtime.plugin']>,
    'updated_at' | 'paused' | 'resumed_at' | keyof RetiredColumns
  >,
): Fields {
  return {
    title: row.title,
    endpoint: row.endpoint,
    enabled: row.enabled,
    version: row.version,
    timeoutMs: row.timeout_ms,
    maxAttempts: row.max_attempts,
    maxBackoffMs: row.max_backoff_ms,
    ownerTeam: row.owner_team,
    ownerContact: row.owner_contact,
    logsLink: row.logs_link,
    tracesLink: row.traces_link,
    // each is a field of its own, so that the audit has those that changed
    ...Object.fromEntries(
      row.runbooks.map(({ errorCode, ...runbook }) => [`runbook ${errorCode}`, { ...runbook }]),
    ),
  }
}

/** The plugin as the runtime API returns it. Refuses with NOT_FOUND. */
export async function requirePlugin(db: Db, pluginId: string): Promise<Plugin> {
  const row = await findPlugin(db, pluginId)
  if (row === undefined) throw notFound('plugin')
  return pluginView(row)
}

function pluginView(row: PluginRow): Plugin {
  return {
    pluginId: row.plugin_id,
    title: row.title,
    endpoint: row.endpoint,
    enabled: row.enabled,
    ...(row.version !== null && { version: row.version }),
    ...(row.timeout_ms !== null && { timeoutMs: row.timeout_ms }),
    ...(row.max_attempts !== null && { maxAttempts: row.max_attempts }),
    ...(row.max_backoff_ms !== null && { maxBackoffMs: row.max_backoff_ms }),
    owner: ownerOf(row),
    ...(row.runbooks.length > 0 && { runbooks: row.runbooks }),
    ...linksOf(row),
    check: row.report_passed === null ? 'NONE' : row.report_passed ? 'PASSED' : 'NOT_PASSED',
    retired: retirementOf(row),
    ...(row.paused && { paused: true }),
    credentials: row.credentials,
    updatedAt: row.updated_at,
  }
}

type Create = 'POST /plugins/{pluginId}/credentials'
type Revoke = 'DELETE /plugins/{pluginId}/credentials/{credentialId}'

/** The old credential stays valid until its holder has the new one. */
const MAX_VALID = 2

/**
 * Creates a credential. Its secret is returned here and never again. Refuses with REQUEST_INVALID if two are valid
 * already, and with NOT_FOUND.
 */
export async function createCredential(
  { deps, tx, actor }: WriteContext,
  { params: { pluginId }, body }: Input<Create>,
): Promise<Answer<Create>> {
  if ((await lockPlugin(tx, pluginId)) === undefined) throw notFound('plugin')
  if ((await countValidCredentials(tx, pluginId)) >= MAX_VALID) {
    const message =
      'The plugin has two valid credentials already. Revoke one of them before you make another.'
    throw new DomainError('REQUEST_INVALID', message)
  }
  const credentialId = uuidv7(deps)
  const { secret, hash } = makeSecret()
  await insertCredential(tx, { credentialId, pluginId, secretHash: hash })
  await recordAudit(tx, actor, {
    action: 'plugin.credential.create',
    subject: `${pluginId} ${credentialId}`,
    reason: body.reason ?? null,
    changes: fieldChanges(null, { isValid: true }),
  })
  return { credentialId, secret }
}

/** Revokes a credential immediately; revoking it again changes nothing. Refuses with NOT_FOUND. */
export async function revokeCredential(
  { tx, actor }: WriteContext,
  { params }: Input<Revoke>,
): Promise<Answer<Revoke>> {
  const found = await revokeCredentialRow(tx, params)
  if (found === 'missing') throw notFound('credential')
  if (found === 'revoked') {
    const subject = `${params.pluginId} ${params.credentialId}`
    const changes = fieldChanges({ isValid: true }, { isValid: false })
    await recordAudit(tx, actor, { action: 'plugin.credential.revoke', subject, changes })
  }
  return requirePlugin(tx, params.pluginId)
}
