import type { TypedValue } from '#contract/protocol/typed-value.ts'

/** The current values by locator and property. */
export type CurrentProperties = ReadonlyMap<string, ReadonlyMap<string, TypedValue>>
