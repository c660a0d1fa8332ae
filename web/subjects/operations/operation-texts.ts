import type { ContextCause, NextStep, Operation } from '#contract/console-api/shapes.ts'
import { isDowngrade } from '#contract/protocol/version-order.ts'
import type { Translate } from '../../i18n/use-text.ts'

/** The key of the name of an operation: an UPGRADE to an older version is a downgrade. */
export const operationTypeKey = ({
  operationType,
  currentVersion,
  targetVersion,
}: Pick<Operation, 'operationType' | 'currentVersion' | 'targetVersion'>) =>
  operationType === 'UPGRADE' && isDowngrade(currentVersion, targetVersion)
    ? ('vocabulary.type.DOWNGRADE' as const)
    : (`vocabulary.type.${operationType}` as const)

/** The title of the installation of an operation; the id of its bundle where the title is not known. */
export const bundleNameOf = ({
  title,
  installation,
}: {
  title?: string | null | undefined
  installation: Operation['installation']
}): string => title ?? installation.bundle.bundleId

/** What an operation does to what, such as "Configure CRM suite". */
export const operationName = (
  operation: Pick<Operation, 'operationType' | 'currentVersion' | 'targetVersion' | 'title' | 'installation'>,
  t: Translate,
): string => t('operations.name', { type: t(operationTypeKey(operation)), bundle: bundleNameOf(operation) })

/** The installed version, or the change from one version to another. */
export function versionsText({
  currentVersion,
  targetVersion,
}: Pick<Operation, 'currentVersion' | 'targetVersion'>) {
  return currentVersion === null || currentVersion === targetVersion
    ? targetVersion
    : `${currentVersion} → ${targetVersion}`
}

type Times = Pick<Operation, 'runStartedAt' | 'finishedAt' | 'earlierRunsMs'>

/** When the operation is retried automatically; null if it is not, or if somebody has to resume it first. */
export const nextRetryOf = ({ nextAttemptAt, nextStep }: Pick<Operation, 'nextAttemptAt' | 'nextStep'>) =>
  nextStep.action === 'RESUME' ? null : nextAttemptAt

/** How long an operation that has ended has worked, in milliseconds; null while it works, and if it never started. */
export function runTimeOf({ runStartedAt, finishedAt, earlierRunsMs }: Times): number | null {
  if (runStartedAt === null || finishedAt === null) return null
  return earlierRunsMs + Date.parse(finishedAt) - Date.parse(runStartedAt)
}

/** What follows the next step; null if nothing does. */
export function afterwardsText({ afterwards }: NextStep, t: Translate): string | null {
  if (afterwards === undefined) return null
  const { actor, action } = afterwards
  return t('operations.failed.afterwards', {
    actor: t(`vocabulary.actor.${actor}`),
    action: t(`vocabulary.next.${action}`),
  })
}

/** The key of the sentence that says what was changed before an operation failed. */
export const changeKey = (kind: ContextCause['kind']) =>
  isProcess(kind) ? (`operations.context.${kind}` as const) : (`audit.done.${kind}` as const)

const PROCESS = ['runtime.start', 'database.recover', 'database.read_only', 'database.full'] as const
const isProcess = (kind: ContextCause['kind']): kind is (typeof PROCESS)[number] =>
  PROCESS.some((one) => one === kind)
