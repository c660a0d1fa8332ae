import { useMemo } from 'react'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { describeDefinition } from '../../subjects/manifest/describe-definition.ts'
import { locatorIn, writersIn, type Manifest, type Resource } from '../../subjects/manifest/writers.ts'
import {
  groupProperties,
  kindIcon,
  propertyHelp,
  propertyTitle,
} from '../../forms/property/property-labels.ts'
import { ResourceCards } from '../../subjects/manifest/ResourceCards.tsx'
import { LocatorText } from '../../ui/Id.tsx'
import { PluginLink } from '../../subjects/plugins/PluginLink.tsx'
import { joinList } from '../../i18n/punctuation.ts'
import { useText } from '../../i18n/use-text.ts'
import { Section } from '../../ui/Card.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ValueView } from '../../ui/value/ValueView.tsx'
import { PropertyRightsList } from '../../subjects/manifest/PropertyRights.tsx'
import { paths } from '../../addresses/paths.ts'
import { TextLink } from '../../ui/Link.tsx'

/**
 * A readable manifest: what is installed, what can be configured, and which plugins take part with which permissions.
 */
export function ManifestTab({ manifest }: { manifest: Manifest }) {
  const t = useText()
  const writers = useMemo(() => writersIn(manifest), [manifest])
  return (
    <div className="space-y-7">
      {manifest.description !== undefined && manifest.description !== '' && (
        <p className="max-w-[72ch] text-md whitespace-pre-line">{manifest.description}</p>
      )}
      <Section title={t('catalog.version.resources')} flush>
        {manifest.resources.length === 0 && (
          <p className="text-muted">{t('catalog.version.resources.none')}</p>
        )}
        <ResourceCards
          heading="h3"
          height="min-h-[calc(5.25rem+var(--rows)*3.25rem)] max-sm:min-h-[calc(6.625rem+var(--rows)*4.625rem)]"
          resources={manifest.resources.map((resource) => {
            const locator = locatorIn(manifest, resource)
            const { title, properties, moduleId = '', events = [] } = resource
            return {
              locator,
              title,
              definitions: properties,
              others: () => [moduleId, ...events.map(({ method }) => method)],
              card: () => (
                <ResourceCard locator={locator} resource={resource} writers={writers.get(locator)} />
              ),
            }
          })}
        />
      </Section>
      <Section title={t('catalog.version.plugins')} flush>
        <ManifestPlugins manifest={manifest} />
      </Section>
    </div>
  )
}

function ResourceCard({
  locator,
  resource,
  writers,
}: {
  locator: string
  resource: Resource
  writers: ReadonlyMap<string, string> | undefined
}) {
  const t = useText()
  const { kind, title, moduleId, events = [], properties } = resource
  const groups = groupProperties(properties)
  return (
    <section aria-label={title} className="rounded-lg border border-line bg-surface">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2.5">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="flex items-center gap-2 text-md font-semibold">
            <Icon name={kindIcon[kind]} className="text-muted" />
            <span className="min-w-0 wrap-anywhere">{title}</span>
            <span className="text-xs font-normal text-faint">{t(`vocabulary.kind.${kind}`)}</span>
          </h3>
          <div className="pl-6 text-xs">
            <LocatorText locator={locator} />
          </div>
        </div>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-xs max-sm:pl-6">
          {moduleId !== undefined && (
            <>
              <dt className="text-faint">{t('catalog.version.module')}</dt>
              <dd className="mono wrap-anywhere">{moduleId}</dd>
            </>
          )}
          {events.length > 0 && (
            <>
              <dt className="text-faint">{t('catalog.version.events')}</dt>
              <dd className="mono wrap-anywhere">
                {joinList(
                  t,
                  events.map(({ method }) => method),
                )}
              </dd>
            </>
          )}
        </dl>
      </header>
      <div className="space-y-4 px-4 py-3">
        {groups.length === 0 && <p className="text-muted">{t('catalog.version.noProperties')}</p>}
        {groups.map(({ group, properties }) => (
          <div key={group ?? ''}>
            {group !== null && <h4 className="mb-1 text-xs font-medium text-faint">{group}</h4>}
            <ul className="divide-y divide-line">
              {properties.map(({ name, definition }) => (
                <PropertyRow key={name} name={name} definition={definition} writer={writers?.get(name)} />
              ))}
            </ul>
          </div>
        ))}
      </div>
    </section>
  )
}

