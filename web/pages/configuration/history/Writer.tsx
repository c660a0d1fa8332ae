import { useQuery } from '@tanstack/react-query'
import type { PropertyView, Snapshot } from '#contract/console-api/shapes.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { apiQuery } from '../../../api/query.ts'
import { sameView } from '../../../forms/property/property-value.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Icon } from '../../../ui/icons/Icon.tsx'

/** Who wrote a value that an operation brought: a plugin in a stage, the default of a version, or the person. */
export function Writer({
  snapshot,
  locator,
  property,
  value,
  definition,
}: {
  snapshot: Snapshot & { operationId: string }
  locator: string
  property: string
  value: PropertyView | null
  definition: PropertyDefinition | undefined
}) {
  const t = useText()
  const { operationId, savedBy } = snapshot
  const { data } = useQuery(apiQuery('GET /operations/{operationId}', { params: { operationId } }))
  if (data === undefined) return null
  const call = data.stages
    .flatMap(({ stage, calls }) => calls.map((one) => ({ stage, ...one })))
    .find(({ writes }) => writes.some((one) => one.locator === locator && one.property === property))
  const isDefault =
    definition?.default !== undefined && sameView(value, { '@type': 'Data', value: definition.default })
  return (
    <p className="mt-0.5 flex items-center gap-1.5 text-xs text-muted">
      <Icon name={call === undefined ? 'person' : 'plugins'} size={12} />
      {call !== undefined
        ? t('configuration.origin.plugin', {
            plugin: call.pluginId,
            stage: t(`vocabulary.phase.${call.stage}`),
          })
        : isDefault
          ? t('configuration.origin.default', { version: data.targetVersion })
          : t('configuration.origin.person', { person: savedBy.name })}
    </p>
  )
}
