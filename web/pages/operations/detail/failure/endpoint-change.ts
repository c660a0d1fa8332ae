import type { OperationDetail } from '#contract/console-api/shapes.ts'

type Plugin = OperationDetail['plugins'][number]

/**
 * How the endpoint of a plugin has changed since an attempt; null if it has not. `before` is null if the endpoint of that
 * time was not recorded.
 */
export interface EndpointChange {
  before: string | null
  /** When the plugin got its current endpoint. */
  at: string
}

export function endpointChange(
  { endpoint, endpoints = [] }: Pick<Plugin, 'endpoint' | 'endpoints'>,
  startedAt: string,
): EndpointChange | null {
  const current = endpoints[0]
  const time = Date.parse(startedAt)
  if (current === undefined || Date.parse(current.since) <= time) return null
  const before = endpoints.find(({ since }) => Date.parse(since) <= time)?.endpoint ?? null
  return before === endpoint ? null : { before, at: current.since }
}
