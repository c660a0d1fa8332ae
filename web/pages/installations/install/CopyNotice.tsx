import { useQuery } from '@tanstack/react-query'
import type { InstallationDetail, PropertyView } from '#contract/console-api/shapes.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { shortenId } from '../../../ui/Id.tsx'
import { TextLink } from '../../../ui/Link.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { apiQuery } from '../../../api/query.ts'
import { fieldId, type FieldId } from '../../../forms/property/property-place.ts'

/** Names the installation whose last configuration is copied, or says why it cannot be. */
export function CopyNotice({
  source,
  bundle,
  onLeave,
}: {
  source: InstallationDetail
  bundle: { environmentKey: string; bundleId: string } | null
  onLeave: () => void
}) {
  const t = useText()
  const rich = useRichText()
  const { installation, state } = source
  const why = whyNotCopied(source, bundle)
  const name = `${source.title ?? installation.bundle.bundleId} ${shortenId(installation.bundleInstallId)}`
  return (
    <Notice
      tone={why === null ? 'info' : 'error'}
      icon={why === null ? 'copy' : 'failed'}
      title={t('installations.copy.title')}
      actions={
        <Button size="sm" onClick={onLeave}>
          {t('installations.copy.leave')}
        </Button>
      }
    >
      {why === null
        ? rich('installations.copy.text', {
            installation: <TextLink to={paths.installation(installation.bundleInstallId)}>{name}</TextLink>,
          })
        : t(state === 'DETACHED' ? 'installations.copy.otherBundle' : 'installations.copy.notDetached')}
    </Notice>
  )
}

/** The runtime accepts only the last configuration of a DETACHED installation of the same bundle. */
export function whyNotCopied(
  { installation, state }: InstallationDetail,
  bundle: { environmentKey: string; bundleId: string } | null,
): 'state' | 'bundle' | null {
  if (state !== 'DETACHED') return 'state'
  const isSame =
    bundle?.environmentKey === installation.bundle.environmentKey &&
    bundle.bundleId === installation.bundle.bundleId
  return bundle === null || isSame ? null : 'bundle'
}

const HISTORY_LIMIT = 200

/**
 * The visible part of the last configuration of a detached installation: the values that its DETACH removed. Null while
 * it is loading, and if it is not among the latest snapshots; the runtime can copy it all the same.
 */
export function useLastConfiguration(
  detail: InstallationDetail | undefined,
): ReadonlyMap<FieldId, PropertyView> | null {
  const enabled = detail !== undefined
  const bundleInstallId = detail?.installation.bundleInstallId ?? ''
  const { environmentKey = '', applicationRuntimeId = '', workspaceId = 0 } = detail?.installation ?? {}
  const detached = useQuery({
    ...apiQuery('GET /operations', {
      query: { bundleInstallId, operationType: 'DETACH', state: 'SUCCEEDED', limit: 1 },
    }),
    enabled,
  })
  const history = useQuery({
    ...apiQuery('GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration/history', {
      params: { environmentKey, applicationRuntimeId, workspaceId },
      query: { limit: HISTORY_LIMIT },
    }),
    enabled,
  })
  const operationId = detached.data?.items[0]?.operationId
  const snapshot =
    operationId === undefined
      ? undefined
      : history.data?.items.find((candidate) => candidate.operationId === operationId)
  if (snapshot === undefined) return null
  return new Map(
    snapshot.changes.flatMap(({ locator, property, before }) =>
      before === null ? [] : [[fieldId(locator, property), before] as const],
    ),
  )
}
