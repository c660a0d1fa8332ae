import { Suspense, useState } from 'react'
import type { PluginCall } from '#contract/console-api/shapes.ts'
import { lazyPart } from '../../../../base/lazy-part.ts'
import { joinSentences } from '../../../../i18n/punctuation.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { SkeletonLines } from '../../../../ui/Skeleton.tsx'
import { SegmentedControl } from '../../../../ui/SegmentedControl.tsx'
import { CodeBlock } from '../../../../ui/value/CodeBlock.tsx'
import { JsonTree } from '../../../../ui/value/JsonTree.tsx'
import type { Bar } from '../calls/timeline.ts'

type View = 'tree' | 'raw' | 'search' | 'compare'

const AttemptTools = lazyPart(async () => (await import('./tools/AttemptTools.tsx')).AttemptTools)

/** The request and the response, masked, as a tree or as text to copy; or a search in them, or a comparison of attempts. */
export function Payloads({ call, bar: { stage, attempt, verdict } }: { call: PluginCall; bar: Bar }) {
  const t = useText()
  const [view, setView] = useState<View>('tree')
  const absent =
    verdict === 'IN_FLIGHT' ? 'operations.attempt.response.notYet' : 'operations.attempt.response.none'
  return (
    <div className="p-4">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="text-muted">
          {joinSentences(t, [
            t('operations.attempt.request.note'),
            (verdict === 'INVALID' || verdict === 'UNREADABLE') && t('operations.attempt.response.notStored'),
          ])}
        </p>
        <SegmentedControl
          label={t('operations.attempt.view')}
          value={view}
          options={[
            { value: 'tree', label: t('operations.attempt.view.tree') },
            { value: 'raw', label: t('operations.attempt.view.raw') },
            { value: 'search', label: t('operations.attempt.view.search') },
            ...(call.attempts.length > 1
              ? [{ value: 'compare' as const, label: t('operations.attempt.view.compare') }]
              : []),
          ]}
          onChange={setView}
        />
      </div>
      {view === 'search' || view === 'compare' ? (
        <Suspense fallback={<SkeletonLines lines={6} />}>
          <AttemptTools stage={stage} call={call} view={view} />
        </Suspense>
      ) : (
        <div className="grid gap-4 @3xl:grid-cols-2">
          <Payload title={t('operations.attempt.request')} value={call.request} view={view} absent="–" />
          <Payload
            title={t('operations.attempt.response')}
            value={attempt.response}
            view={view}
            absent={t(absent)}
          />
        </div>
      )}
    </div>
  )
}

function Payload({
  title,
  value,
  view,
  absent,
}: {
  title: string
  value: unknown
  view: 'tree' | 'raw'
  /** Shown if there is no response. */
  absent: string
}) {
  return (
    <div className="min-w-0">
      <h3 className="mb-1.5 font-semibold">{title}</h3>
      {value === null || value === undefined ? (
        <p className="rounded-md border border-line bg-sunken px-3 py-2 text-muted">{absent}</p>
      ) : view === 'tree' ? (
        <JsonTree value={value} label={title} openDepth={2} />
      ) : (
        <CodeBlock text={JSON.stringify(value, null, 2)} label={title} />
      )}
    </div>
  )
}
