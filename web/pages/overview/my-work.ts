import type { Batch, Operation } from '#contract/console-api/shapes.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'

/** Something of a person on the overview: a batch, or an operation with others that did the same with the same result. */
export type MyItem =
  | { kind: 'batch'; batch: Batch }
  | { kind: 'operations'; operations: readonly Operation[] }

const DAY_MS = 86_400_000
const SHOWN = 6

/**
 * What a person has requested: what is not over first, then what ended in the last day, each the newest first. Operations
 * with the same action, bundle and result are one line; several of a batch that is shown are in its line only.
 */
export function mineOf(
  operations: readonly Operation[],
  batches: readonly Batch[],
  { personId, now }: { personId: string; now: number },
): MyItem[] {
  const isRecent = ({ finishedAt }: Pick<Operation, 'finishedAt'>) =>
    finishedAt === null || now - Date.parse(finishedAt) < DAY_MS
  const groups = Map.groupBy(
    operations.filter((one) => one.requestedBy.id === personId && isRecent(one)),
    ({ operationType, state, installation: { bundle } }) => JSON.stringify([operationType, state, bundle]),
  )
  const myBatches = batches.filter((one) => one.requestedBy.id === personId && isRecent(one))
  const mine = [
    ...myBatches.map((batch) => ({ kind: 'batch' as const, batch, ...timesOf(batch) })),
    ...[...groups.values()].flatMap((alike) => {
      const [first] = alike
      const isOfBatch =
        alike.length > 1 && myBatches.some((batch) => alike.every((one) => isPartOf(one, batch)))
      return first === undefined || isOfBatch
        ? []
        : [{ kind: 'operations' as const, operations: alike, ...timesOf(first) }]
    }),
  ]
  return mine
    .toSorted((one, other) => Number(one.isOver) - Number(other.isOver) || other.at - one.at)
    .slice(0, SHOWN)
}

/** In how many scopes; several operations may have been in the same one. */
export const countScopes = (operations: readonly Operation[]): number =>
  new Set(operations.map(({ installation }) => scopeText(installation))).size

const timesOf = ({ createdAt, finishedAt }: Pick<Operation, 'createdAt' | 'finishedAt'>) => ({
  isOver: finishedAt !== null,
  at: Date.parse(finishedAt ?? createdAt),
})

/** As far as a list tells: it does what the batch does, to one of its bundles, while the batch is carried out. */
function isPartOf(operation: Operation, { action, summary, createdAt, finishedAt }: Batch): boolean {
  const { bundleId } = operation.installation.bundle
  return (
    operation.operationType === action &&
    summary?.bundles.some((one) => one.bundleId === bundleId) === true &&
    operation.createdAt >= createdAt &&
    (finishedAt === null || operation.createdAt <= finishedAt)
  )
}
