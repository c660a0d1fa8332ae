import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Labels come from fixed sets only (row names, status codes, error codes), so that a scrape stays small. */
export type Labels = Readonly<Record<string, string | number>>

/** A current value or, if its name ends with `_total`, a count since this replica started. */
export interface Gauge {
  name: string
  labels: Labels
  value: number
}

export interface Metrics {
  /** Adds to a counter; its name ends with `_total`. */
  count(name: string, labels: Labels, by?: number): void
  /** Adds one observation of seconds to a histogram. */
  observe(name: string, labels: Labels, seconds: number): void
  /** All metrics in the text format of Prometheus, with the given gauges. */
  render(gauges: readonly Gauge[]): string
}

const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Counters and histograms of this process, since it started.
 *
 * @param help the help text of each metric, also of the gauges.
 */
export function createMetrics(help: Readonly<Record<string, string>>): Metrics {
  const counters = new Map<string, Map<string, number>>()
  const histograms = new Map<string, Map<string, Histogram>>()
  return {
    count(name, labels, by = 1) {
      const series = seriesOf(counters, name)
      const key = labelText(labels)
      series.set(key, (series.get(key) ?? 0) + by)
    },
    observe(name, labels, seconds) {
      const series = seriesOf(histograms, name)
      const key = labelText(labels)
      let histogram = series.get(key)
      if (histogram === undefined) {
        histogram = { labels, buckets: BOUNDS.map(() => 0), sum: 0, count: 0 }
        series.set(key, histogram)
      }
      record(histogram, seconds)
    },
    render(gauges) {
      const lines: string[] = []
      for (const [name, series] of counters) {
        lines.push(...headerOf(help, name, 'counter'))
        for (const [labels, value] of series) lines.push(`${name}${labels} ${value}`)
      }
      for (const [name, series] of histograms) {
        lines.push(...headerOf(help, name, 'histogram'))
        for (const histogram of series.values()) lines.push(...linesOf(name, histogram))
      }
      const typed = new Set<string>()
      for (const { name, labels, value } of gauges) {
        if (!typed.has(name))
          lines.push(...headerOf(help, name, name.endsWith('_total') ? 'counter' : 'gauge'))
        typed.add(name)
        lines.push(`${name}${labelText(labels)} ${value}`)
      }
      return `${lines.join('\n')}\n`
    },
  }
}

interface Histogram {
  labels: Labels
  /** The observations at or below each of `BOUNDS`. */
  buckets: number[]
  sum: number
  count: number
}

function seriesOf<Value>(metrics: Map<string, Map<string, Value>>, name: string): Map<string, Value> {
  const known = metrics.get(name)
  if (known !== undefined) return known
  const series = new Map<string, Value>()
  metrics.set(name, series)
  return series
}

function record(histogram: Histogram, seconds: number): void {
  for (const [index, bound] of BOUNDS.entries())
    if (seconds <= bound) histogram.buckets[index] = (histogram.buckets[index] ?? 0) + 1
  histogram.sum += seconds
  histogram.count += 1
}

/** The format requires every bucket in this order, including those of 0. */
function linesOf(name: string, { labels, buckets, sum, count }: Histogram): string[] {
  const text = labelText(labels)
  return [
    ...BOUNDS.map((bound, index) => `${name}_bucket${labelText({ ...labels, le: bound })} ${buckets[index]}`),
    `${name}_bucket${labelText({ ...labels, le: '+Inf' })} ${count}`,
    `${name}_sum${text} ${sum}`,
    `${name}_count${text} ${count}`,
  ]
}

function headerOf(help: Readonly<Record<string, string>>, name: string, type: string): string[] {
  const lines = [`# TYPE ${name} ${type}`]
  if (help[name] !== undefined) lines.unshift(`# HELP ${name} ${help[name]}`)
  return lines
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escapeLabel(String(value))}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeLabel(text: string): string {
  // most labels need no escape, and each request writes several
  if (!/[\\"\n]/.test(text)) return text
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

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
