import type { ReactNode } from 'react'
import type { ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import type { Titles } from '../../subjects/manifest/use-titles.ts'
import { sameView } from '../../forms/property/property-value.ts'
import { placeNamer } from '../../forms/property/property-labels.ts'
import { useText } from '../../i18n/use-text.ts'
import { authorsOf, isLive } from '../../subjects/change-requests/change-looks.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Card, Section } from '../../ui/Card.tsx'
import { Time } from '../../ui/Time.tsx'
import { ChangedValue } from '../../ui/value/BeforeAfter.tsx'
import { BatchPace } from './PlannedChange.tsx'

type Approval = ChangeRequestDetail['approvedBy'][number]

/** Who approved which effect, and what has changed since each approval that does not count any more. */
export function Approvals({ request, titles }: { request: ChangeRequestDetail; titles: Titles }) {
  const t = useText()
  const { approvedBy, approvals, approvalsNeeded } = request
  const authors = new Set(authorsOf(request).map(({ id }) => id))
  return (
    <Section
      title={t('changes.section.approvals')}
      description={
        approvalsNeeded > 0
          ? t('changes.approvals.needed', { approvals: String(approvals), needed: String(approvalsNeeded) })
          : undefined
      }
      flush
    >
      {approvedBy.length === 0 ? (
        <p className="text-muted">{t('changes.approvals.none')}</p>
      ) : (
        <ul className="space-y-3">
          {approvedBy.map((approval) => (
            <li key={approval.by.id}>
              <p>
                {t('changes.approval.by', {
                  person: approval.by.name,
                  revision: String(approval.revision),
                })}{' '}
                <Time at={approval.at} className="text-xs text-muted" />
              </p>
              {approval.comment !== undefined && (
                <p className="wrap-anywhere whitespace-pre-wrap">{approval.comment}</p>
              )}
              {approval.outdated !== true && authors.has(approval.by.id) && (
                <Badge tone="doubt" icon="warning">
                  {t('changes.approval.ofAuthor')}
                </Badge>
              )}
              {approval.outdated === true && (
                <>
                  <Badge tone="doubt" icon="warning">
                    {t('changes.approval.outdated')}
                  </Badge>
                  {approval.difference !== undefined ? (
                    <Difference difference={approval.difference} titles={titles} />
                  ) : (
                    isLive(request) && <p>{t('changes.approval.unplanned')}</p>
                  )}
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

/** What was approved beside what it would do now. */
function Difference({
  difference,
  titles: { titleOf, definitionOf },
}: {
  difference: NonNullable<Approval['difference']>
  titles: Titles
}) {
  const t = useText()
  const { values, calls, resources, limits } = difference
  type Moved = (typeof values)[number]
  const namerOf = ({ locator, property }: Moved) => placeNamer(definitionOf(locator, property), t)
  const side = (moved: Moved, of: Moved['seen']) =>
    of === null ? (
      <span className="text-faint">{t('changes.approval.unset')}</span>
    ) : (
      <ChangedValue {...of} nameOf={namerOf(moved)} />
    )
  return (
    <Card padded={false} className="mt-2">
      <p className="border-b border-line px-3 py-1.5 text-xs font-medium text-muted">
        {t('changes.approval.difference')}
      </p>
      <dl className="divide-y divide-line">
        {values.map((moved) => {
          const { locator, property, seen, now } = moved
          const key = `${locator} ${property}`
          const name = titleOf(locator, property) ?? property
          // both may change the same leaf, and differ in another one
          return seen !== null && now !== null && !sameView(seen.after, now.after) ? (
            <div key={key} className="px-3 py-1.5">
              <dt className="font-medium wrap-anywhere">{name}</dt>
              <dd>
                <span aria-hidden="true" className="grid grid-cols-2 gap-x-4 text-xs text-faint">
                  <span>{t('changes.approval.seen')}</span>
                  <span>{t('changes.approval.now')}</span>
                </span>
                <ChangedValue
                  before={seen.after}
                  after={now.after}
                  nameOf={namerOf(moved)}
                  sides={{ before: t('changes.approval.seen'), after: t('changes.approval.now') }}
                />
              </dd>
            </div>
          ) : (
            <BothSides key={key} name={name} seen={side(moved, seen)} now={side(moved, now)} />
          )
        })}
        {limits !== null && (
          <BothSides
            name={t('changes.approval.limits')}
            seen={<BatchPace limits={limits.seen} />}
            now={<BatchPace limits={limits.now} />}
          />
        )}
      </dl>
      {calls !== null && <p className="px-3 py-1.5">{t('changes.approval.calls')}</p>}
      {resources !== null && <p className="px-3 py-1.5">{t('changes.approval.resources')}</p>}
      {values.length === 0 && calls === null && resources === null && limits === null && (
        <p className="px-3 py-1.5">{t('changes.approval.hidden')}</p>
      )}
    </Card>
  )
}

function BothSides({ name, seen, now }: { name: string; seen: ReactNode; now: ReactNode }) {
  const t = useText()
  return (
    <div className="px-3 py-1.5">
      <dt className="font-medium wrap-anywhere">{name}</dt>
      <dd className="grid grid-cols-2 gap-3 wrap-anywhere">
        <div>
          <span className="block text-xs text-faint">{t('changes.approval.seen')}</span>
          {seen}
        </div>
        <div>
          <span className="block text-xs text-faint">{t('changes.approval.now')}</span>
          {now}
        </div>
      </dd>
    </div>
  )
}
