import type { Cause, Operation } from '#contract/console-api/shapes.ts'
import { formatUtcTime } from '../../i18n/format.ts'
import { joinClauses, labelled } from '../../i18n/punctuation.ts'
import type { Translate } from '../../i18n/use-text.ts'
import {
  affectedText,
  causeLook,
  causeTitle,
  solutionText,
  workText,
} from '../../subjects/causes/cause-texts.ts'
import { failureTitle } from '../../subjects/operations/describe-failure.ts'
import { operationName } from '../../subjects/operations/operation-texts.ts'
import { linkText, plainText } from '../operations/detail/share/plain-text.ts'

/** How long a shift is: what was solved before is not part of its hand-over. */
const SHIFT_MS = 12 * 3_600_000

export interface Shift {
  personId: string
  /** The causes that the person works on, and the operations that are assigned to the person. */
  mine: readonly Cause[]
  assigned: readonly Operation[]
  /** The causes that nobody works on, and how many there are. */
  fresh: readonly Cause[]
  freshTotal: number
  /** Those that others work on. */
  others: readonly Cause[]
  solved: readonly Cause[]
}

/** The hand-over of a shift as Markdown, for the next one. Times are in UTC. */
export function handOver(
  { mine, assigned, fresh, freshTotal, others, solved }: Shift,
  { t, origin, now }: { t: Translate; origin: string; now: number },
): string {
  const causeLine = (cause: Cause) => lineOf(cause, { t, origin })
  const inShift = solved.filter(({ solvedBy }) => solvedBy && Date.parse(solvedBy.at) > now - SHIFT_MS)
  const parts: [string, string[]][] = [
    [
      t('operations.duty.mine'),
      [...mine.map(causeLine), ...assigned.map((operation) => operationLine(operation, { t, origin }))],
    ],
    [
      t('operations.duty.new'),
      [
        ...fresh.map(causeLine),
        ...(freshTotal > fresh.length
          ? [`- ${t('overview.attention.moreCauses', { n: freshTotal - fresh.length })}`]
          : []),
      ],
    ],
    [t('operations.duty.others'), others.map(causeLine)],
    [t('operations.duty.solved'), inShift.map(causeLine)],
  ]
  return [
    `# ${labelled(t, t('operations.duty.handOver.title'), formatUtcTime(now))}`,
    ...parts.map(([title, lines]) =>
      [`## ${title}`, ...(lines.length === 0 ? [t('operations.duty.nothing')] : lines)].join('\n'),
    ),
  ]
    .join('\n\n')
    .concat('\n')
}

function lineOf(cause: Cause, { t, origin }: { t: Translate; origin: string }): string {
  const { causeId, pluginId, state, solvedBy, latest, lastAt } = cause
  const work = workText(cause, t)
  const next =
    latest &&
    labelled(
      t,
      t(`vocabulary.actor.${latest.nextStep.actor}`),
      t(`vocabulary.next.${latest.nextStep.action}`),
    )
  const facts = joinClauses(t, [
    t(causeLook[state].word),
    work !== null && plainText(work),
    pluginId !== null && plainText(pluginId),
    plainText(affectedText(cause, t)),
    formatUtcTime(Date.parse(lastAt)),
    state === 'SOLVED' ? solvedBy && plainText(solutionText(solvedBy, t)) : next,
  ])
  return labelled(t, `- ${linkText(plainText(causeTitle(cause, t)), `${origin}/causes/${causeId}`)}`, facts)
}

function operationLine(operation: Operation, { t, origin }: { t: Translate; origin: string }): string {
  const { operationId, state, failure } = operation
  const facts = joinClauses(t, [
    t(`vocabulary.operation.${state}`),
    failure !== null && plainText(failureTitle(failure, t)),
  ])
  return labelled(
    t,
    `- ${linkText(plainText(operationName(operation, t)), `${origin}/operations/${operationId}`)}`,
    facts,
  )
}
