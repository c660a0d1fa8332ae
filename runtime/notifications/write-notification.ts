import { maskStrings } from '#http-kit/text/scrub.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { MISLEADING } from '#contract/protocol/foreign-text.ts'
import { Failure } from '#contract/runtime-api/common.ts'
import { OPERATION_STATES } from '#contract/runtime-api/vocabulary.ts'
import type { WebhookFormat } from '#contract/runtime-api/vocabulary.ts'
import { inTransaction } from '#database/transaction.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { maskFailure } from '../engine/calls/failures.ts'
import { sensitiveValues, withMarks } from '../engine/calls/sensitive-values.ts'
import { nextStepOf, situationOf } from '../engine/views.ts'
import { findChangeRequest } from '../store/change-requests/change-requests.ts'
import { readMarksSince } from '../store/configuration/sensitivity.ts'
import { readCallsWithoutRequests } from '../store/operations/calls.ts'
import { findOperation } from '../store/operations/operations.ts'
import { readPlan } from '../store/operations/plans.ts'
import { findPlugin } from '../store/plugins/plugins.ts'

/** What a trigger recorded: the event, when, and what it is about. */
interface Recorded {
  type: string
  timestamp: string
  data: JsonObject
}

/**
 * The body of a notification in the form that its receiver reads, from what a trigger recorded. Of an operation it has what a
 * person needs: the code, the message, the reason of its request, whether a retry can help, and who acts next. Values of
 * sensitive properties are masked, also those that became sensitive later. What a plugin or a person wrote is text of a
 * stranger: in a chat it cannot mention anybody, link or format.
 */
export async function writeNotification(
  deps: Pick<RuntimeDeps, 'db' | 'vault'>,
  body: string,
  format: WebhookFormat,
): Promise<string> {
  // written by the database itself
  const recorded = parseStrictJson(body) as unknown as Recorded
  const { operationId } = recorded.data
  const data =
    typeof operationId === 'string'
      ? await describe(deps, operationId, recorded.data)
      : recorded.type === 'change.applied'
        ? await describeApplied(deps, recorded.data)
        : recorded.data
  switch (format) {
    case 'STANDARD':
      return JSON.stringify({ ...recorded, data })
    case 'CHAT':
      return JSON.stringify({ text: linesOf(recorded.type, data, quoted).join('\n') })
    case 'MAIL': {
      const [subject = '', ...lines] = linesOf(recorded.type, data, oneLine)
      return JSON.stringify({ subject, text: [subject, '', ...lines].join('\n') })
    }
  }
}

/** What was recorded of an operation, with what it means; only what was recorded if the operation is removed. */
function describe(
  { db, vault }: Pick<RuntimeDeps, 'db' | 'vault'>,
  operationId: string,
  { failure: recorded, ...data }: JsonObject,
): Promise<JsonObject> {
  return inTransaction(
    db,
    async (tx) => {
      const operation = await findOperation(tx, operationId)
      // nothing tells which values were secret
      if (operation === undefined) return { ...data, reason: null }
      const plan = withMarks(await readPlan(tx, vault, operationId), await readMarksSince(tx, operationId))
      const calls = await readCallsWithoutRequests(tx, vault, operationId)
      const secrets = sensitiveValues(
        plan,
        calls.map(({ writes }) => writes),
      )
      const failure = maskFailure(
        Failure.nullable()
          .catch(null)
          .parse(recorded ?? null),
        secrets,
      )
      // the operation may have gone on since
      const state = OPERATION_STATES.find((one) => one === data['state']) ?? operation.state
      const { actor, action, afterwards } = nextStepOf({ ...operation, state, failure })
      const pluginId = failure === null ? operation.next_plugin : (failure.errorPath?.[1] ?? '')
      const plugin = await findPlugin(tx, pluginId)
      return {
        ...data,
        // people may have written a secret into it
        ...(typeof data['reason'] === 'string' && { reason: String(maskStrings(data['reason'], secrets)) }),
        title: operation.installation_title,
        errorCode: failure?.errorCode ?? null,
        ...(failure?.attemptCode !== undefined && { attemptCode: failure.attemptCode }),
        message: failure?.message ?? null,
        pluginId: pluginId === '' ? null : pluginId,
        owner: plugin?.owner_team == null ? null : { team: plugin.owner_team, contact: plugin.owner_contact },
        retryHelps: situationOf({ state, failure }).retryHelps,
        nextStep: { actor, action, ...(afterwards !== undefined && { afterwards }) },
      }
    },
    { isolation: 'repeatable read' },
  )
}

/** An applied request with whether some of what it started has not succeeded, such as targets of a batch that was stopped. */
async function describeApplied({ db }: Pick<RuntimeDeps, 'db'>, data: JsonObject): Promise<JsonObject> {
  const row = await findChangeRequest(db, String(data['changeRequestId']))
  return row?.code == null ? data : { ...data, errorCode: row.code, message: row.message }
}

