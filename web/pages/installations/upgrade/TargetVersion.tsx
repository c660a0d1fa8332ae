import { useQuery } from '@tanstack/react-query'
import {
  compareVersions,
  isDowngrade,
  isPinnedTo,
  isRecalled,
  newestVersion,
} from '#contract/protocol/version-order.ts'
import { apiQuery } from '../../../api/query.ts'
import { useErrorView } from '../../../i18n/describe-code.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { Card } from '../../../ui/Card.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Mono } from '../../../ui/Id.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Select } from '../../../ui/Select.tsx'
import { Time } from '../../../ui/Time.tsx'

const SELECT_LIMIT = 200

/** The current version and the target: any other published one that the pin allows, including older ones. */
export function TargetVersion({
  bundle,
  current,
  pinnedTo,
  target,
  onChoose,
}: {
  bundle: { environmentKey: string; bundleId: string }
  current: string | null
  /** The versions that the pin allows, if there is one. */
  pinnedTo: string | undefined
  target: string | undefined
  onChoose: (version: string | undefined) => void
}) {
  const t = useText()
  const rich = useRichText()
  const versions = useQuery(
    apiQuery('GET /bundles/{environmentKey}/{bundleId}/versions', {
      params: bundle,
      query: { limit: SELECT_LIMIT },
    }),
  )
  const error = useErrorView(versions.error)
  const items = versions.data?.items ?? []
  const others = items.filter(
    (item) =>
      item.version !== current &&
      !isRecalled(item) &&
      (pinnedTo === undefined || isPinnedTo(pinnedTo, item.version)),
  )
  const chosen = items.find(({ version }) => version === target)
  const installed = items.find(({ version }) => version === current)
  const newest = newestVersion(items)?.version
  const isOlder =
    chosen !== undefined &&
    installed !== undefined &&
    compareVersions(chosen.version, installed.version) === 0 &&
    chosen.publishedAt < installed.publishedAt
  if (error && !versions.data) return <ErrorState error={error} onRetry={() => void versions.refetch()} />
  // a link to a version that the pin forbids leads to the form, which says so
  if (versions.data && others.length === 0 && target === undefined)
    return (
      <p className="text-muted">
        {pinnedTo === undefined
          ? t('installations.upgrade.none')
          : t('installations.upgrade.nonePinned', { versions: pinnedTo })}
      </p>
    )
  return (
    <Card>
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
        <div>
          <p className="mb-1 min-h-5 text-muted">{t('installations.upgrade.from')}</p>
          <p className="flex h-8 items-center">
            <Mono className="font-medium">{current ?? '–'}</Mono>
          </p>
        </div>
        <span className="hidden h-8 items-center text-faint sm:flex">
          <Icon name="arrowRight" />
        </span>
        <Field label={t('installations.upgrade.to')} className="w-56">
          {(wiring) => (
            <Select
              {...wiring}
              {...(target !== undefined && { className: 'mono' })}
              value={target ?? ''}
              placeholder={t('installations.upgrade.choose')}
              options={[
                // an address may name a version that is not (or not yet) in the list
                ...(target !== undefined && others.every(({ version }) => version !== target)
                  ? [{ value: target, label: target }]
                  : []),
                ...others.map(({ version, standing }) => ({
                  value: version,
                  label: standing === undefined ? version : t('catalog.standing.option', { version }),
                })),
              ]}
              onChange={(event) => onChoose(event.target.value || undefined)}
            />
          )}
        </Field>
        {chosen && (
          <p className="flex min-h-8 flex-wrap items-center gap-x-2 text-muted">
            <span>
              {rich('installations.upgrade.published', {
                at: <Time at={chosen.publishedAt} />,
                who: chosen.publishedBy.name,
              })}
              {chosen.version === newest && `\u00a0· ${t('installations.upgrade.newest')}`}
            </span>
            {chosen.standing && (
              <span className="inline-flex items-center gap-1 font-medium text-doubt">
                <Icon name="warning" size={14} />
                {t(`catalog.standing.${chosen.standing.kind}.because`, { text: chosen.standing.message })}
              </span>
            )}
            {isDowngrade(current, chosen.version) && (
              <span className="inline-flex items-center gap-1 font-medium text-doubt">
                <Icon name="warning" size={14} />
                {t('installations.downgrade.warning', { version: chosen.version })}
              </span>
            )}
            {isOlder && (
              <span className="inline-flex items-center gap-1 text-doubt">
                <Icon name="warning" size={14} />
                {t('installations.upgrade.older')}
              </span>
            )}
          </p>
        )}
      </div>
    </Card>
  )
}
