import { useQuery } from '@tanstack/react-query'
import type { ChangePlan, ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { paths } from '../../addresses/paths.ts'
import { apiQuery } from '../../api/query.ts'
import { joinList } from '../../i18n/punctuation.ts'
import { useText } from '../../i18n/use-text.ts'
import { BatchLink } from '../../subjects/batch/BatchLink.tsx'
import { authorsOf } from '../../subjects/change-requests/change-looks.ts'
import { OperationLink } from '../../subjects/operations/OperationLink.tsx'
import { Card } from '../../ui/Card.tsx'
import { DefinitionList } from '../../ui/DefinitionList.tsx'
import { IdLink, Mono } from '../../ui/Id.tsx'
import { Time } from '../../ui/Time.tsx'

/** What a request is about, who wrote it and when, and what it has started. */
export function ChangeFacts({
  request,
  plan,
}: {
  request: ChangeRequestDetail
  plan: ChangePlan | undefined
}) {
  const t = useText()
  const { createdAt, revision, reason, schedule, operations, batchId, bundleInstallId, input } = request
  const bundle = input.bundle ?? plan?.operation?.installation?.bundle
  const { data } = useQuery({
    ...apiQuery('GET /installations/{bundleInstallId}', {
      params: { bundleInstallId: bundleInstallId ?? '' },
    }),
    enabled: bundleInstallId !== null,
  })
  // neither a save nor an ended request names its bundle
  const name = (bundle ?? data?.installation.bundle)?.bundleId
  const { currentVersion = null } = plan?.operation ?? {}
  const authors = authorsOf(request)
  return (
    <Card>
      <DefinitionList
        layout="facts"
        items={[
          // anyone who may edit the request can give it another title
          bundleInstallId === null
            ? name !== undefined && { label: t('installations.fact.bundle'), value: <Mono>{name}</Mono> }
            : {
                label: t('installations.fact.bundle'),
                value: (
                  <IdLink
                    id={bundleInstallId}
                    to={paths.installation(bundleInstallId)}
                    name={data?.title ?? (name && <Mono>{name}</Mono>)}
                  />
                ),
              },
          input.targetVersion !== undefined && {
            label: t('installations.fact.version'),
            value: (
              <Mono>
                {currentVersion === null ? input.targetVersion : `${currentVersion} → ${input.targetVersion}`}
              </Mono>
            ),
          },
          {
            label: t('changes.fact.by', { n: authors.length }),
            value: joinList(
              t,
              authors.map(({ name }) => name),
            ),
          },
          { label: t('changes.fact.created'), value: <Time at={createdAt} /> },
          { label: t('changes.fact.revision'), value: revision },
          input.snapshotVersion !== undefined && {
            label: t('changes.fact.snapshot'),
            value: input.snapshotVersion,
          },
          schedule !== null && {
            label: t('changes.fact.schedule'),
            value: (
              <>
                <Time at={schedule.notBefore} exact="minute" /> –{' '}
                <Time at={schedule.notAfter} exact="minute" />
              </>
            ),
          },
          reason !== null && {
            label: t('changes.fact.reason'),
            value: <span className="whitespace-pre-wrap">{reason}</span>,
            wide: true,
          },
          operations.length > 0 && {
            label: t('changes.fact.operations'),
            wide: true,
            value: (
              <ul>
                {operations.map((id) => (
                  <li key={id}>
                    <OperationLink id={id} />
                  </li>
                ))}
              </ul>
            ),
          },
          batchId !== null && {
            label: t('changes.fact.batch'),
            wide: true,
            value: <BatchLink id={batchId} isExplained />,
          },
        ]}
      />
    </Card>
  )
}
