import { useState } from 'react'
import type { Attempt, PluginCall } from '#contract/console-api/shapes.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import { formatDuration, formatExactTime } from '../../../../../i18n/format.ts'
import { messageText } from '../../../../../i18n/message-text.ts'
import { joinClauses, labelled } from '../../../../../i18n/punctuation.ts'
import { useText, type Translate } from '../../../../../i18n/use-text.ts'
import { Select } from '../../../../../ui/Select.tsx'
import { BeforeAfter, type Change } from '../../../../../ui/value/BeforeAfter.tsx'
import { TIME_PARTS, partTotalsOf } from '../../calls/time-spent.ts'
import { barsOf, type Bar } from '../../calls/timeline.ts'
import { verdictLook, verdictOf } from '../../calls/verdict.ts'
import { attemptDifferences, type AttemptDifferences } from './attempt-differences.ts'

/** What differs between two attempts of a call, at first between its last one and the one before. */
export function CompareAttempts({ stage, call }: { stage: Stage; call: PluginCall }) {
  const t = useText()
  const { attempts } = call
  const [numbers, setNumbers] = useState({
    before: attempts.at(-2)?.attempt,
    after: attempts.at(-1)?.attempt,
  })
  const find = (number: number | undefined) => attempts.find(({ attempt }) => attempt === number)
  const [before, after] = [find(numbers.before), find(numbers.after)]
  if (!before || !after) return <p className="text-muted">{t('attemptTools.compare.one')}</p>
  const options = attempts.map((attempt) => ({ value: String(attempt.attempt), label: nameOf(attempt, t) }))
  const { more, ...differences } = attemptDifferences(before, after)
  const changes = changesOf({ before, after, differences, bars: barsOf(stage, call) }, t)
  return (
    <div className="space-y-3">
      <div className="grid gap-2 sm:grid-cols-2">
        {(['before', 'after'] as const).map((side) => (
          <Select
            key={side}
            aria-label={t(`attemptTools.compare.${side}`)}
            options={options}
            value={String(numbers[side])}
            onChange={({ target }) => setNumbers({ ...numbers, [side]: Number(target.value) })}
          />
        ))}
      </div>
      <p className="text-muted">{t('attemptTools.compare.request')}</p>
      <BeforeAfter label={t('attemptTools.compare.label')} changes={changes} />
      {more > 0 && <p className="text-muted">{t('attemptTools.compare.more', { n: more })}</p>}
    </div>
  )
}

const nameOf = (attempt: Attempt, t: Translate): string =>
  labelled(
    t,
    t('operations.attempt.name', { attempt: attempt.attempt, run: attempt.run }),
    t(verdictLook[verdictOf(attempt)].word),
  )

function changesOf(
  {
    before: one,
    after: other,
    differences: found,
    bars,
  }: { before: Attempt; after: Attempt; differences: Omit<AttemptDifferences, 'more'>; bars: readonly Bar[] },
  t: Translate,
): Change[] {
  const change = (id: string, name: string, before: unknown, after: unknown): Change => ({
    id,
    name,
    before: before === undefined ? null : { '@type': 'Data', value: before },
    after: after === undefined ? null : { '@type': 'Data', value: after },
  })
  /** A pair of values, in words. */
  const inWords = <Value,>(
    name: string,
    pair: { before: Value; after: Value } | null,
    text: (value: Value) => string,
  ) => (pair === null ? [] : [change(`of ${name}`, name, text(pair.before), text(pair.after))])
  const sent = { before: one.startedAt, after: other.startedAt }
  const [partsBefore, partsAfter] = [one, other].map(
    ({ attempt }) =>
      new Map(partTotalsOf(bars, attempt).map(({ part, ms }) => [part, formatDuration(ms, t)])),
  )
  /** A part of the time, if it differs as it is shown. */
  const partChange = (part: (typeof TIME_PARTS)[number]) => {
    const pair = { before: partsBefore?.get(part) ?? '–', after: partsAfter?.get(part) ?? '–' }
    const name = t('attemptTools.compare.part', { part: t(`operationTimeline.part.${part}`) })
    return inWords(name, pair.before === pair.after ? null : pair, (text) => text)
  }
  return [
    ...inWords(t('operations.attempt.started'), one === other ? null : sent, (at) =>
      formatExactTime(Date.parse(at)),
    ),
    ...inWords(t('attemptTools.compare.result'), found.verdict, (verdict) => t(verdictLook[verdict].word)),
    ...inWords(t('operations.attempt.http'), found.httpStatus, (status) =>
      status === null ? t('operations.attempt.noHttp') : String(status),
    ),
    ...inWords(t('operations.attempt.duration'), found.durationMs, (ms) =>
      ms === null ? '–' : formatDuration(ms, t),
    ),
    ...TIME_PARTS.flatMap(partChange),
    ...inWords(t('operations.field.failure'), found.failure, (failure) =>
      failure === null ? '–' : joinClauses(t, [failure.errorCode, messageText(failure)]),
    ),
    ...found.response.map(({ path, before, after }) =>
      change(`response ${path}`, joinClauses(t, [t('operations.attempt.response'), path]), before, after),
    ),
  ]
}
