import type { Attempt, Failure, OperationContext, OperationDetail } from '#contract/console-api/shapes.ts'
import { hostOf } from '#contract/console-api/vocabulary.ts'
import { shownCode } from '#contract/protocol/messages.ts'
import {
  changeKey,
  operationTypeKey,
  runTimeOf,
  versionsText,
  bundleNameOf,
} from '../../../../subjects/operations/operation-texts.ts'
import { isInDoubt } from '../../../../subjects/operations/in-doubt.ts'
import { formatDuration, formatUtcTime } from '../../../../i18n/format.ts'
import { joinClauses, labelled } from '../../../../i18n/punctuation.ts'
import type { Translate } from '../../../../i18n/use-text.ts'
import { scopeText } from '../../../../subjects/scopes/scope-text.ts'
import { failureTitle, remedyOf, retryHelpsText } from '../../../../subjects/operations/describe-failure.ts'
import { alsoFailed, effectOf, failedCallOf, progressOf } from '../calls/progress.ts'
import { findingsOf } from '../failure/context-evidence.ts'
import { outsideLinks, runbookFor } from '../failure/runbook.ts'
import {
  clockText,
  effectText,
  effectUnknownText,
  impactText,
  nextText,
  runProgressText,
  thenText,
} from '../failure/failure-texts.ts'
import { timePartsOf, partTotals } from '../calls/time-spent.ts'
import { failurePointOf, rowsOf, timelineOf, type Bar, type Row } from '../calls/timeline.ts'
import { resultLook, verdictLook } from '../calls/verdict.ts'
import { messageText } from '../../../../i18n/message-text.ts'
import { decidedText } from './decided-text.ts'
import { codeText, linkText, plainText } from './plain-text.ts'

interface Known {
  context?: OperationContext | undefined
  /** The response that it failed with belongs to another operation that the person may see. */
  isReplayed?: boolean
}

