import type { InstallationDetail } from '#contract/console-api/shapes.ts'
import { paths } from '../../../addresses/paths.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { TextLink } from '../../../ui/Link.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Time } from '../../../ui/Time.tsx'

/**
 * How an installation ended and what came after it, or which one was here before it: an installation, its takeover and its
 * reinstallation are one story.
 */
export function Succession({ detail }: { detail: InstallationDetail }) {
  const t = useText()
  const rich = useRichText()
  const { detached, predecessor, successor } = detail
  const after = successor && (
    <TextLink to={paths.installation(successor.bundleInstallId)}>
      {t(`installations.successor.${successor.state}`)}
    </TextLink>
  )
  const before = predecessor && (
    <TextLink to={paths.installation(predecessor.bundleInstallId)}>{t('installations.predecessor')}</TextLink>
  )
  if (detached === null && successor === null) {
    return before && <p className="mb-4 text-muted">{before}</p>
  }
  return (
    <Notice
      className="mb-6"
      icon="detached"
      title={
        detached === null
          ? t('installations.replaced')
          : rich('installations.detached.by', { person: detached.by.name, time: <Time at={detached.at} /> })
      }
    >
      {detached !== null && (
        <p className="wrap-anywhere">{detached.reason ?? t('installations.detached.noReason')}</p>
      )}
      <p className="mt-1 flex flex-wrap gap-x-4">
        {after}
        {detached?.operationId != null && (
          <TextLink to={paths.operation(detached.operationId)}>
            {t('installations.detached.operation')}
          </TextLink>
        )}
        {before}
      </p>
    </Notice>
  )
}
