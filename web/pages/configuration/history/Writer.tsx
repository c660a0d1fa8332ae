import { useQuery } from '@tanstack/react-query'
import type { Snapshot } from '#contract/console-api/shapes.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { apiQuery } from '../../../api/query.ts'
import { namedManager } from '../../../subjects/people/use-manager-text.ts'
import { sameView } from '../../../forms/property/property-value.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Icon, type IconName } from '../../../ui/Icon.tsx'

type Change = Snapshot['changes'][number]

/**
 * Where a value came from, unless the head of its snapshot says it already: a plugin in a stage, the default of a
 * version, or the person who started the operation that brought it.
 *
 * @param mayRead whether it may read the operation, which knows the stage, and the origin of older values.
 */
export function Writer({
  snapshot,
  change,
  definition,
  mayRead,
}: {
  snapshot: Snapshot
  change: Change | undefined
  definition: PropertyDefinition | undefined
  mayRead: boolean
}) {
  const t = useText()
  const { operationId, savedBy } = snapshot
  const managedBy = change?.managedBy
  const named = managedBy === undefined ? null : namedManager(managedBy)
  if (change === undefined) return null
  if (named?.kind === 'default')
    return <Line icon="catalog" text={t('configuration.origin.default', { version: named.name })} />
  if (operationId === null) return null
  if (managedBy === 'person')
    return <Line icon="person" text={t('configuration.origin.person', { person: savedBy.name })} />
  if (!mayRead) return null
  return <OperationWriter snapshot={{ ...snapshot, operationId }} change={change} definition={definition} />
}

/** The same from the operation that brought the value. */
function OperationWriter({
  snapshot: { operationId, savedBy },
  change: { locator, property, after },
  definition,
}: {
  snapshot: Snapshot & { operationId: string }
  change: Change
  definition: PropertyDefinition | undefined
}) {
  const t = useText()
  const { data } = useQuery(apiQuery('GET /operations/{operationId}', { params: { operationId } }))
  if (data === undefined) return null
  const call = data.stages
    .flatMap(({ stage, calls }) => calls.map((one) => ({ stage, ...one })))
    .find(({ writes }) => writes.some((one) => one.locator === locator && one.property === property))
  if (call !== undefined) {
    const stage = t(`vocabulary.phase.${call.stage}`)
    return <Line icon="plugins" text={t('configuration.origin.plugin', { plugin: call.pluginId, stage })} />
  }
  const isDefault =
    definition?.default !== undefined && sameView(after, { '@type': 'Data', value: definition.default })
  return isDefault ? (
    <Line icon="catalog" text={t('configuration.origin.default', { version: data.targetVersion })} />
  ) : (
    <Line icon="person" text={t('configuration.origin.person', { person: savedBy.name })} />
  )
}

function Line({ icon, text }: { icon: IconName; text: string }) {
  return (
    <p className="mt-0.5 flex items-center gap-1.5 text-xs text-muted">
      <Icon name={icon} size={12} />
      {text}
    </p>
  )
}
