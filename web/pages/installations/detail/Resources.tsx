import type { InstallationDetail, InstalledResource } from '#contract/console-api/shapes.ts'
import { parseLocator } from '#contract/protocol/locator.ts'
import { useMay } from '../../../api/session.ts'
import { LocatorText } from '../../../ui/Id.tsx'
import { kindIcon } from '../../../forms/property/property-labels.ts'
import { ResourceCards } from '../../../subjects/manifest/ResourceCards.tsx'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { LinkButton } from '../../../ui/Link.tsx'
import { Time } from '../../../ui/Time.tsx'
import { ResourceProperties } from './ResourceProperties.tsx'
import { compareText } from '../../../i18n/compare-text.ts'

/** The ledger: each installed resource, its version, when it was verified, and its values. */
export function Resources({ detail }: { detail: InstallationDetail }) {
  const t = useText()
  if (detail.resources.length === 0) {
    const why = { NOT_INSTALLED: 'notInstalled', ACTIVE: 'active', DETACHED: 'detached' } as const
    return (
      <Card padded={false}>
        <EmptyState
          icon="installations"
          title={t('installations.resources.none')}
          message={t(`installations.resources.none.${why[detail.state]}`)}
        />
      </Card>
    )
  }
  const writers = writersOf(detail)
  return (
    <ResourceCards
      heading="h2"
      height="min-h-[calc(5.25rem+var(--rows)*2.0625rem)] max-sm:min-h-[calc(7.75rem+var(--rows)*3.25rem)]"
      resources={detail.resources.toSorted(byKind).map((resource) => ({
        ...resource,
        others: () => Object.values(resource.properties).map(valueText),
        card: () => (
          <ResourceCard resource={resource} writers={writers.get(resource.locator)} detail={detail} />
        ),
      }))}
    />
  )
}

function ResourceCard({
  resource,
  writers,
  detail,
}: {
  resource: InstalledResource
  writers: ReadonlyMap<string, string> | undefined
  detail: InstallationDetail
}) {
  const t = useText()
  const rich = useRichText()
  const kind = kindOf(resource.locator)
  const mayConfigure = useMay('configuration:write', detail.installation)
  return (
    <section aria-label={resource.title} className="rounded-lg border border-line bg-surface">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2.5">
        <div className="min-w-0 flex-1 basis-72">
          <h2 className="flex items-center gap-2 text-md font-semibold">
            <Icon name={kindIcon[kind]} className="text-muted" />
            <span className="min-w-0 wrap-anywhere">{resource.title}</span>
            <span className="text-xs font-normal text-faint">{t(`vocabulary.kind.${kind}`)}</span>
          </h2>
          <div className="pl-6 text-xs">
            <LocatorText locator={resource.locator} />
          </div>
        </div>
        <div className="text-xs text-muted max-sm:flex-1 max-sm:pl-6 sm:text-right">
          <div>{t('installations.resource.version', { version: resource.version })}</div>
          <div>{rich('installations.resource.verified', { at: <Time at={resource.verifiedAt} /> })}</div>
        </div>
        {detail.state === 'ACTIVE' && (
          <LinkButton
            size="sm"
            icon={mayConfigure ? 'edit' : 'scopes'}
            to={paths.configuration(detail.installation, { resource: resource.locator })}
          >
            {t(mayConfigure ? 'installations.configure' : 'installations.configuration')}
          </LinkButton>
        )}
      </header>
      <div className="px-4 py-3">
        <ResourceProperties resource={resource} writers={writers} />
      </div>
    </section>
  )
}

const KIND_ORDER = { MODULE: 0, GATEWAY: 1, AGENT: 2, TIMER: 3 }

const kindOf = (locator: string) => parseLocator(locator)?.kind ?? 'MODULE'

/** Modules first, as the main part of a bundle; then in the order of the configuration editor. */
const byKind = (one: InstalledResource, other: InstalledResource): number =>
  KIND_ORDER[kindOf(one.locator)] - KIND_ORDER[kindOf(other.locator)] || compareText(one.title, other.title)

/** The plugin that writes each property, by locator and property. */
function writersOf({ plugins }: InstallationDetail): Map<string, Map<string, string>> {
  const writers = new Map<string, Map<string, string>>()
  for (const { pluginId, authorizations } of plugins)
    for (const { resource, writeProperties } of authorizations) {
      const of = writers.get(resource) ?? new Map<string, string>()
      for (const property of writeProperties) of.set(property, pluginId)
      writers.set(resource, of)
    }
  return writers
}

/** A value as text to search in; empty for a sensitive one, which is not shown. */
function valueText(view: InstalledResource['properties'][string]): string {
  if ('isSensitive' in view) return ''
  if ('serviceId' in view) return view.serviceId
  const value = 'value' in view ? view.value : 'valueMap' in view ? view.valueMap : view.valueList
  return typeof value === 'string' ? value : JSON.stringify(value)
}
