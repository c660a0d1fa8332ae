import type { UncheckedPlugin } from '#contract/runtime-api/plans.ts'

/** Those of an operation's plugins that lack the report that the environment asks for, by plugin. */
export type UncheckedPlugins = ReadonlyMap<string, UncheckedPlugin>
