import type { CallLimits } from '../../model/call.ts'

export const DEFAULT_CALL_LIMITS: CallLimits = { timeoutMs: 30_000, maxAttempts: 8, maxBackoffMs: 60_000 }

export function callLimits(plugin: {
  timeout_ms: number | null
  max_attempts: number | null
  max_backoff_ms: number | null
}): CallLimits {
  return {
    timeoutMs: plugin.timeout_ms ?? DEFAULT_CALL_LIMITS.timeoutMs,
    maxAttempts: plugin.max_attempts ?? DEFAULT_CALL_LIMITS.maxAttempts,
    maxBackoffMs: plugin.max_backoff_ms ?? DEFAULT_CALL_LIMITS.maxBackoffMs,
  }
}
