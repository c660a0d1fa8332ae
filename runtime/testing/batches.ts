import { Batch, BatchItem } from '#contract/runtime-api/batches.ts'
import type { RuleHarness } from './rules.ts'
import { until } from './stream.ts'

export const readBatch = async (deps: RuleHarness, id: string): Promise<Batch> =>
  Batch.parse(await deps.ok(`/batches/${id}`, {}))

export const readItems = async (deps: RuleHarness, id: string): Promise<BatchItem[]> =>
  BatchItem.array().parse((await deps.ok(`/batches/${id}/items`, {}))['items'])

/** Reads a batch until it is as wanted, and resolves with it. */
export async function untilBatch(
  deps: RuleHarness,
  id: string,
  isReached: (batch: Batch) => boolean,
): Promise<Batch> {
  let batch = await readBatch(deps, id)
  await until(async () => {
    batch = await readBatch(deps, id)
    return isReached(batch)
  })
  return batch
}
