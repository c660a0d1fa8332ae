import type { Operation, Plugin, Snapshot } from '#contract/console-api/shapes.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { paths } from '../../../addresses/paths.ts'
import { joinClauses } from '../../../i18n/punctuation.ts'
import type { Translate } from '../../../i18n/use-text.ts'
import { operationName, versionsText } from '../../../subjects/operations/operation-texts.ts'
import type { LinkTarget } from '../../../ui/Link.tsx'

export const LANES = ['saves', 'operations', 'failures', 'plugins'] as const
export type Lane = (typeof LANES)[number]

/** Something that happened in a scope, or to a plugin that its installations call. */
export interface ScopeEvent {
  id: string
  lane: Lane
  /** In milliseconds since 1970. */
  at: number
  text: string
  person: string | null
  to: LinkTarget
}

interface Happened {
  scope: Scope
  snapshots: readonly Snapshot[]
  /** Those that failed may be among them. */
  operations: readonly Operation[]
  plugins: readonly Plugin[]
}

/** Everything since a moment, the newest first. A save stands for the operations that it started. */
export function scopeEvents(
  { scope, snapshots, operations, plugins }: Happened,
  since: number,
  t: Translate,
): ScopeEvent[] {
  const distinct = [...new Map(operations.map((one) => [one.operationId, one])).values()]
  const events = [
    ...snapshots
      .filter(({ cause }) => cause === 'SAVE' || cause === 'CREATED')
      .map(({ snapshotVersion, savedAt, savedBy, reason, cause }): ScopeEvent => ({
        id: `save ${snapshotVersion}`,
        lane: 'saves',
        at: Date.parse(savedAt),
        text: joinClauses(t, [
          t(cause === 'SAVE' ? 'configuration.timeline.saved' : 'configuration.cause.CREATED'),
          t('configuration.timeline.snapshot', { version: snapshotVersion }),
          reason,
        ]),
        person: savedBy.name,
        to: paths.configuration(scope, {
          tab: 'history',
          // the first snapshot has none before it
          ...(snapshotVersion > 1 && { from: snapshotVersion - 1, to: snapshotVersion }),
        }),
      })),
    ...distinct
      .filter((operation) => hasFailed(operation) || operation.operationType !== 'CONFIGURE')
      .map((operation): ScopeEvent => ({
        id: operation.operationId,
        lane: hasFailed(operation) ? 'failures' : 'operations',
        at: Date.parse((hasFailed(operation) ? operation.finishedAt : null) ?? operation.createdAt),
        text: joinClauses(t, [
          operationName(operation, t),
          operation.operationType === 'UPGRADE' && versionsText(operation),
          operation.failure?.errorCode,
        ]),
        person: operation.requestedBy.name,
        to: paths.operation(operation.operationId),
      })),
    ...plugins.map(({ pluginId, title, updatedAt }): ScopeEvent => ({
      id: `plugin ${pluginId}`,
      lane: 'plugins',
      at: Date.parse(updatedAt),
      text: t('configuration.timeline.plugin', { plugin: title }),
      person: null,
      to: paths.plugin(pluginId),
    })),
  ]
  return events.filter(({ at }) => at >= since).sort((a, b) => b.at - a.at)
}

const hasFailed = ({ state }: Operation): boolean => state === 'FAILED' || state === 'TAKEN_OVER'

/** Events that are drawn as one mark, in the order of time. */
export interface Mark {
  /** Of its middle, in px. */
  x: number
  events: readonly ScopeEvent[]
}

/** The marks of a lane. Those that would cover each other become one, at the place of the first. */
export function timeMarksOf(events: readonly ScopeEvent[], x: (at: number) => number, apart: number): Mark[] {
  const marks: { x: number; events: ScopeEvent[] }[] = []
  for (const event of events.toSorted((a, b) => a.at - b.at)) {
    const last = marks.at(-1)
    if (last !== undefined && x(event.at) - last.x < apart) last.events.push(event)
    else marks.push({ x: x(event.at), events: [event] })
  }
  return marks
}

/** The page of a mark: that of its event, or the list of its lane at these times. */
export function targetOf({ events }: Mark, scope: Scope): LinkTarget {
  const [first] = events
  const last = events.at(-1)
  if (first === undefined || last === undefined) throw new RangeError('A mark has events')
  if (events.length === 1) return first.to
  const since = new Date(first.at).toISOString()
  // the end is exclusive
  const until = new Date(last.at + 1).toISOString()
  switch (first.lane) {
    case 'saves':
      return paths.configuration(scope, { tab: 'history', since, until })
    case 'operations':
      return paths.operations({ ...scope, operationType: 'INSTALL,UPGRADE,DETACH', since, until })
    case 'failures':
      return paths.operations({ ...scope, state: 'FAILED,TAKEN_OVER', until })
    case 'plugins':
      return paths.plugins()
  }
}
