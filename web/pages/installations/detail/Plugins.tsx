import type { InstallationDetail } from '#contract/console-api/shapes.ts'
import { PropertyRightsList } from '../../../subjects/manifest/PropertyRights.tsx'
import { useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { TextLink } from '../../../ui/Link.tsx'

type Plugin = InstallationDetail['plugins'][number]

/** The plugins that are called in operations of the installation, and what each may read, write and resolve. */
export function Plugins({ plugins }: { plugins: readonly Plugin[] }) {
  const t = useText()
  const words = {
    reads: t('installations.plugins.reads'),
    writes: t('installations.plugins.writes'),
    resolves: t('installations.plugins.resolves'),
    nothing: t('installations.plugins.none.cell'),
  }
  if (plugins.length === 0) {
    return (
      <Card padded={false}>
        <EmptyState
          icon="plugins"
          title={t('installations.plugins.none')}
          message={t('installations.plugins.none.message')}
        />
      </Card>
    )
  }
  return (
    <>
      <p className="mb-3 max-w-[80ch] text-muted">{t('installations.plugins.about')}</p>
      <div className="space-y-4">
        {plugins
          .toSorted((a, b) => a.order - b.order)
          .map((plugin) => (
            <section
              key={plugin.pluginId}
              aria-label={plugin.pluginId}
              className="rounded-lg border border-line bg-surface"
            >
              <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2.5">
                <h2 className="flex min-w-0 items-center gap-2">
                  <Icon name="plugins" className="text-muted" />
                  <TextLink to={paths.plugin(plugin.pluginId)} className="mono wrap-anywhere">
                    {plugin.pluginId}
                  </TextLink>
                </h2>
                <span className="text-xs text-faint">
                  {t('installations.plugins.order', { order: String(plugin.order) })}
                </span>
              </header>
              {plugin.authorizations.length === 0 ? (
                <p className="px-4 py-3 text-muted">{t('installations.plugins.nothing')}</p>
              ) : (
                <ul className="divide-y divide-line">
                  <PropertyRightsList
                    words={words}
                    modules={plugin.authorizations.map((rights) => ({ locator: rights.resource, rights }))}
                  />
                </ul>
              )}
            </section>
          ))}
      </div>
    </>
  )
}
