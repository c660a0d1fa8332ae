import { Suspense } from 'react'
import { useNavigate } from '@tanstack/react-router'
import type { OperationSearch } from '#contract/console-api/pages/operations.ts'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { paths } from '../../../../addresses/paths.ts'
import { lazyPart } from '../../../../base/lazy-part.ts'
import { Card, Section } from '../../../../ui/Card.tsx'
import { SkeletonLines } from '../../../../ui/Skeleton.tsx'
import { TabList } from '../../../../ui/TabList.tsx'
import { Timeline } from '../timeline/Timeline.tsx'
import { rowsOf, type Bar, type CallTimeline as Model } from '../calls/timeline.ts'

const EventList = lazyPart(async () => (await import('./EventList.tsx')).EventList)

/** The history of an operation in two views of the same data. The address has the view, so it can be shared. */
export function History({
  operation,
  timeline,
  chosen,
  choice,
}: {
  operation: OperationDetail
  timeline: Model
  chosen: Bar | null
  choice: OperationSearch
}) {
  const t = useText()
  const navigate = useNavigate()
  const { view = 'timeline' } = choice
  const show = (next: 'timeline' | 'list') => {
    const { view: _, ...rest } = choice
    void navigate({
      ...paths.operation(operation.operationId, next === 'timeline' ? rest : { ...rest, view: next }),
      replace: true,
      resetScroll: false,
    })
  }
  return (
    <Section title={t('operations.detail.history')} flush>
      <TabList
        label={t('operations.detail.views')}
        current={view}
        views={[
          { value: 'timeline', label: t('operations.detail.timeline'), shortcut: '1' },
          { value: 'list', label: t('operations.detail.list'), shortcut: '2' },
        ]}
        onChange={show}
      >
        {view === 'list' ? (
          <Suspense fallback={<SkeletonLines lines={6} />}>
            <EventList operation={operation} timeline={timeline} />
          </Suspense>
        ) : rowsOf(timeline).length > 0 ? (
          <Timeline operation={operation} timeline={timeline} chosen={chosen} />
        ) : (
          <Card>
            <p className="text-muted">{t('operations.detail.noPlugins')}</p>
          </Card>
        )}
      </TabList>
    </Section>
  )
}
