import type { Gauge, Labels } from './gauge.ts'

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
  const values = new Map<string, Map<string, number>>()
  const add = (name: string, labels: Labels, by: number): void => {
    const series = values.get(name) ?? new Map<string, number>()
    values.set(name, series)
    const key = labelText(labels)
    series.set(key, (series.get(key) ?? 0) + by)
  }
  return {
    count: (name, labels, by = 1) => add(name, labels, by),
    observe(name, labels, seconds) {
      // the format requires every bucket in this order, including those of 0
      for (const bound of BOUNDS) add(`${name}_bucket`, { ...labels, le: bound }, seconds <= bound ? 1 : 0)
      add(`${name}_bucket`, { ...labels, le: '+Inf' }, 1)
      add(`${name}_sum`, labels, seconds)
      add(`${name}_count`, labels, 1)
    },
    render(gauges) {
      const lines: string[] = []
      for (const [name, series] of values) {
        const type = typeOf(name)
        lines.push(...helpOf(help, type.slice(0, type.indexOf(' '))), `# TYPE ${type}`)
        for (const [labels, value] of series) lines.push(`${name}${labels} ${value}`)
      }
      const typed = new Set<string>()
      for (const { name, labels, value } of gauges) {
        if (!typed.has(name))
          lines.push(...helpOf(help, name), `# TYPE ${name} ${name.endsWith('_total') ? 'counter' : 'gauge'}`)
        typed.add(name)
        lines.push(`${name}${labelText(labels)} ${value}`)
      }
      return `${[...new Set(lines)].join('\n')}\n`
    },
  }
}

function helpOf(help: Readonly<Record<string, string>>, name: string): string[] {
  return help[name] === undefined ? [] : [`# HELP ${name} ${help[name]}`]
}

function typeOf(name: string): string {
  const histogram = /^(.*_seconds)_(?:bucket|sum|count)$/.exec(name)?.[1]
  return histogram === undefined ? `${name} counter` : `${histogram} histogram`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escapeLabel(String(value))}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
