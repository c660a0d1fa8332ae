import type { EnvironmentMark } from '#contract/console-api/rows.ts'
import type { InstalledVersions, ScopeVersions } from '#contract/console-api/shapes.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { paths } from '../../addresses/paths.ts'
import type { IntentListeners } from '../../base/lazy-part.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import type { BatchTarget } from '../../subjects/batch/dialog/BatchDialog.tsx'
import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { cx } from '../../ui/class-names.ts'
import { EnvironmentContext, EnvironmentWord } from '../../ui/EnvironmentMark.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PlainLink } from '../../ui/Link.tsx'
import { claimLook } from '../../ui/states.ts'
import { toneText } from '../../ui/tone.ts'
import { BundleSummary, type InstallStart, type UpgradeStart } from './BundleSummary.tsx'
import { distanceText, SHADES, shadeOf } from './distance.ts'

type Installed = ScopeVersions['installations'][number]

/** Upgrades one installation. */
export interface CellUpgrade {
  start: (target: BatchTarget) => void
  onIntent: IntentListeners
}

/** The scopes that do not have a bundle. */
export const scopesWithout = (
  scopes: readonly ScopeVersions[],
  bundle: InstalledVersions['bundle'],
): ScopeVersions[] =>
  scopes.filter(({ installations }) => installations.every((one) => keyOf(one.bundle) !== keyOf(bundle)))

const keyOf = ({ environmentKey, bundleId }: InstalledVersions['bundle']) => `${environmentKey}/${bundleId}`

/**
 * Bundles by scope. It scrolls in its own box, because a header can only stay in view within what scrolls: the row of the
 * bundles at the top, the column of the scopes at the left.
 */
