/** Why a plugin does not have what the policy of an environment asks for: a passing report of its version. */
export interface UncheckedPlugin {
  /** The registered version; null without one. */
  version: string | null
  policy: 'WARN' | 'REFUSE'
  reason: 'NO_VERSION' | 'NO_REPORT' | 'NOT_PASSED'
}

/** By plugin. */
export type UncheckedPlugins = ReadonlyMap<string, UncheckedPlugin>
