import { locatorIn, type Manifest } from '../../subjects/manifest/writers.ts'
import { PropertyRightsList } from '../../subjects/manifest/PropertyRights.tsx'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { Icon } from '../../ui/Icon.tsx'
import { TextLink } from '../../ui/Link.tsx'
import { ValueView } from '../../ui/values/ValueView.tsx'

/** The plugins that take part in operations of the version, and what each requests on which Module. */
export function ManifestPlugins({ manifest }: { manifest: Manifest }) {
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
