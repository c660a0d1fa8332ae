import type { InstalledVersions } from '#contract/console-api/shapes.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { formatNumber } from '../../i18n/format.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import type { IntentListeners } from '../../base/lazy-part.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/class-names.ts'
import { Icon } from '../../ui/Icon.tsx'
import { PlainLink } from '../../ui/Link.tsx'
import { toneText } from '../../ui/tone.ts'
import { shadeOf } from './distance.ts'
import type { Outdated } from './use-upgrade-targets.ts'

export interface UpgradeStart {
  /** What is being loaded. */
  loading: Outdated | null
  start: (outdated: Outdated) => void
  onIntent: IntentListeners
}

/** Installs a bundle where it is not installed. */
export interface InstallStart {
  start: (item: InstalledVersions) => void
  onIntent: IntentListeners
}

const SHOWN = 4
/** The counts stand below each other: beside the others is a button. */
const UNDER_COUNTS = 'mr-6'

/** The installations of one bundle in all scopes: how many have which version, the newest first. */
export function BundleSummary({
  item,
  scope,
  upgrade,
  install,
  missing,
}: {
  item: InstalledVersions
  /** The scope filter of the page. */
  scope: Partial<Scope>
  /** False for people who may not upgrade. */
  upgrade: UpgradeStart | false
  install: InstallStart | false
  /** The number of scopes on this page that do not have the bundle. */
  missing: number
}) {
  const t = useText()
  const { bundle, title, newest, outdated, versions } = item
  const filter = { ...scope, bundleEnvironmentKey: bundle.environmentKey, bundleId: bundle.bundleId }
  // of a single outdated version, the button below does the same and says so
  const hasOwnButtons = upgrade && versions.filter(({ isOutdated }) => isOutdated).length > 1
  // a version that is left out is outdated, like all that follow the newest
  const shown = versions.length <= SHOWN ? versions : versions.slice(0, SHOWN - 1)
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
    <div className="flex h-full flex-col gap-1.5">
      <Standing item={item} />
      <ul className="-mx-1">
        {!versions.some(({ version }) => version === newest.version) && (
          <li className="flex min-h-6.5 items-center gap-1.5 px-1 text-faint">
            <span className="size-2.5 shrink-0 rounded-sm border border-dashed border-control" />
            <span className="mono min-w-0 flex-1 wrap-anywhere">{newest.version}</span>
            {/* words would break the line of a narrow column */}
            <span className="sr-only">{t('versions.newest.none')}</span>
            <span aria-hidden="true" className={cx('tabular-nums', hasOwnButtons && UNDER_COUNTS)}>
              0
            </span>
          </li>
        )}
        {shown.map(({ version, installations, isOutdated, behind }) => (
          <li key={version} className="flex min-h-6.5 items-center">
            <PlainLink
              to={paths.installations({ ...filter, version, state: 'ACTIVE' })}
              className="flex min-h-6 min-w-0 flex-1 items-center gap-1.5 rounded-sm px-1 hover:bg-hover"
            >
              <span className="sr-only">
                {t('versions.cell', { bundle: title, version, n: installations })}
              </span>
              <span
                aria-hidden="true"
                className={cx('size-2.5 shrink-0 rounded-sm border border-line-strong', shadeOf(behind))}
              />
              <span aria-hidden="true" className="mono min-w-0 flex-1 wrap-anywhere">
                {version}
              </span>
              <span
                aria-hidden="true"
                className={cx('font-semibold tabular-nums', hasOwnButtons && !isOutdated && UNDER_COUNTS)}
              >
                {formatNumber(installations)}
              </span>
            </PlainLink>
            {isOutdated && hasOwnButtons && (
              <Button {...propsOf({ bundle, version })} variant="quiet" className="w-6 px-0">
                <span className="sr-only">
                  {t('versions.upgrade')} {title} {version}
                </span>
              </Button>
            )}
          </li>
        ))}
        {versions.length > shown.length && (
          <li className="px-1">
            <PlainLink
              to={paths.installations({ ...filter, upgrade: 'available', sort: '-version' })}
              className="target rounded-sm text-xs text-muted hover:underline"
              aria-label={t('versions.more.of', {
                more: t('versions.more', { n: versions.length - shown.length }),
                bundle: title,
              })}
            >
              {t('versions.more', { n: versions.length - shown.length })}
            </PlainLink>
          </li>
        )}
      </ul>
      {/* the buttons of all bundles stand in two lines */}
      <div className="mt-auto flex min-h-14.5 flex-col items-start gap-1.5">
        {upgrade && outdated > 0 && (
          <Button {...propsOf({ bundle })}>
            <span aria-hidden="true">{t('versions.upgradeCount', { n: outdated })}</span>
            <span className="sr-only">
              {t('versions.upgradeAll', { n: outdated })} {title}
            </span>
          </Button>
        )}
        {install && missing > 0 && (
          <Button
            size="sm"
            variant="quiet"
            icon="plus"
            {...install.onIntent}
            className="mt-auto -ml-1.5"
            onClick={() => install.start(item)}
          >
            <span aria-hidden="true">{t('versions.installIn', { n: missing })}</span>
            <span className="sr-only">{t('versions.installIn.bundle', { n: missing, bundle: title })}</span>
          </Button>
        )}
      </div>
    </div>
  )
}

/** Whether all installations have the same version, and how many are outdated. */
function Standing({ item: { installations, outdated, versions } }: { item: InstalledVersions }) {
  const t = useText()
  const [only] = versions
  const isOne = versions.length === 1 && only !== undefined
  return (
    <p className="flex flex-col text-xs">
      {isOne && (
        <span className="flex gap-1.5">
          {/* a check mark would say that all is well */}
          {outdated === 0 && <Icon name="check" size={12} className={cx('mt-0.5 shrink-0', toneText.ok)} />}
          {t('versions.all', { n: installations, version: only.version })}
        </span>
      )}
      {outdated > 0 && (
        <span className="flex gap-1.5">
          <Icon name="warning" size={12} className={cx('mt-0.5 shrink-0', toneText.doubt)} />
          {t('versions.outdated', { n: outdated, total: formatNumber(installations) })}
        </span>
      )}
      {!isOne && outdated === 0 && <span className="text-muted">{t('versions.mixed')}</span>}
    </p>
  )
}
