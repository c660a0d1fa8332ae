import { useMemo } from 'react'
import type { HistoryView } from '#contract/console-api/pages/operations.ts'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import type { Timeline } from '../calls/timeline.ts'
import { Everything } from './Everything.tsx'
import { historyOf } from './history-entries.ts'
import { Sentences } from './Sentences.tsx'

/** The views of the history that load when they are opened. */
export function HistoryList({
  operation,
  timeline,
  view,
}: {
  operation: OperationDetail
  timeline: Timeline
  view: HistoryView
}) {
  const history = useMemo(() => historyOf(operation, timeline), [operation, timeline])
  const List = view === 'sentences' ? Sentences : Everything
  return <List operationId={operation.operationId} history={history} />
}
