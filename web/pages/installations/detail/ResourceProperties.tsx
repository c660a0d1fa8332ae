import type { InstalledResource } from '#contract/console-api/shapes.ts'
import { groupProperties, propertyTitle } from '../../../forms/property/property-labels.ts'
import { StructuredValue } from '../../../forms/property/StructuredValue.tsx'
import { PropertyName } from '../../../subjects/manifest/PropertyName.tsx'
import { PluginLink } from '../../../subjects/plugins/PluginLink.tsx'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { Icon } from '../../../ui/Icon.tsx'

/** Every property that the version defines, as last applied, in the groups of the manifest. */
export function ResourceProperties({
  resource,
  writers,
}: {
  resource: InstalledResource
  writers: ReadonlyMap<string, string> | undefined
}) {
  const t = useText()
  const groups = groupProperties(resource.definitions)
  if (groups.length === 0) return <p className="text-muted">{t('installations.resource.noProperties')}</p>
  return (
    <div className="space-y-4">
      {groups.map(({ group, properties }) => (
        <div key={group ?? ''}>
          {group !== null && <h3 className="mb-1 text-xs font-medium text-faint">{group}</h3>}
          <dl className="divide-y divide-line">
            {properties.map(({ name, definition }) => (
              <div
                key={name}
                className="grid gap-x-6 py-1.5 sm:grid-cols-[minmax(10rem,18rem)_minmax(0,1fr)]"
              >
                <dt className="min-w-0">
                  <PropertyName name={name} title={propertyTitle(definition, name)} />
                  <Writer pluginId={writers?.get(name)} />
                </dt>
                <dd className="min-w-0 wrap-anywhere">
                  <StructuredValue value={resource.properties[name] ?? null} definition={definition} />
                </dd>
              </div>
            ))}
          </dl>
        </div>
      ))}
    </div>
  )
}

function Writer({ pluginId }: { pluginId: string | undefined }) {
  const rich = useRichText()
  if (pluginId === undefined) return null
  return (
    <span className="flex items-center gap-1 text-xs text-faint">
      <Icon name="plugins" size={12} />
      <span>
        {rich('installations.property.writtenBy', {
          plugin: <PluginLink pluginId={pluginId} className="hover:text-ink" />,
        })}
      </span>
    </span>
  )
}
