import type { TypedValue } from '#contract/protocol/typed-value.ts'

/** Values by locator and property, as they stand. */
export type CurrentProperties = ReadonlyMap<string, ReadonlyMap<string, TypedValue>>