/** The operation as text for a ticket. Times are in UTC, and it contains nothing that the page does not show. */
export function operationMarkdown(
  operation: OperationDetail,
  { t, link, ...known }: Known & { t: Translate; link: string },
): string {
  const { context } = known
  const timeline = timelineOf(operation)
  return [
    headOf(operation, t, link),
    failureOf(operation, known, t),
    plainText(effectUnknownText(operation, t) ?? ''),
    context === undefined ? '' : whatChanged(context, t),
    [
      `## ${t('operations.detail.calls')}`,
      ...rowsOf(timeline).map(({ stage, row }) => rowText(`${t(`vocabulary.phase.${stage}`)} · `, row, t)),
    ].join('\n'),
    retriesOf(operation, t),
    notesOf(operation, t),
    changesOf(operation, t),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

function headOf(operation: OperationDetail, t: Translate, link: string): string {
  const { installation, requestedBy, reason, createdAt, finishedAt, state } = operation
  const { bundle, bundleInstallId } = installation
  const runTime = runTimeOf(operation)
  const lines: [string, string | null][] = [
    [t('operations.field.operation'), linkText(plainText(operation.operationId), link)],
    [t('operations.field.state'), stateText(operation, t)],
    [
      t('operations.field.installation'),
      plainText(named(t, `${bundle.environmentKey}/${bundle.bundleId}`, bundleInstallId)),
    ],
    [t('operations.field.versions'), plainText(versionsText(operation))],
    [t('operations.field.scope'), plainText(scopeText(installation))],
    [
      t('operations.field.sequenceAndRun'),
      t('operations.facts.sequenceAndRun', { sequence: operation.executionSequence, run: operation.run }),
    ],
    [t('operations.field.requestedBy'), plainText(named(t, requestedBy.name, requestedBy.id))],
    [t('operations.field.assignee'), operation.assignee && plainText(operation.assignee.name)],
    [t('operations.field.reason'), reason && plainText(reason)],
    [t('operations.field.created'), formatUtcTime(Date.parse(createdAt))],
    [
      t(state === 'SUCCEEDED' ? 'operations.field.succeededAt' : 'operations.field.failedAt'),
      finishedAt && formatUtcTime(Date.parse(finishedAt)),
    ],
    [t('operations.field.runTime'), runTime === null ? null : formatDuration(runTime, t)],
    [t('operations.field.takesOver'), operation.takesOver],
    [t('operations.field.takenOverBy'), operation.takenOverBy],
  ]
  const name = t('operations.name', {
    type: t(operationTypeKey(operation)),
    bundle: plainText(bundleNameOf(operation)),
  })
  const title = `# ${labelled(t, name, t(`vocabulary.operation.${operation.state}`))}`
  const facts = lines.flatMap(([label, value]) => (value ? [fact(t, label, value)] : []))
  return [title, '', ...facts].join('\n')
}

const stateText = ({ state, phase }: OperationDetail, t: Translate) =>
  `${named(t, t(`vocabulary.operation.${state}`), state)} · ${t(`vocabulary.phase.${phase}`)}`

const named = (t: Translate, name: string, id: string): string => t('operations.markdown.name', { name, id })

/** Markdown needs the space after the colon: without it, a bold label does not end in every language. */
const fact = (t: Translate, label: string, value: string): string =>
  // a question has its mark already
  `- **${label}${/[?？]$/.test(label) ? '' : t('common.punctuation.colon').trim()}** ${value}`

function failureOf(operation: OperationDetail, { context, isReplayed = false }: Known, t: Translate): string {
  const { failure } = operation
  if (failure === null) return ''
  const timeline = timelineOf(operation)
  const failurePoint = failurePointOf(timeline, operation)
  const title = failureTitle(failure, t)
  const call = failedCallOf(operation, timeline)
  const attempt = failurePoint?.bar?.attempt
  const findings = findingsOf({ operation, failure, context, call, attempt, isReplayed })
  const { evidence, decision, isMessageSound } = findings
  const advice = remedyOf(operation, t, evidence)
  const remedy = decidedText(operation, decision, call?.pluginId, t) ?? (advice && plainText(advice))
  const where = failurePoint && [
    plainText(failurePoint.pluginId),
    t(`vocabulary.phase.${failurePoint.stage}`),
    ...(failurePoint.bar
      ? [
          t('operations.attempt.name', {
            attempt: failurePoint.bar.attempt.attempt,
            run: failurePoint.bar.attempt.run,
          }),
        ]
      : []),
  ]
  return [
    `## ${t('operations.detail.failure')}`,
    '',
    t('operations.markdown.failure', {
      title: plainText(title),
      code: codeText(shownCode(failure)),
    }),
    '',
    ...(isMessageSound ? [`> ${plainText(messageText(failure))}`, ''] : []),
    ...[
      ...earlierEffect(operation, failure, t),
      ...refusedAndClock(failure, failurePoint?.bar?.attempt, t),
    ].flatMap((text) => [plainText(text), '']),
    ...(where ? [fact(t, t('operations.field.stoppedAt'), where.join(' · '))] : []),
    ...alsoFailed(operation, timeline).map(({ pluginId, failure: other }) =>
      fact(
        t,
        t('operations.failed.also'),
        joinClauses(t, [plainText(pluginId), plainText(failureTitle(other, t)), codeText(shownCode(other))]),
      ),
    ),
    ...(failure.errorPath ? [fact(t, t('errors.trail'), failure.errorPath.map(plainText).join(' › '))] : []),
    ...(failure.stopped ? [fact(t, t('operations.field.stoppedBy'), stoppedLine(failure.stopped, t))] : []),
    ...(operation.state === 'FAILED' ? standingOf(operation, failure, findings, t) : []),
    ...(remedy === null ? [] : [fact(t, t('errors.remedy'), remedy)]),
    ...guidanceOf(operation, failure, failurePoint?.pluginId, t),
  ].join('\n')
}

/** The runbook for the failure, and where the logs and traces are. */
function guidanceOf(
  operation: OperationDetail,
  failure: Failure,
  pluginId: string | undefined,
  t: Translate,
): string[] {
  const runbook = runbookFor(operation, pluginId, failure)
  const links = outsideLinks(operation, pluginId, Date.now())
  const named = (title: string, url: string | undefined) =>
    url === undefined ? plainText(title) : linkText(plainText(title), url)
  const owner = runbook?.owner
  return [
    ...(runbook === null
      ? []
      : [
          fact(
            t,
            t('operations.failed.runbook'),
            joinClauses(t, [
              named(runbook.title, runbook.url),
              runbook.text !== undefined && plainText(runbook.text),
              owner && plainText(joinClauses(t, [owner.team, owner.contact])),
            ]),
          ),
        ]),
    ...links.map(({ kind, href }) =>
      fact(t, t(`operations.failed.outside.${kind}`), linkText(plainText(hostOf(href)), href)),
    ),
  ]
}

/** Whether the plugin acted, and what is not known of its attempts. */
function earlierEffect(operation: OperationDetail, failure: Failure, t: Translate): string[] {
  const call = failedCallOf(operation, timelineOf(operation))
  const effect = call && effectOf(failure, call)
  // attempts that retention removed could have had an effect
  const isProven =
    effect && (operation.attemptsRemoved !== true || (effect.kind !== 'none' && effect.kind !== 'rejected'))
  const text = isProven && effectText(effect, call.pluginId, t)
  return text ? [text] : []
}

/** What was changed before the operation and while it ran, newest first. */
function whatChanged({ causes, hasMore }: OperationContext, t: Translate): string {
  if (causes.length === 0) return ''
  const lines = causes.slice(0, CHANGES_MAX).map(({ kind, at, until, by, subject, reason, during }) => {
    const what =
      by === null
        ? t('operations.context.hidden')
        : t(changeKey(kind), {
            person: plainText(by.name),
            subject: plainText(subject),
            time: until === undefined ? '' : formatUtcTime(Date.parse(until)),
          })
    return joinClauses(t, [
      labelled(t, `- ${formatUtcTime(Date.parse(at))}`, what),
      during && t('operations.context.during'),
      reason !== null && plainText(reason),
    ])
  })
  const more = hasMore || causes.length > CHANGES_MAX ? ['- …'] : []
  return [`## ${t('operations.context.title')}`, ...lines, ...more].join('\n')
}

/** How many changes a ticket names. */
const CHANGES_MAX = 20

/** What this platform refused the plugin, when the plugin accepts calls again, and how its clock differs. */
function refusedAndClock(
  { refusedHere, retryFrom, errorPath }: Failure,
  attempt: Attempt | undefined,
  t: Translate,
) {
  const clock = clockText(attempt?.wire?.clockBehindSeconds, t)
  return [
    ...(refusedHere
      ? [
          t(`operations.refusedHere.${refusedHere.endpoint}`, {
            plugin: errorPath?.[1] ?? '',
            moment: formatUtcTime(Date.parse(refusedHere.at)),
            why: t(`operations.refusedHere.why.${refusedHere.rule}`, { service: refusedHere.service ?? '' }),
          }),
        ]
      : []),
    ...(retryFrom
      ? [t('operations.failed.retryFrom', { moment: formatUtcTime(Date.parse(retryFrom)) })]
      : []),
    ...(clock === null ? [] : [clock]),
  ]
}

/** What the person who gets the ticket needs: the effect, how far it came, where it called, who acts, and whether to retry. */
function standingOf(
  operation: OperationDetail,
  failure: Failure,
  { evidence, decision, blamed, owner }: ReturnType<typeof findingsOf>,
  t: Translate,
): string[] {
  const timeline = timelineOf(operation)
  const plugin = operation.plugins.find(
    ({ pluginId }) => pluginId === failurePointOf(timeline, operation)?.pluginId,
  )
  const { nextStep } = operation
  const known = { ...evidence, decision, blamed }
  const next = joinClauses(t, [
    labelled(
      t,
      t(`vocabulary.actor.${nextStep.actor}`),
      nextText(nextStep, failure, known, t) ?? t(`vocabulary.next.${nextStep.action}`),
    ),
    thenText(nextStep, evidence, t),
  ])
  return [
    fact(t, t('operations.failed.impact'), plainText(impactText(operation, t))),
    fact(
      t,
      t('operations.failed.progress'),
      plainText(runProgressText(operation, progressOf(operation, timeline), t)),
    ),
    ...(plugin ? [fact(t, t('operations.failed.endpoint'), codeText(plugin.endpoint))] : []),
    ...(isInDoubt(operation) ? [fact(t, t('operations.inDoubt'), t('operations.inDoubt.meaning'))] : []),
    fact(t, t('common.nextStep'), plainText(next)),
    ...(owner
      ? [fact(t, t('operations.failed.owner'), plainText(joinClauses(t, [owner.team, owner.contact])))]
      : []),
    fact(t, t('operations.field.retryHelps'), retryHelpsText(operation, t, evidence)),
  ]
}

type Group = readonly [Bar, ...Bar[]]

/** More lines for one run of a call say nothing more. */
const LINES_MAX = 6

/**
 * Consecutive equal attempts are one line, as they are one bar on the page. If results alternate for long, the first and the
 * last stay, and all between are one line with the count of each result.
 */
function rowText(prefix: string, row: Row, t: Translate): string {
  const head = `- ${prefix}${t('operations.markdown.call', { plugin: plainText(row.pluginId), order: String(row.order) })}`
  if (row.bars.length === 0) return labelled(t, head, t(resultLook(row.result).word))
  const groups: [Bar, ...Bar[]][] = []
  const gapBefore = (bar: Bar) => row.gaps.find(({ last }) => last === bar.attempt.attempt - 1)
  for (const bar of row.bars) {
    const last = groups.at(-1)
    if (
      last &&
      !gapBefore(bar) &&
      last[0].attempt.run === bar.attempt.run &&
      resultOf(last[0]) === resultOf(bar)
    )
      last.push(bar)
    else groups.push([bar])
  }
  const stretches: [Group, ...Group[]][] = []
  for (const group of groups) {
    const stretch = stretches.at(-1)
    if (stretch && !gapBefore(group[0]) && stretch[0][0].attempt.run === group[0].attempt.run)
      stretch.push(group)
    else stretches.push([group])
  }
  const lines = stretches.flatMap((stretch) => {
    const gap = gapBefore(stretch[0][0])
    const { first = 0, last = 0 } = gap ?? {}
    const leftOut = t('operations.markdown.leftOut', { first, last })
    const text = (group: Group) => groupText(group, row.bars[row.bars.indexOf(group[0]) - 1], t)
    const [start, ...middle] = stretch
    const end = stretch.length > LINES_MAX ? middle.pop() : undefined
    return [
      ...(gap ? [leftOut] : []),
      ...(end ? [text(start), alternatingText(middle.flat(), t), text(end)] : stretch.map(text)),
    ]
  })
  return [head, ...lines.map((line) => `  - ${line}`)].join('\n')
}

const resultOf = ({ verdict, attempt }: Bar): string => `${verdict} ${attempt.failure?.errorCode ?? ''}`

/** Attempts with different results as one line: how often each result was. */
function alternatingText(bars: readonly Bar[], t: Translate): string {
  const [first, last] = [bars[0], bars.at(-1)]
  if (!first || !last) return ''
  const name = t('operations.attempt.name', { attempt: first.attempt.attempt, run: first.attempt.run })
  const results = [...Map.groupBy(bars, resultOf).values()].map((same) => {
    const { verdict, attempt } = same[0]!
    const code = attempt.failure ? ` ${codeText(attempt.failure.errorCode)}` : ''
    return `${t('operations.detail.times', { n: same.length })} ${t(verdictLook[verdict].word)}${code}`
  })
  const times = `${formatUtcTime(first.from)} … ${formatUtcTime(last.from)}`
  return labelled(t, `${name} … ${last.attempt.attempt}`, joinClauses(t, [...results, times]))
}

function groupText([first, ...more]: Group, before: Bar | undefined, t: Translate): string {
  const last = more.at(-1) ?? first
  const name = t('operations.attempt.name', { attempt: first.attempt.attempt, run: first.attempt.run })
  const range = more.length === 0 ? name : `${name} … ${last.attempt.attempt}`
  const times = formatUtcTime(first.from) + (more.length === 0 ? '' : ` … ${formatUtcTime(last.from)}`)
  const result = joinClauses(t, [
    t(verdictLook[first.verdict].word),
    last.attempt.failure && codeText(last.attempt.failure.errorCode),
    last.attempt.failure && last.attempt.httpStatus !== null && `HTTP ${last.attempt.httpStatus}`,
    first.attempt.late && t('operations.attempt.late'),
    times,
    first.to !== null && more.length === 0 && formatDuration(first.to - first.from, t),
    ...(more.length === 0 ? partTotals(timePartsOf(first, before)) : []).map(
      ({ part, ms }) => `${t(`operationTimeline.part.${part}`)} ${formatDuration(ms, t)}`,
    ),
  ])
  const { failure } = last.attempt
  const line = labelled(t, range, result)
  return failure === null ? line : `${line} – ${plainText(messageText(failure))}`
}

/** Who retried it, took it over or stopped its retries, when and why. */
function retriesOf({ retries, takeover }: OperationDetail, t: Translate): string {
  const lines = retries.flatMap(({ run, startedAt, startedBy, reason, failure }) => [
    entry(
      t,
      t('operations.facts.retry', {
        run,
        person: plainText(startedBy.name),
        time: formatUtcTime(Date.parse(startedAt)),
      }),
      reason,
    ),
    ...(failure
      ? [
          `  - ${t('operations.facts.retry.before', { run: run - 1, failure: plainText(failureTitle(failure, t)) })}`,
          ...(failure.stopped ? [`  - ${stoppedLine(failure.stopped, t)}`] : []),
        ]
      : []),
  ])
  if (takeover !== null) {
    const person = plainText(takeover.by.name)
    const time = formatUtcTime(Date.parse(takeover.at))
    lines.push(entry(t, joinClauses(t, [t('operations.field.takenOverBy'), person, time]), takeover.reason))
  }
  return lines.length === 0 ? '' : [`## ${t('operations.field.retries')}`, ...lines].join('\n')
}

function notesOf({ notes = [] }: OperationDetail, t: Translate): string {
  if (notes.length === 0) return ''
  const lines = notes.map(({ author, at, text }) => {
    const by = { person: plainText(author.name), time: formatUtcTime(Date.parse(at)) }
    return labelled(t, `- ${t('operations.notes.by', by)}`, plainText(text))
  })
  return [`## ${t('operations.notes.title')}`, ...lines].join('\n')
}

const entry = (t: Translate, what: string, reason: string | null): string =>
  labelled(t, `- ${what}`, reason === null ? t('operations.field.noReason') : plainText(reason))

const stoppedLine = ({ by, reason }: NonNullable<Failure['stopped']>, t: Translate): string =>
  t('operations.failed.stopped', { person: plainText(by.name), reason: plainText(reason) })

function changesOf({ changes }: OperationDetail, t: Translate): string {
  if (changes.length === 0) return ''
  const lines = changes.map(({ locator, property, before, after }) => {
    const place = `- ${codeText(locator)} · ${codeText(property)}`
    return labelled(t, place, `${valueText(before, t)} → ${valueText(after, t)}`)
  })
  return [`## ${t('operations.detail.changes')}`, ...lines].join('\n')
}

function valueText(value: OperationDetail['changes'][number]['before'], t: Translate): string {
  if (value === null) return t('common.value.notSet')
  if ('isSensitive' in value)
    return t(value.isSet ? 'common.value.sensitiveSet' : 'common.value.sensitiveNotSet')
  const { '@type': _, ...content } = value
  const [only, ...others] = Object.values(content)
  return codeText(JSON.stringify(others.length === 0 ? only : content))
}
