import type { Installation } from '#contract/console-api/shapes.ts'
import { useText, type Translate } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { cx } from '../../../ui/class-names.ts'
import { PlainLink, type LinkTarget } from '../../../ui/Link.tsx'
import { useShell } from '../../../subjects/shell/shell-context.ts'
import { unavailableReason } from './unavailable-reason.ts'

/** The newer version, if there is one; for people who may upgrade now, a link to the upgrade to it. */
export function UpgradeLink({ row }: { row: Installation }) {
  const t = useText()
  const upgrade = useUpgrade(row)
  if (upgrade === null) return null
  const look = 'inline-flex h-6 max-w-full min-w-0 items-center gap-1 rounded-sm text-xs'
  const content = (
    <>
      <Icon name="sortUp" size={12} />
      <span className="truncate">{upgradeText(upgrade, t)}</span>
    </>
  )
  if (upgrade.link === null) return <span className={cx(look, 'text-muted')}>{content}</span>
  return (
    <PlainLink to={upgrade.link} className={cx(look, 'font-medium text-accent hover:underline')}>
      {content}
    </PlainLink>
  )
}

/** The same in a row: only the version is visible. It is a single element, because a list has many rows. */
export function UpgradeMark({ row }: { row: Installation }) {
  const t = useText()
  const upgrade = useUpgrade(row)
  if (upgrade === null) return null
  const label = upgradeText(upgrade, t)
  const look =
    'mono block min-w-0 truncate rounded-sm text-xs/6 before:mr-1 before:font-sans before:content-["↑"]'
  if (upgrade.link === null)
    return (
      <span role="img" aria-label={label} className={cx(look, 'text-muted')}>
        {upgrade.version}
      </span>
    )
  return (
    <PlainLink
      to={upgrade.link}
      aria-label={label}
      className={cx(look, 'font-medium text-accent hover:underline')}
    >
      {upgrade.version}
    </PlainLink>
  )
}

interface Upgrade {
  version: string
  /** Null if the person may not upgrade, or not now. */
  link: LinkTarget | null
}

function useUpgrade(row: Installation): Upgrade | null {
  const { installation, upgradeTo: version } = row
  // not `useMay`, which reads the session: a list has many rows
  const { can } = useShell()
  if (version === null) return null
  const isAllowed = can('installation:upgrade', installation) && unavailableReason(row) === null
  return {
    version,
    link: isAllowed ? paths.installation(installation.bundleInstallId, { action: 'upgrade', version }) : null,
  }
}

const upgradeText = ({ version, link }: Upgrade, t: Translate): string =>
  t(link === null ? 'installations.update.newer' : 'installations.update.to', { version })
