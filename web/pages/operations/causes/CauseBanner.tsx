import { useQuery } from '@tanstack/react-query'
import { failureGroupCall, type OperationsSearch } from '#contract/console-api/pages/operations.ts'
import { apiQuery } from '../../../api/query.ts'
import { joinList } from '../../../i18n/punctuation.ts'
import { useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { TextLink } from '../../../ui/Link.tsx'
import { groupTitle } from './group-title.ts'
import { RetryGroup } from './RetryGroup.tsx'

/** Above a list that shows the operations of one cause only: which cause, and what can be done with all of them. */
export function CauseBanner({ search }: { search: OperationsSearch }) {
  const t = useText()
  const { data } = useQuery(apiQuery('GET /failure-groups', failureGroupCall(search)))
  if (!data) return null
  const [group] = data.groups
  return (
    <section
      aria-label={t('operations.causes.only')}
      className="mb-3 flex flex-wrap items-center gap-x-6 gap-y-2 rounded-lg border border-line bg-surface px-4 py-2.5"
    >
      <div className="min-w-0 flex-1 basis-72">
        <p className="text-xs text-faint">{t('operations.causes.only')}</p>
        {group ? (
          <>
            <p className="font-semibold wrap-anywhere">{groupTitle(group, t)}</p>
            <p className="mono text-xs wrap-anywhere text-muted">
              {joinList(t, [group.errorCode, ...(group.pluginId === null ? [] : [group.pluginId])])}
            </p>
          </>
        ) : (
          <p>{t('operations.causes.gone')}</p>
        )}
      </div>
      <TextLink to={paths.operations()}>{t('operations.causes.all')}</TextLink>
      {group && <RetryGroup group={group} search={search} />}
    </section>
  )
}
