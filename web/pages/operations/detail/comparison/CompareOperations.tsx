import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Comparable, OperationComparison, OperationDetail } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../../../api/query.ts'
import { paths } from '../../../../addresses/paths.ts'
import { useErrorView } from '../../../../i18n/describe-code.ts'
import { formatExactTime } from '../../../../i18n/format.ts'
import { joinClauses, joinList } from '../../../../i18n/punctuation.ts'
import { useText, type Translate } from '../../../../i18n/use-text.ts'
import { scopeText } from '../../../../subjects/scopes/scope-text.ts'
import { Dialog } from '../../../../ui/Dialog.tsx'
import { ErrorState } from '../../../../ui/ErrorState.tsx'
import { TextLink } from '../../../../ui/Link.tsx'
import { Select } from '../../../../ui/Select.tsx'
import { SkeletonLines } from '../../../../ui/Skeleton.tsx'
import { BeforeAfter } from '../../../../ui/value/BeforeAfter.tsx'
import { operationDifferences, SECTIONS } from './operation-differences.ts'

/** An operation beside one that succeeded: the last good one of its installation, or the same one on another installation. */
export function CompareOperations({
  operation,
  onClose,
}: {
  operation: OperationDetail
  onClose: () => void
}) {
  const t = useText()
  const [chosen, setChosen] = useState<string>()
  const { operationId } = operation
  const query = useQuery({
    ...apiQuery('GET /operations/{operationId}/comparison', {
      params: { operationId },
      query: { ...(chosen !== undefined && { with: chosen }) },
    }),
    // the choices stay while another one is read
    placeholderData: (shown: OperationComparison | undefined) => shown,
  })
  const error = useErrorView(query.error)
  const comparison = query.data
  return (
    <Dialog open size="lg" title={t('operations.comparison.title')} onClose={onClose}>
      {comparison ? (
        <>
          <Choice
            comparison={comparison}
            chosen={chosen ?? comparison.other?.operationId ?? ''}
            onChoose={setChosen}
          />
          {error && <ErrorState error={error} retrying={query.isFetching} />}
          {comparison.other !== null && (
            <Differences operation={operation} comparison={comparison} other={comparison.other} />
          )}
        </>
      ) : error ? (
        <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
      ) : (
        <SkeletonLines lines={8} />
      )}
    </Dialog>
  )
}

/** The operations that it can be compared with. */
function Choice({
  comparison: { lastGood, siblings },
  chosen,
  onChoose,
}: {
  comparison: OperationComparison
  chosen: string
  onChoose: (operationId: string) => void
}) {
  const t = useText()
  if (lastGood === null && siblings.length === 0)
    return <p className="text-muted">{t('operations.comparison.none')}</p>
  return (
    <Select
      aria-label={t('operations.comparison.with')}
      value={chosen}
      onChange={({ target }) => onChoose(target.value)}
      options={[
        ...(lastGood === null
          ? []
          : [
              {
                value: lastGood.operationId,
                label: nameOf(lastGood, t),
                group: t('operations.comparison.lastGood'),
              },
            ]),
        ...siblings.map((sibling) => ({
          value: sibling.operationId,
          label: joinClauses(t, [sibling.title, scopeText(sibling.installation), nameOf(sibling, t)]),
          group: t('operations.comparison.siblings'),
        })),
      ]}
    />
  )
}

const nameOf = ({ operationType, targetVersion, finishedAt }: Comparable, t: Translate): string =>
  joinClauses(t, [
    `${t(`vocabulary.type.${operationType}`)} ${targetVersion}`,
    formatExactTime(Date.parse(finishedAt)),
  ])

function Differences({
  operation,
  comparison,
  other,
}: {
  operation: OperationDetail
  comparison: OperationComparison
  other: Comparable
}) {
  const t = useText()
  const { operationId } = other
  const query = useQuery(apiQuery('GET /operations/{operationId}', { params: { operationId } }))
  const error = useErrorView(query.error)
  if (query.data === undefined) {
    return error ? (
      <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
    ) : (
      <SkeletonLines lines={8} />
    )
  }
  const differences = operationDifferences(query.data, operation, comparison, t)
  const { moreValues, registrationsCut } = comparison
  const named = (name: string, { createdAt }: OperationDetail) =>
    joinClauses(t, [name, formatExactTime(Date.parse(createdAt))])
  const sides = {
    before: named(t('operations.comparison.before'), query.data),
    after: named(t('operations.comparison.after'), operation),
  }
  return (
    <div className="mt-3 space-y-4">
      <p className="text-muted">
        {t('operations.comparison.about')}{' '}
        <TextLink to={paths.operation(operationId)}>{t('operations.comparison.open')}</TextLink>
      </p>
      {SECTIONS.map((section) => (
        <section key={section} aria-label={t(`operations.comparison.section.${section}`)}>
          <h3 className="mb-1.5 font-medium">{t(`operations.comparison.section.${section}`)}</h3>
          {differences[section].length === 0 ? (
            <p className="text-muted">{t('operations.comparison.same')}</p>
          ) : (
            <BeforeAfter
              label={t(`operations.comparison.section.${section}`)}
              changes={differences[section]}
              sides={sides}
            />
          )}
          {section === 'registrations' && registrationsCut.length > 0 && (
            <p className="mt-1 text-xs text-doubt">
              {t('operations.comparison.registrationsCut', { plugins: joinList(t, registrationsCut) })}
            </p>
          )}
          {section === 'values' && moreValues > 0 && (
            <p className="mt-1 text-xs text-muted">{t('operations.comparison.more', { n: moreValues })}</p>
          )}
        </section>
      ))}
    </div>
  )
}
