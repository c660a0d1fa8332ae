import type { Installation } from '#contract/console-api/shapes.ts'
import { NextStepText } from '../../subjects/operations/NextStepText.tsx'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import type { Translate } from '../../i18n/use-text.ts'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { Mono } from '../../ui/Id.tsx'
import { ClaimBadge, InstallationBadge } from '../../ui/StateBadge.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Time } from '../../ui/Time.tsx'
import { BundleName } from '../../subjects/manifest/BundleName.tsx'
import { UpgradeMark } from './detail/UpgradeLink.tsx'

/** Without the column of locks, the state is that of the operation which has locked the installation: it matters more. */
export const installationColumns = (t: Translate, hasLocks: boolean): Column<Installation>[] => [
  {
    id: 'bundle',
    header: t('installations.column.bundle'),
    cell: ({ title, installation }) => (
      // a narrow table needs the room for the scope, by which installations of a bundle differ
      <BundleName
        title={title}
        bundle={installation.bundle}
        idClass="@min-[40rem]/table:@max-[68rem]/table:hidden"
      />
    ),
    sortKey: 'bundleId',
    width: 'clamp(9.5rem, 60cqi - 27rem, 22cqi)',
  },
  {
    id: 'scope',
    header: t('installations.column.scope'),
    cell: ({ installation }) => <ScopeText scope={installation} />,
    card: 'line',
  },
  {
    id: 'version',
    header: t('installations.column.version'),
    cell: (row) =>
      row.version === null ? (
        <Nothing />
      ) : (
        <span className="flex items-center gap-2">
          <Mono className="truncate">{row.version}</Mono>
          {row.standing && (
            <Mark
              icon="warning"
              label={t(`catalog.standing.${row.standing.kind}.because`, { text: row.standing.message })}
            />
          )}
          <UpgradeMark row={row} />
        </span>
      ),
    sortKey: 'version',
    sortFirst: 'ascending',
    width: '8.5rem',
    card: 'plain',
  },
  {
    id: 'state',
    header: t('installations.column.state'),
    cell: ({ state, claim, protection, pin }) => {
      const badge =
        claim && !hasLocks ? <ClaimBadge claim={claim} brief /> : <InstallationBadge state={state} />
      // most are neither
      if (protection === undefined && pin === undefined) return badge
      return (
        <span className="flex items-center gap-1.5">
          {badge}
          {protection && <Mark icon="lock" label={t('installations.protected.title')} />}
          {pin && (
            <Mark icon="bookmark" label={t('installations.pinned.title', { versions: pin.versions })} />
          )}
        </span>
      )
    },
    width: '8.25rem',
    card: 'plain',
  },
  ...(hasLocks ? [lockColumn(t)] : []),
  {
    id: 'next',
    header: t('common.nextStep'),
    cell: ({ nextStep }) => <NextStepText nextStep={nextStep} />,
    width: '13rem',
    hideBelow: 'xl',
    card: 'line',
  },
  {
    id: 'changed',
    header: t('installations.column.changed'),
    cell: ({ updatedAt }) => <Time at={updatedAt} inRow className="text-muted" />,
    sortKey: 'updatedAt',
    sortFirst: 'descending',
    width: '8.25rem',
    hideBelow: 'md',
    card: 'plain',
  },
]

function Mark({ icon, label }: { icon: IconName; label: string }) {
  return (
    <span role="img" aria-label={label} title={label} className="text-muted">
      <Icon name={icon} size={12} />
    </span>
  )
}

const lockColumn = (t: Translate): Column<Installation> => ({
  id: 'claim',
  header: t('installations.column.lock'),
  // most are not locked
  cell: ({ claim }) => (claim === null ? <Nothing /> : <ClaimBadge claim={claim} />),
  width: 'clamp(10.25rem, 34cqi - 10.5rem, 10.75rem)',
  card: 'line',
})
