import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Plugin } from '#contract/runtime-api/plugins.ts'
import { fieldChanges } from '../audit/field-changes.ts'
import type { Fields } from '../audit/field-changes.ts'
import { recordAudit } from '../audit/record.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { cursorValues, pageOf } from '../paging/page.ts'
import { lockPlugin, savePluginRow, selectPlugins } from '../../store/plugins/plugins.ts'
import type { PluginRow } from '../../store/plugins/plugins.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { ownerOf } from '../../engine/views.ts'
import { registrationExists, requireExpected } from './expected.ts'
import { requireReachable } from './destination.ts'
import type { Egress } from './destination.ts'
import { notFound } from '../authorize.ts'
import type { Db } from '../../model/db.ts'
import { containsText } from '../../store/text-search.ts'

/** Registered plugins, ordered by id. */
export async function listPlugins(
  { deps }: ReadContext,
  { query }: Input<'GET /plugins'>,
): Promise<Answer<'GET /plugins'>> {
  const [after] = cursorValues(query.cursor, ['string']) ?? []
  const rows = await selectPlugins(deps.db, {
    where: sql`${after === undefined ? sql`true` : sql`plugin.plugin_id > ${after}`}
      and ${containsText(query.q, [sql`plugin.plugin_id`, sql`plugin.title`])}`,
    limit: query.limit + 1,
  })
  return pageOf(rows, query.limit, { item: pluginView, valuesOf: (row) => [row.plugin_id] })
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
  }
  const isSaved = await savePluginRow(tx, after, { mustBeNew: body.expected === null })
  if (!isSaved) throw registrationExists('pluginId')
  await recordAudit(tx, actor, {
    action: 'plugin.save',
    subject: params.pluginId,
    reason: body.reason ?? null,
    changes: fieldChanges(before ? fieldsOf(before) : null, fieldsOf(after)),
  })
  return requirePlugin(tx, params.pluginId)
}

function fieldsOf(row: Omit<Selectable<RuntimeTables['runtime.plugin']>, 'updated_at'>): Fields {
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
  }
}

/** The plugin as the runtime API returns it. Refuses with NOT_FOUND. */
export async function requirePlugin(db: Db, pluginId: string): Promise<Plugin> {
  const [row] = await selectPlugins(db, { where: sql`plugin.plugin_id = ${pluginId}` })
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
    check: row.report_passed === null ? 'NONE' : row.report_passed ? 'PASSED' : 'NOT_PASSED',
    credentials: row.credentials,
    updatedAt: row.updated_at,
  }
}