function PropertyRow({
  name,
  definition,
  writer,
}: {
  name: string
  definition: PropertyDefinition
  writer: string | undefined
}) {
  const t = useText()
  const title = propertyTitle(definition, name)
  const help = propertyHelp(definition)
  const marks = [
    definition.required === true && t('catalog.type.required'),
    definition.isSensitive === true && t('catalog.type.sensitive'),
  ].filter(Boolean)
  return (
    <li className="grid gap-x-6 gap-y-0.5 py-2 sm:grid-cols-[minmax(10rem,18rem)_minmax(0,1fr)]">
      <div className="min-w-0 wrap-anywhere">
        <span className="font-medium">{title}</span>
        {title !== name && <span className="mono ml-1.5 text-faint">{name}</span>}
        {marks.length > 0 && <span className="block text-xs text-muted">{marks.join(' · ')}</span>}
      </div>
      <div className="min-w-0">
        <p className="wrap-anywhere">{describeDefinition(definition, t)}</p>
        {help !== '' && <p className="max-w-[80ch] text-xs text-muted wrap-anywhere">{help}</p>}
        {definition.default !== undefined && (
          <p className="flex flex-wrap gap-x-1.5 text-xs text-muted">
            <span>{t('catalog.table.default')}</span>
            <span className="min-w-0 text-ink">
              <ValueView value={definition.default} />
            </span>
          </p>
        )}
        {(writer !== undefined || name === INSTANCE_REF_PROPERTY) && (
          <p className="flex flex-wrap items-center gap-1 text-xs text-muted">
            <Icon name={writer === undefined ? 'lock' : 'plugins'} size={12} />
            {t('catalog.table.written')}{' '}
            {writer === undefined ? (
              t('catalog.writtenBy.runtime')
            ) : (
              <PluginLink pluginId={writer} className="min-w-0 wrap-anywhere hover:text-ink" />
            )}
          </p>
        )}
      </div>
    </li>
  )
}

/** The plugins that take part in operations of the version, and what each requests on which Module. */
function ManifestPlugins({ manifest }: { manifest: Manifest }) {
  const t = useText()
  const words = {
    reads: t('catalog.plugin.reads'),
    writes: t('catalog.plugin.writes'),
    resolves: t('catalog.plugin.resolves'),
    nothing: t('catalog.plugin.nothing'),
  }
  const locatorOf = (moduleId: string) => {
    const module = manifest.resources.find((resource) => resource.moduleId === moduleId)
    return module ? locatorIn(manifest, module) : moduleId
  }
  if (manifest.plugins.length === 0) return <p className="text-muted">{t('catalog.version.plugins.none')}</p>
  return (
    <div className="space-y-4">
      {manifest.plugins
        .toSorted((a, b) => a.order - b.order)
        .map(({ pluginId, order, configuration, resources }) => (
          <section key={pluginId} aria-label={pluginId} className="rounded-lg border border-line bg-surface">
            <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2.5">
              <Icon name="plugins" className="text-muted" />
              <TextLink to={paths.plugin(pluginId)} className="mono wrap-anywhere">
                {pluginId}
              </TextLink>
              <span className="text-xs text-faint">
                {t('catalog.plugin.order', { order: String(order) })} · {t('catalog.plugin.policy')}
              </span>
            </header>
            <ul className="divide-y divide-line">
              <PropertyRightsList
                words={words}
                modules={resources.map((rights) => ({ locator: locatorOf(rights.object.moduleId), rights }))}
              />
              {Object.keys(configuration.values).length > 0 && (
                <li className="px-4 py-3">
                  <p className="mb-1 text-xs text-faint">
                    {t('catalog.plugin.configuration', { version: configuration.schemaVersion })}
                  </p>
                  <ValueView value={configuration.values} />
                </li>
              )}
            </ul>
          </section>
        ))}
    </div>
  )
}
