import type { InstallationDetail } from '#contract/console-api/shapes.ts'
import { LocatorText } from '../../../components/LocatorText.tsx'
import { useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../paths.ts'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Icon } from '../../../ui/icons/Icon.tsx'
import { TextLink } from '../../../ui/Link.tsx'

type Plugin = InstallationDetail['plugins'][number]
type Authorization = Plugin['authorizations'][number]

/** Who is called in the operations of the installation, and what each may read, write and resolve. */
export function Plugins({ plugins }: { plugins: readonly Plugin[] }) {
  const t = useText()
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
                  {plugin.authorizations.map((authorization) => (
                    <Allowed key={authorization.resource} authorization={authorization} />
                  ))}
                </ul>
              )}
            </section>
          ))}
      </div>
    </>
  )
}

function Allowed({ authorization }: { authorization: Authorization }) {
  const { resource, readProperties, writeProperties, credentialProperties } = authorization
  return (
    <li className="px-4 py-3">
      <LocatorText locator={resource} />
      <dl className="mt-2 grid gap-x-6 gap-y-2 sm:grid-cols-3">
        <Names verb="reads" names={readProperties} />
        <Names verb="writes" names={writeProperties} />
        <Names verb="resolves" names={credentialProperties} />
      </dl>
    </li>
  )
}

function Names({ verb, names }: { verb: 'reads' | 'writes' | 'resolves'; names: readonly string[] }) {
  const t = useText()
  return (
    <div className="min-w-0">
      <dt className="mb-1 text-xs text-faint">{t(`installations.plugins.${verb}`)}</dt>
      <dd className="flex flex-wrap gap-1">
        {names.length === 0 && <span className="text-faint">{t('installations.plugins.none.cell')}</span>}
        {names.map((name) => (
          <span key={name} className="mono rounded-sm bg-sunken px-1.5 py-0.5 wrap-anywhere">
            {name}
          </span>
        ))}
      </dd>
    </div>
  )
}
