import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Gauge } from './gauge.ts'

/** What Prometheus' own clients report about a process, under the same names. */
export function createProcessGauges(): () => Gauge[] {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  const startedAt = Date.now() / 1000 - process.uptime()
  return () => {
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed } = process.memoryUsage()
    const p99 = delay.percentile(99) / 1e9
    delay.reset()
    const gauge = (name: string, value: number): Gauge => ({ name, labels: {}, value })
    return [
      gauge('process_cpu_seconds_total', (user + system) / 1e6),
      gauge('process_resident_memory_bytes', rss),
      gauge('process_start_time_seconds', startedAt),
      gauge('nodejs_heap_size_used_bytes', heapUsed),
      // not a number before the first sample
      gauge('nodejs_eventloop_lag_p99_seconds', Number.isFinite(p99) ? p99 : 0),
    ]
  }
}

export const PROCESS_HELP: Readonly<Record<string, string>> = {
  process_cpu_seconds_total: 'Processor time of the process, user and system.',
  process_resident_memory_bytes: 'Memory of the process that is in RAM.',
  process_start_time_seconds: 'When the process started, in seconds since 1970.',
  nodejs_heap_size_used_bytes: 'Used part of the JavaScript heap.',
  nodejs_eventloop_lag_p99_seconds: 'Delay of the event loop since the last scrape, 99th percentile.',
}
