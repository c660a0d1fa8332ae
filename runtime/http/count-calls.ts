import type { Metrics } from '#http-kit/metrics.ts'
import type { Outbound } from '#http-kit/outbound-types.ts'

export interface CountedCalls extends Outbound {
  /** Calls that are waiting for an answer. */
  inFlight(): number
}

/**
 * Counts and times the worker's plugin calls by result. There is no label for the plugin, because there may be many.
 */
export function countCalls(http: Outbound, metrics: Metrics, monotonic: () => number): CountedCalls {
  let inFlight = 0
  return {
    ...http,
    inFlight: () => inFlight,
    async request(request) {
      const start = monotonic()
      inFlight++
      const result = await http.request(request).finally(() => inFlight--)
      const outcome = result.kind === 'response' ? `${Math.floor(result.status / 100)}xx` : result.reason
      metrics.count('bundle_runtime_plugin_calls_total', { result: outcome })
      metrics.observe('bundle_runtime_plugin_call_seconds', {}, (monotonic() - start) / 1000)
      return result
    },
  }
}
