import type { Installation } from '#contract/console-api/shapes.ts'
import { useMay } from '../../api/session.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../paths.ts'
import { Icon } from '../../ui/icons/Icon.tsx'
import { PlainLink } from '../../ui/Link.tsx'
import { unavailableReason } from './detail/allowed.ts'

/**
 * The newer version, if there is one; for people who may upgrade now, a link to the upgrade to it. In a row, only the
 * version is visible.
 */
export function UpgradeLink({ row, inRow = false }: { row: Installation; inRow?: boolean }) {
  const t = useText()
  const { installation, upgradeTo } = row
  const may = useMay('installation:upgrade', installation)
  if (upgradeTo === null) return null
  const content = (text: string) => (
    <>
      <Icon name="sortUp" size={12} className="shrink-0" />
      {inRow ? (
        <>
          <span className="sr-only">{text}</span>
          <span className="mono truncate" aria-hidden="true">
            {upgradeTo}
          </span>
        </>
      ) : (
        <span className="truncate">{text}</span>
      )}
    </>
  )
  const look = 'inline-flex h-6 max-w-full min-w-0 items-center gap-1 rounded-sm text-xs'
  if (!may || unavailableReason(row) !== null)
    return (
      <span className={`${look} text-muted`}>
        {content(t('installations.update.newer', { version: upgradeTo }))}
      </span>
    )
  return (
    <PlainLink
      to={paths.installation(installation.bundleInstallId, { action: 'upgrade', version: upgradeTo })}
      className={`${look} font-medium text-accent hover:underline`}
    >
      {content(t('installations.update.to', { version: upgradeTo }))}
    </PlainLink>
  )
}
