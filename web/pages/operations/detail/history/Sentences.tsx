import { useMemo } from 'react'
import { formatDuration, formatExactTime } from '../../../../i18n/format.ts'
import { messageText } from '../../../../i18n/message-text.ts'
import { joinSentences } from '../../../../i18n/punctuation.ts'
import { useRichText, useText, type Translate } from '../../../../i18n/use-text.ts'
import { failureTitle, stoppedText } from '../../../../subjects/operations/describe-failure.ts'
import type { Bar } from '../calls/timeline.ts'
import { verdictLook } from '../calls/verdict.ts'
import { AttemptLink } from './AttemptLink.tsx'
import { sentencesOf, type HistoryEntry, type Sentence } from './history-entries.ts'

/** The history in sentences. Equal attempts are combined into one. */
export function Sentences({
  operationId,
  history,
}: {
  operationId: string
  history: readonly HistoryEntry[]
}) {
  const t = useText()
  const sentences = useMemo(() => sentencesOf(history), [history])
  return (
    <ol
      aria-label={t('operationHistory.label.sentences')}
      className="divide-y divide-line rounded-lg border border-line bg-surface"
    >
      {sentences.map((sentence) => (
        <li key={sentence.id} className="gap-x-4 px-4 py-2 sm:grid sm:grid-cols-[17rem_minmax(0,1fr)]">
          <time dateTime={new Date(sentence.at).toISOString()} className="text-xs text-muted tabular-nums">
            {formatExactTime(sentence.at)}
          </time>
          <p className="wrap-anywhere">
            {sentence.kind === 'attempts' ? (
              <Attempts operationId={operationId} bars={sentence.bars} />
            ) : sentence.kind === 'gap' ? (
              <AttemptLink operationId={operationId} of={sentence.gap} view="sentences" />
            ) : (
              textOf(sentence, t)
            )}
          </p>
        </li>
      ))}
    </ol>
  )
}

function textOf(sentence: Exclude<Sentence, { kind: 'attempts' | 'gap' }>, t: Translate): string {
  const reasonOf = (reason: string | null) =>
    reason !== null && t('operationHistory.sentence.reason', { reason })
  switch (sentence.kind) {
    case 'requested':
      return joinSentences(t, [
        t('operationHistory.sentence.requested', { person: sentence.by.name }),
        reasonOf(sentence.reason),
      ])
    case 'started':
      return t('operationHistory.sentence.started', { time: formatDuration(sentence.waitedMs, t) })
    case 'resources':
      return t('operationHistory.sentence.resources', { n: sentence.count })
    case 'failed': {
      const { run, failure } = sentence
      return joinSentences(t, [
        t('operationHistory.sentence.failed', { run, failure: failureTitle(failure, t) }),
        failure.stopped ? stoppedText(failure.stopped, t) : false,
      ])
    }
    case 'retried':
      return joinSentences(t, [
        t('operationHistory.sentence.retried', { person: sentence.by.name, run: sentence.run }),
        reasonOf(sentence.reason),
      ])
    case 'takenOver':
      return joinSentences(t, [
        t('operationHistory.sentence.takenOver', { person: sentence.by.name }),
        reasonOf(sentence.reason),
      ])
    case 'succeeded':
      return t('operationHistory.sentence.succeeded')
    case 'note':
      return t('operationHistory.sentence.note', {
        person: sentence.note.author.name,
        text: sentence.note.text,
      })
    case 'nextAttempt':
      return t('operationHistory.sentence.nextAttempt')
  }
}

/** One attempt, or several with equal results; the link shows the last one. */
function Attempts({ operationId, bars }: { operationId: string; bars: readonly [Bar, ...Bar[]] }) {
  const t = useText()
  const rich = useRichText()
  const [first] = bars
  const last = bars.at(-1) ?? first
  const { pluginId, verdict, from, to, attempt } = first
  const named = {
    stage: t(`vocabulary.phase.${first.stage}`),
    plugin: <span className="mono font-medium">{pluginId}</span>,
    attempt: <AttemptLink operationId={operationId} of={last} view="sentences" />,
    result: t(verdictLook[verdict].word),
  }
  const range = { n: bars.length, first: attempt.attempt, last: last.attempt.attempt }
  return (
    <>
      {bars.length > 1
        ? rich('operationHistory.sentence.attempts', { ...named, ...range })
        : to === null || attempt.durationMs === null
          ? rich('operationHistory.sentence.noEnd', named)
          : rich('operationHistory.sentence.attempt', { ...named, time: formatDuration(to - from, t) })}
      {t('common.punctuation.sentence')}
      {joinSentences(t, [
        attempt.late && t('operationHistory.sentence.late'),
        last.attempt.failure && messageText(last.attempt.failure),
      ])}
    </>
  )
}
