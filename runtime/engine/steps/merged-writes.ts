import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { getOwn } from '#contract/json-schema/get-own.ts'
import { inCallOrder } from './next-step.ts'
import type { Writes } from '../../model/plan.ts'
import type { CallWrites } from '../../model/call.ts'

/**
 * The writes of an operation's plugins so far, in call order; if a property was written twice, the later call wins.
 * With `stage`, only the writes of that stage.
 */
export function mergedWrites(
  calls: readonly CallWrites[],
  operationType: OperationType,
  stage?: Stage,
): Writes {
  const inStage = (wanted: Stage) =>
    inCallOrder(
      calls.filter((call) => call.stage === wanted),
      operationType,
    )
  const stages: readonly Stage[] = stage === undefined ? ['BEFORE_RESOURCES', 'AFTER_RESOURCES'] : [stage]
  const merged: Writes = {}
  for (const { writes } of stages.flatMap(inStage)) {
    for (const [locator, properties] of Object.entries(writes ?? {})) {
      merged[locator] = { ...getOwn(merged, locator), ...properties }
    }
  }
  return merged
}

/** The planned properties of a resource with the plugins' writes applied. */
export function withWrites(
  resource: { locator: string; properties: Record<string, TypedValue> },
  writes: Writes,
): Record<string, TypedValue> {
  return { ...resource.properties, ...getOwn(writes, resource.locator) }
}
