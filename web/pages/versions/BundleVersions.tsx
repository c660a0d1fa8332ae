import { useId } from 'react'
import type { InstalledVersions } from '#contract/console-api/shapes.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { formatNumber } from '../../i18n/format.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/class-names.ts'
import { Icon } from '../../ui/Icon.tsx'
import type { IntentListeners } from '../../base/lazy-part.ts'
import { PlainLink } from '../../ui/Link.tsx'
import { toneText } from '../../ui/tone.ts'
import type { Outdated } from './use-upgrade-targets.ts'

export interface UpgradeStart {
  /** What is being loaded. */
  loading: Outdated | null
  start: (outdated: Outdated) => void
  onIntent: IntentListeners
}

/** One bundle: what holds for all of its installations, and its versions, the newest first. */
export function BundleVersions({
  item,
  scope,
  upgrade,
}: {
  item: InstalledVersions
  /** The scope filter of the page. */
  scope: Partial<Scope>
  /** False for people who may not upgrade. */
  upgrade: UpgradeStart | false
}) {
  const t = useText()
  const id = useId()
  const { bundle, title, newest, outdated, versions } = item
  const filter = { ...scope, bundleEnvironmentKey: bundle.environmentKey, bundleId: bundle.bundleId }
  const isNewestInstalled = versions.some(({ version }) => version === newest.version)
  const outdatedVersions = versions.filter(({ isOutdated }) => isOutdated)
  const propsOf = (of: Outdated) => ({
    ...(upgrade && {
      ...upgrade.onIntent,
      busy: upgrade.loading?.bundle === bundle && upgrade.loading.version === of.version,
      onClick: () => upgrade.start(of),
    }),
    size: 'sm' as const,
    icon: 'sortUp' as const,
  })
  return (
    <section
      aria-labelledby={id}
      className="grid gap-x-6 gap-y-3 px-4 py-3 @3xl:grid-cols-[minmax(12rem,17rem)_minmax(0,1fr)]"
    >
      <div className="min-w-0">
        <h2 id={id} className="font-semibold wrap-anywhere">
          <PlainLink
            to={paths.installations({ ...filter, state: 'ACTIVE' })}
            className="target rounded-sm hover:underline"
          >
            {title}
          </PlainLink>{' '}
          <span className="mono ml-1 text-xs font-normal text-faint">
            {bundle.environmentKey}/{bundle.bundleId}
          </span>
        </h2>
        <Standing item={item} />
        {upgrade && outdatedVersions.length > 1 && (
          <Button {...propsOf({ bundle })} className="mt-2">
            {t('versions.upgradeAll', { n: outdated })}
            <span className="sr-only"> {title}</span>
          </Button>
        )}
      </div>
      <ul className="flex flex-wrap gap-2">
        {!isNewestInstalled && (
          <li className="flex min-w-30 flex-col rounded-md border border-dashed border-line-strong px-3 py-2 text-muted">
            <span className="flex items-center gap-2">
              <span className="mono wrap-anywhere">{newest.version}</span>
              <Badge>{t('versions.newest')}</Badge>
            </span>
            <span className="text-xs text-faint">{t('versions.newest.none')}</span>
          </li>
        )}
        {versions.map(({ version, installations, isOutdated }) => (
          <li
            key={version}
            className={cx(
              'flex min-w-30 flex-col gap-1 rounded-md border px-3 py-2',
              isOutdated ? 'border-doubt-line' : 'border-line-strong',
            )}
          >
            <PlainLink
              to={paths.installations({ ...filter, version, state: 'ACTIVE' })}
              className="target flex items-baseline justify-between gap-4 rounded-sm hover:underline"
            >
              <span className="sr-only">
                {t('versions.cell', { bundle: title, version, n: installations })}
              </span>
              <span aria-hidden="true" className="mono wrap-anywhere">
                {version}
              </span>
              <span aria-hidden="true" className="text-md font-semibold tabular-nums">
                {formatNumber(installations)}
              </span>
            </PlainLink>
            <Share part={installations} of={item.installations} isOutdated={isOutdated} />
            {isOutdated
              ? upgrade && (
                  <Button {...propsOf({ bundle, version })} className="mt-1 self-start">
                    {t('versions.upgrade')}
                    <span className="sr-only">
                      {' '}
                      {title} {version}
                    </span>
                  </Button>
                )
              : version === newest.version && (
                  <span className="flex h-5.5 items-center text-xs text-muted">{t('versions.newest')}</span>
                )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Whether all installations have the same version, and how many are outdated. */
function Standing({ item: { installations, outdated, versions } }: { item: InstalledVersions }) {
  const t = useText()
  const [only] = versions
  const isOne = versions.length === 1 && only !== undefined
  return (
    <p className="mt-0.5 flex flex-col gap-0.5">
      {isOne && (
        <span className="flex items-baseline gap-1.5">
          <Icon
            name="check"
            size={12}
            className={cx('shrink-0', outdated === 0 ? toneText.ok : 'text-faint')}
          />
          {t('versions.all', { n: installations, version: only.version })}
        </span>
      )}
      {outdated > 0 && (
        <span className="flex items-baseline gap-1.5">
          <Icon name="warning" size={12} className={cx('shrink-0', toneText.doubt)} />
          {t('versions.outdated', { n: outdated, total: formatNumber(installations) })}
        </span>
      )}
      {!isOne && outdated === 0 && (
        <span className="text-muted">{t('versions.mixed', { n: versions.length })}</span>
      )}
    </p>
  )
}

function Share({ part, of, isOutdated }: { part: number; of: number; isOutdated: boolean }) {
  return (
    <span aria-hidden="true" className="block h-1 overflow-hidden rounded-full bg-selected">
      <span
        className={cx('block h-full', isOutdated ? 'bg-doubt' : 'bg-ok')}
        style={{ width: `${Math.max(4, (100 * part) / of)}%` }}
      />
    </span>
  )
}