export function VersionMatrix({
  bundles,
  scopes,
  filter,
  upgrade,
  upgradeOne,
  install,
  isStale,
}: {
  bundles: readonly InstalledVersions[]
  scopes: readonly ScopeVersions[]
  /** The scope filter of the page. */
  filter: Partial<Scope>
  upgrade: UpgradeStart | false
  upgradeOne: CellUpgrade | false
  install: InstallStart | false
  isStale: boolean
}) {
  const t = useText()
  const { environmentMarks } = useShell()
  const environments = Map.groupBy(scopes, ({ environmentKey }) => environmentKey)
  return (
    <div
      className={cx(
        'relative fade-end overflow-auto overscroll-x-contain rounded-t-lg [@media(min-height:36rem)]:max-h-[calc(100dvh-7rem)]',
        isStale && 'opacity-55',
      )}
    >
      <table
        aria-label={t('versions.list')}
        aria-busy={isStale || undefined}
        className="w-full table-fixed border-separate border-spacing-0"
        // columns of the same width, as wide as the window allows
        style={{ minWidth: `${11 + bundles.length * 8.25}rem` }}
      >
        <thead>
          <tr>
            <th scope="col" className={cx(HEAD, SCOPE, 'top-0 z-20 bg-sunken py-2 align-top')}>
              <span className="text-xs font-medium text-muted">{t('versions.scope')}</span>
            </th>
            {bundles.map(({ bundle, title }) => (
              <th key={keyOf(bundle)} scope="col" className={cx(HEAD, 'top-0 z-10 bg-sunken py-2 align-top')}>
                <PlainLink
                  to={paths.installations({
                    ...filter,
                    bundleEnvironmentKey: bundle.environmentKey,
                    bundleId: bundle.bundleId,
                    state: 'ACTIVE',
                  })}
                  className="target block rounded-sm font-semibold hover:underline"
                >
                  {/* not of the link: its padding would show the top of the line that is cut off */}
                  <span className="line-clamp-3 wrap-anywhere">{title}</span>
                </PlainLink>
                <span className="mono block text-xs font-normal wrap-anywhere text-faint">
                  <span className="inline-block max-w-full">{bundle.environmentKey}/</span>
                  <wbr />
                  <span title={bundle.bundleId} className="inline-block max-w-full">
                    <span className="line-clamp-3">{bundle.bundleId}</span>
                  </span>
                </span>
              </th>
            ))}
          </tr>
          <tr>
            <th
              scope="row"
              className={cx(HEAD, SCOPE, 'z-10 bg-surface py-2.5 align-top text-xs font-medium text-muted')}
            >
              {t('versions.total')}
            </th>
            {bundles.map((item) => (
              <td key={keyOf(item.bundle)} className="h-px border-b border-line px-2.5 py-2.5 align-top">
                <BundleSummary
                  item={item}
                  scope={filter}
                  upgrade={upgrade}
                  install={install}
                  missing={scopesWithout(scopes, item.bundle).length}
                />
              </td>
            ))}
          </tr>
        </thead>
        {[...environments].map(([environmentKey, rows]) => (
          <tbody key={environmentKey}>
            <tr>
              <th
                scope="rowgroup"
                colSpan={bundles.length + 1}
                className="border-b border-line p-0 text-left"
              >
                <span className="sticky left-0 inline-flex max-w-[calc(100vw-3rem)] items-center gap-2 px-3 pt-4 pb-1.5 font-semibold wrap-anywhere sm:pl-4">
                  {environmentKey}
                  <EnvironmentContext value={markOf(environmentMarks, environmentKey)}>
                    <EnvironmentWord />
                  </EnvironmentContext>
                </span>
              </th>
            </tr>
            {rows.map((row) => (
              <ScopeRow key={scopeText(row)} row={row} bundles={bundles} upgrade={upgradeOne} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

const HEAD = 'sticky border-b border-line px-2.5 text-left font-normal'
/** The column of the scopes. */
const SCOPE = 'left-0 w-26 border-r px-3 sm:w-44 sm:pl-4'

const markOf = (marks: readonly EnvironmentMark[], environmentKey: string): EnvironmentMark | null =>
  marks.find((mark) => mark.environmentKey === environmentKey) ?? null

function ScopeRow({
  row,
  bundles,
  upgrade,
}: {
  row: ScopeVersions
  bundles: readonly InstalledVersions[]
  upgrade: CellUpgrade | false
}) {
  const t = useText()
  const installed = new Map(row.installations.map((one) => [keyOf(one.bundle), one]))
  return (
    <tr>
      <th scope="row" className={cx(HEAD, SCOPE, 'bg-surface py-1')}>
        <PlainLink to={paths.configuration(row)} className="target rounded-sm wrap-anywhere hover:underline">
          <span className="sr-only">{row.environmentKey}/</span>
          {row.applicationRuntimeId}
          <span className="segment text-faint">/</span>
          {row.workspaceId}
        </PlainLink>
      </th>
      {bundles.map((item) => {
        const one = installed.get(keyOf(item.bundle))
        return (
          <td key={keyOf(item.bundle)} className="h-px border-b border-line p-0.5">
            {one === undefined ? (
              <span className="block px-2 text-faint">
                <span aria-hidden="true">·</span>
                <span className="sr-only">{t('versions.notInstalled')}</span>
              </span>
            ) : (
              <Cell one={one} item={item} scope={row} upgrade={upgrade} />
            )}
          </td>
        )
      })}
    </tr>
  )
}

const CELL =
  'flex h-full min-h-8 w-full items-center gap-2 rounded-md border border-transparent px-2 py-1 text-left hover:border-control'

/** The version in one scope. A press upgrades an outdated one that nothing locks, and opens any other. */
function Cell({
  one,
  item,
  scope,
  upgrade,
}: {
  one: Installed
  item: InstalledVersions
  scope: Scope
  upgrade: CellUpgrade | false
}) {
  const t = useText()
  const { bundle, bundleInstallId, version, claim } = one
  const behind = item.versions.find((known) => known.version === version)?.behind ?? 0
  const name = cellName(t, { title: item.title, version, scope: scopeText(scope), behind })
  const className = cx(CELL, shadeOf(behind))
  const contentNamed = (full: string) => (
    <>
      <span className="sr-only">{full}</span>
      <span aria-hidden="true" className="mono min-w-0 flex-1 wrap-anywhere">
        {version}
      </span>
      {claim !== null && (
        // on a shade, its color would be too weak
        <span className={cx('rounded-full bg-surface p-0.5', toneText[claimLook[claim].tone])}>
          <Icon name={claimLook[claim].icon} size={14} />
        </span>
      )}
      {behind > 0 && (
        <span aria-hidden="true" className="text-xs tabular-nums">
          {distanceText(behind)}
        </span>
      )}
    </>
  )
  if (behind > 0 && claim === null && upgrade) {
    const { environmentKey, applicationRuntimeId, workspaceId } = scope
    const installation = { environmentKey, applicationRuntimeId, workspaceId, bundleInstallId, bundle }
    return (
      <button
        type="button"
        {...upgrade.onIntent}
        onClick={() => upgrade.start({ id: bundleInstallId, installation, title: item.title, version })}
        className={className}
      >
        {contentNamed(t('versions.in.upgrade', { installation: name }))}
      </button>
    )
  }
  return (
    <PlainLink to={paths.installation(bundleInstallId)} className={className}>
      {contentNamed(
        claim === null
          ? name
          : t('versions.in.locked', { installation: name, lock: t(claimLook[claim].word) }),
      )}
    </PlainLink>
  )
}

function cellName(
  t: Translate,
  { title: bundle, behind, ...at }: { title: string; version: string; scope: string; behind: number },
): string {
  return behind === 0
    ? t('versions.in.newest', { bundle, ...at })
    : t('versions.in.behind', { bundle, ...at, n: behind })
}

/** What the shades mean. */
export function Legend() {
  const t = useText()
  const last = SHADES.length - 1
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      {SHADES.map((shade, behind) => (
        <li key={shade} className="flex items-center gap-1.5">
          <span
            aria-hidden="true"
            className={cx(
              'inline-flex h-4 min-w-6 items-center justify-center rounded-sm border border-line-strong px-1 text-ink tabular-nums',
              shade,
            )}
          >
            {behind > 0 && distanceText(behind)}
          </span>
          {behind === 0
            ? t('versions.legend.newest')
            : behind === last
              ? t('versions.legend.more', { n: behind })
              : t('versions.legend.behind', { n: behind })}
        </li>
      ))}
    </ul>
  )
}
