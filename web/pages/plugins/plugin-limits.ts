import type { Plugin } from '#contract/console-api/shapes.ts'

export const LIMITS = ['timeoutMs', 'maxAttempts', 'maxBackoffMs'] as const
export type Limit = (typeof LIMITS)[number]

/** The allowed range of each limit, and the default where a plugin sets none. */
export const LIMIT_RANGE: Record<Limit, { from: number; to: number; standard: number }> = {
  timeoutMs: { from: 100, to: 300_000, standard: 30_000 },
  maxAttempts: { from: 1, to: 100, standard: 8 },
  maxBackoffMs: { from: 100, to: 3_600_000, standard: 60_000 },
}

/** Parses a typed limit: a number, undefined if it is empty (the default applies), or 'invalid'. */
export function readLimit(limit: Limit, text: string): number | undefined | 'invalid' {
  const typed = text.trim()
  if (typed === '') return undefined
  const { from, to } = LIMIT_RANGE[limit]
  const value = Number(typed)
  return /^\d+$/.test(typed) && value >= from && value <= to ? value : 'invalid'
}

/** The limits that are set explicitly for a plugin. */
export const setLimits = (plugin: Plugin): Limit[] => LIMITS.filter((limit) => plugin[limit] !== undefined)

export const validCredentials = ({ credentials }: Plugin): number =>
  credentials.filter(({ revokedAt }) => revokedAt === null).length

/** Names what a person does with the credentials of a plugin, to resume it after they have signed in again. */
export const credentialsOf = ({ pluginId }: Plugin): string => `credentials.${pluginId}`
