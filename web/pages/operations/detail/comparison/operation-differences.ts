import type { OperationComparison, OperationDetail, PluginCall } from '#contract/console-api/shapes.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import { formatDuration } from '../../../../i18n/format.ts'
import { joinClauses } from '../../../../i18n/punctuation.ts'
import type { Translate } from '../../../../i18n/use-text.ts'
import { operationTypeKey, runTimeOf, versionsText } from '../../../../subjects/operations/operation-texts.ts'
import type { Change } from '../../../../ui/value/BeforeAfter.tsx'
import { resultLook, verdictLook, verdictOf } from '../calls/verdict.ts'

export const SECTIONS = ['operation', 'registrations', 'calls', 'values', 'requests'] as const
export type Section = (typeof SECTIONS)[number]

/** What differs between an operation that succeeded, `before`, and this one, `after`; each section may be empty. */
export function operationDifferences(
  before: OperationDetail,
  after: OperationDetail,
  { values, registrations }: Pick<OperationComparison, 'values' | 'registrations'>,
  t: Translate,
): Record<Section, Change[]> {
  const text = (id: string, name: string, of: (operation: OperationDetail) => string | null): Change[] =>
    changed(id, name, of(before), of(after))
  return {
    operation: [
      ...text('type', t('operations.field.type'), (operation) => t(operationTypeKey(operation))),
      ...text('version', t('operations.field.versions'), versionsText),
      ...text('duration', t('operations.field.runTime'), (operation) => {
        const time = runTimeOf(operation)
        return time === null ? null : formatDuration(time, t)
      }),
    ],
    registrations: registrations.flatMap(({ pluginId, before: was, after: is }) =>
      (['endpoint', 'version', 'timeoutMs', 'maxAttempts', 'maxBackoffMs'] as const).flatMap((field) => {
        const name =
          field === 'endpoint' || field === 'version'
            ? (`plugins.fact.${field}` as const)
            : (`plugins.form.${field}` as const)
        return changed(
          `${pluginId} ${field}`,
          joinClauses(t, [pluginId, t(name)]),
          was === null ? null : was[field],
          is === null ? null : is[field],
        )
      }),
    ),
    calls: pairsOf(before, after).flatMap((pair) => callChanges(pair, t)),
    values: values.map(({ locator, property, before: was, after: is }) => ({
      id: `${locator} ${property}`,
      // the bundle is the same on both sides
      name: `${locator.split('/').at(-1)} › ${property}`,
      before: was,
      after: is,
    })),
    requests: pairsOf(before, after).flatMap(({ stage, pluginId, one, other }) =>
      one?.request == null || other?.request == null
        ? []
        : changed(
            `${stage} ${pluginId}`,
            joinClauses(t, [pluginId, t(`vocabulary.phase.${stage}`)]),
            comparableRequest(one.request as JsonValue),
            comparableRequest(other.request as JsonValue),
          ),
    ),
  }
}

function changed(id: string, name: string, before: JsonValue, after: JsonValue): Change[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  const view = (value: JsonValue): Change['before'] => (value === null ? null : { '@type': 'Data', value })
  return [{ id, name, before: view(before), after: view(after) }]
}

interface Pair {
  stage: Stage
  pluginId: string
  one: PluginCall | undefined
  other: PluginCall | undefined
}

/** The calls of both operations, by stage and plugin, in the order in which they are made. */
function pairsOf(before: OperationDetail, after: OperationDetail): Pair[] {
  const callsOf = ({ stages }: OperationDetail, stage: Stage) =>
    stages.find((candidate) => candidate.stage === stage)?.calls ?? []
  return after.stages.flatMap(({ stage }) => {
    const [ones, others] = [callsOf(before, stage), callsOf(after, stage)]
    const plugins = new Set([...others, ...ones].map(({ pluginId }) => pluginId))
    return [...plugins].map((pluginId) => ({
      stage,
      pluginId,
      one: ones.find((call) => call.pluginId === pluginId),
      other: others.find((call) => call.pluginId === pluginId),
    }))
  })
}

function callChanges({ stage, pluginId, one, other }: Pair, t: Translate): Change[] {
  const fact = (field: 'result' | 'code' | 'attempts' | 'duration' | 'http'): Change[] => {
    const of = (call: PluginCall | undefined): JsonValue => {
      const last = call?.attempts.findLast(({ late }) => !late)
      if (last === undefined) return field === 'result' ? t(resultLook('NOT_CALLED').word) : null
      switch (field) {
        case 'result':
          return t(verdictLook[verdictOf(last)].word)
        case 'code':
          return last.failure?.errorCode ?? null
        case 'attempts':
          return last.attempt
        case 'duration':
          return last.durationMs === null ? null : formatDuration(last.durationMs, t)
        case 'http':
          return last.httpStatus
      }
    }
    const name = joinClauses(t, [
      pluginId,
      t(`vocabulary.phase.${stage}`),
      t(`operations.comparison.${field}`),
    ])
    return changed(`${stage} ${pluginId} ${field}`, name, of(one), of(other))
  }
  // of a call that only one of them made, the result says it all
  const isMade = (call: PluginCall | undefined) => (call?.attempts.length ?? 0) > 0
  if (!isMade(one) || !isMade(other)) return fact('result')
  return (['result', 'code', 'http', 'attempts', 'duration'] as const).flatMap(fact)
}

/** A request without what differs between any two operations. */
function comparableRequest(request: JsonValue): JsonValue {
  if (!isJsonObject(request)) return request
  const { executionSequence: _, operation, ...rest } = request
  if (!isJsonObject(operation)) return rest
  const { operationId: __, ...kept } = operation
  return { ...rest, operation: kept }
}
