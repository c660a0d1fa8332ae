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

/** The last change of the endpoint between two moments, such as those of an operation and of its attempt; null if there was none. */
export function movedBetween(
  { endpoints = [] }: Pick<Plugin, 'endpoints'>,
  from: string,
  to: string,
): { before: string; after: string; at: string } | null {
  const now = endpoints.findIndex(({ since }) => Date.parse(since) <= Date.parse(to))
  const [current, earlier] = [endpoints[now], endpoints[now + 1]]
  if (current === undefined || earlier === undefined) return null
  const isSince = Date.parse(current.since) > Date.parse(from)
  return isSince && current.endpoint !== earlier.endpoint
    ? { before: earlier.endpoint, after: current.endpoint, at: current.since }
    : null
}