const EVENTS: Readonly<Record<string, string>> = {
  'operation.failed': 'Failed',
  'operation.in_doubt': 'Result in doubt',
  'operation.retrying': 'Still retrying automatically',
  'operation.taken_over': 'Taken over',
  'batch.finished': 'Batch finished',
  'change.requested': 'Change request needs approval',
  'change.approved': 'Change request approved',
  'change.rejected': 'Change request rejected',
  'change.conflicted': 'Change request has a conflict',
  'change.applied': 'Change request applied',
  'change.expired': 'Change request expired',
  'change.overridden': 'Change applied by override',
  test: 'Test notification',
}

/** The same as lines of text, in English: what happened first. `safe` makes text of others harmless. */
function linesOf(type: string, data: JsonObject, safe: (text: string) => string): string[] {
  const text = (of: JsonObject, name: string): string[] => {
    const value = of[name]
    return typeof value === 'string' && value !== '' ? [value] : []
  }
  const part = (name: string): JsonObject => {
    const value = data[name]
    return isJsonObject(value) ? value : {}
  }
  const event = EVENTS[type] ?? type
  if (type === 'batch.finished') {
    const items = Object.entries(part('items')).map(([state, count]) => `${Number(count)} ${words(state)}`)
    return [
      `${event}: ${text(data, 'action').map(words).join('')}, ${items.join(', ')}`,
      `Batch ID: ${text(data, 'batchId').join('')}`,
    ]
  }
  if (type.startsWith('change.')) {
    const place = part('scope')
    const names = ['environmentKey', 'applicationRuntimeId', 'workspaceId'].map((name) => place[name])
    const where = names[0] === undefined ? '' : ` in ${safe(names.join('/'))}`
    return [
      `${event}: ${text(data, 'kind').map(words).join('')}${where}`,
      // of an applied one: not everything that it started has succeeded
      ...text(data, 'message'),
      ...text(part('by'), 'name').map((name) => `By: ${safe(name)}`),
      `Change request ID: ${text(data, 'changeRequestId').join('')}`,
    ]
  }
  if (!type.startsWith('operation.')) return [event]
  const { environmentKey, applicationRuntimeId, workspaceId } = part('installation')
  const name = [...text(data, 'operationType').map(words), ...text(data, 'title').map(safe)].join(' ')
  const code = text(data, 'attemptCode')[0] ?? text(data, 'errorCode')[0]
  const details = [code, ...text(data, 'pluginId')].flatMap((one) => (one === undefined ? [] : [safe(one)]))
  const next = part('nextStep')
  const step = (of: JsonObject) => [...text(of, 'actor'), ...text(of, 'action')].map(words).join(', ')
  const owner = [...text(part('owner'), 'team'), ...text(part('owner'), 'contact')].map(safe).join(', ')
  const afterwards = isJsonObject(next['afterwards']) ? `; then ${step(next['afterwards'])}` : ''
  return [
    `${event}: ${name} in ${safe([environmentKey, applicationRuntimeId, workspaceId].join('/'))}`,
    ...text(data, 'message').map((message) =>
      [safe(message), ...(details.length > 0 ? [`(${details.join(', ')})`] : [])].join(' '),
    ),
    ...(next['actor'] === 'NOBODY' ? [] : [`Next step: ${step(next)}${afterwards}`]),
    ...(owner === '' ? [] : [`Owner of the plugin: ${owner}`]),
    ...text(data, 'retryHelps').map(
      (helps) => `Can a retry help? ${RETRY_HELPS_TEXTS[helps] ?? words(helps)}`,
    ),
    ...text(data, 'reason').map((reason) => `Reason of the request: ${safe(reason)}`),
    `Operation ID: ${text(data, 'operationId').join('')}`,
  ]
}

const RETRY_HELPS_TEXTS: Readonly<Record<string, string>> = {
  YES: 'Yes',
  AFTER_CHANGE: 'Only after the cause is fixed',
  NEVER: 'Unlikely: it sends the same values again',
}

/** `PLUGIN_OWNER` as `plugin owner`. */
const words = (name: string): string => name.toLowerCase().replaceAll('_', ' ')

const LINE_MAX = 600
const MISLEADING_CHARACTERS = new RegExp(`[${MISLEADING}]`, 'gu')

/** The first half of a character outside the Basic Multilingual Plane, at a cut. */
const HALF_CHARACTER = /[\uD800-\uDBFF]$/

/** One line without characters that change the order of the text. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(MISLEADING_CHARACTERS, '')
    .trim()
    .slice(0, LINE_MAX)
    .replace(HALF_CHARACTER, '')

/** A code span, in which a chat neither formats nor links nor mentions anybody; the escapes are those of Slack. */
const quoted = (text: string): string =>
  `\`${oneLine(text)
    .replaceAll('`', 'ˋ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')}\``
