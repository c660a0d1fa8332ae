import type { ReactNode } from 'react'
import { joinList } from '../../i18n/punctuation.ts'
import { useText, type PlainTextKey } from '../../i18n/use-text.ts'
import { Badge } from '../../ui/Badge.tsx'
import { useFirstItems } from '../../ui/FirstItems.tsx'
import { Icon } from '../../ui/Icon.tsx'
import type { Tone } from '../../ui/tone.ts'
import { LocatorText } from '../../ui/Id.tsx'
import { kindIcon, propertyTitle } from '../../forms/property/property-labels.ts'
import { isSameManifest } from './compare-manifests.ts'
import type {
  ChangeKind,
  ManifestDifferences as Comparison,
  PluginDifference,
  PropertyDifference,
  ResourceDifference,
  RightDifference,
} from './compare-manifests.ts'
import { DefinitionChange } from './DefinitionChange.tsx'

/** The changes from one manifest to another, by resource and plugin. */
export function ManifestComparison({ comparison }: { comparison: Comparison }) {
  const t = useText()
  const resources = useFirstItems(comparison.resources, SHOWN)
  if (isSameManifest(comparison)) return <p className="text-muted">{t('catalog.compare.same')}</p>
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
      {resources.shown.map((difference) => (
        <ResourceChange key={difference.locator} difference={difference} />
      ))}
      {resources.more !== null && <li className="px-4">{resources.more}</li>}
      {comparison.plugins.map((difference) => (
        <PluginChange key={difference.pluginId} difference={difference} />
      ))}
    </ul>
  )
}

/** Resources, and properties of each. */
const SHOWN = 100

const LOOK: Record<ChangeKind, { tone: Tone; icon: 'plus' | 'minus' | 'edit'; word: PlainTextKey }> = {
  added: { tone: 'ok', icon: 'plus', word: 'catalog.change.added' },
  removed: { tone: 'fail', icon: 'minus', word: 'catalog.change.removed' },
  changed: { tone: 'quiet', icon: 'edit', word: 'catalog.change.changed' },
}

function ChangeBadge({ change }: { change: ChangeKind }) {
  const t = useText()
  const { tone, icon, word } = LOOK[change]
  return (
    <Badge tone={tone} icon={icon}>
      {t(word)}
    </Badge>
  )
}

function ResourceChange({ difference }: { difference: ResourceDifference }) {
  const { locator, kind, title, change, properties } = difference
  const { shown, more } = useFirstItems(properties, SHOWN)
  return (
    <li className="px-4 py-3">
      <Head change={change}>
        <span className="flex items-center gap-2 font-semibold">
          <Icon name={kindIcon[kind]} size={14} className="text-muted" />
          {title}
        </span>
        <span className="text-xs">
          <LocatorText locator={locator} />
        </span>
      </Head>
      {change !== 'removed' && properties.length > 0 && (
        <ul className="mt-2 space-y-2 border-l border-line pl-4">
          {shown.map((property) => (
            <PropertyChange key={property.name} difference={property} />
          ))}
          {more !== null && <li>{more}</li>}
        </ul>
      )}
    </li>
  )
}

function PropertyChange({ difference }: { difference: PropertyDifference }) {
  const t = useText()
  const { name, change, before, after, isNewlyRequired } = difference
  const title = propertyTitle(after ?? before ?? undefined, name)
  return (
    <li>
      <Head change={change}>
        <span className="font-medium">
          {title}
          {title !== name && <span className="mono ml-1.5 font-normal text-faint">{name}</span>}
        </span>
        {isNewlyRequired && (
          <Badge tone="doubt" icon="warning">
            {t('catalog.compare.newlyRequired')}
          </Badge>
        )}
      </Head>
      <DefinitionChange difference={difference} />
    </li>
  )
}

function PluginChange({ difference }: { difference: PluginDifference }) {
  const t = useText()
  const { pluginId, change, order, isConfigurationChanged, rights } = difference
  const isMoved = change === 'changed' && order.before !== order.after
  return (
    <li className="px-4 py-3">
      <Head change={change}>
        <span className="flex items-center gap-2">
          <Icon name="plugins" size={14} className="text-muted" />
          <span className="mono font-semibold">{pluginId}</span>
        </span>
      </Head>
      {change !== 'removed' && (
        <ul className="mt-1 space-y-1 border-l border-line pl-4 text-muted">
          {isMoved && (
            <li>
              {t('catalog.compare.order', { before: String(order.before), after: String(order.after) })}
            </li>
          )}
          {isConfigurationChanged && <li>{t('catalog.compare.configured')}</li>}
          {rights.map((right) => (
            <RightChange key={`${right.locator} ${right.right}`} difference={right} />
          ))}
        </ul>
      )}
    </li>
  )
}

function RightChange({ difference: { locator, right, gained, lost } }: { difference: RightDifference }) {
  const t = useText()
  return (
    <li className="wrap-anywhere">
      <span className="mono text-ink">{locator.split('/').at(-1)}</span>
      {t('common.punctuation.colon')}
      {[
        gained.length > 0 && t(`catalog.compare.gained.${right}`, { names: joinList(t, gained) }),
        lost.length > 0 && t(`catalog.compare.lost.${right}`, { names: joinList(t, lost) }),
      ]
        .filter(Boolean)
        .join(t('common.punctuation.semicolon'))}
    </li>
  )
}

function Head({ change, children }: { change: ChangeKind; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
      <ChangeBadge change={change} />
      {children}
    </div>
  )
}
