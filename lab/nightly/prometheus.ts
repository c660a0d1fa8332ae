import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { freePort } from '#database/free-port.ts'
import { root } from '../../scripts/process.ts'
import { startProcess } from '../verification/processes/child.ts'

/** A minute of the rules is two seconds of the test; limits in seconds are a sixtieth. */
const FASTER = { durations: 30, limits: 60 }

const Vector = z.object({
  data: z.object({
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        values: z.array(z.tuple([z.number(), z.string()])),
      }),
    ),
  }),
})
type Series = z.output<typeof Vector>['data']['result'][number]

/** A real Prometheus with the rules of `deploy/`, in which time runs 30 times as fast. */
export interface Prometheus {
  /** The names of the alerts that fire now. */
  firing(): Promise<ReadonlySet<string>>
  /** Resolves once the alert fires, or no longer does; rejects after `seconds`. */
  until(alert: string, isFiring: boolean, seconds?: number): Promise<void>
  /** The series of an expression since the start. */
  query(expression: string): Promise<Series[]>
  stop(): Promise<void>
}

/** `targets`: by job, `host:port`. Starts it and waits until every target is scraped. */
export async function startPrometheus(
  targets: Readonly<Record<string, { path: string; hosts: readonly string[] }>>,
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'))
  const rules = faster(readFileSync(join(root, 'deploy/prometheus/alerts.yml'), 'utf8'))
  writeFileSync(join(folder, 'alerts.yml'), rules)
  const jobs = Object.entries(targets).map(([job_name, { path, hosts }]) => ({
    job_name,
    metrics_path: path,
    static_configs: [{ targets: hosts }],
  }))
  // a program answers within two seconds, whatever is wrong
  const global = { scrape_interval: '2500ms', scrape_timeout: '2500ms', evaluation_interval: '1s' }
  // JSON is YAML
  writeFileSync(
    join(folder, 'prometheus.yml'),
    JSON.stringify({ global, rule_files: ['alerts.yml'], scrape_configs: jobs }),
  )
  const address = `127.0.0.1:${await freePort()}`
  let began = Date.now() / 1000
  const child = startProcess([
    'prometheus',
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
  ])
  const ask = async (path: string, search: Record<string, string> = {}): Promise<unknown> => {
    const response = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(search).toString()}`)
    const body: unknown = await response.json()
    if (!response.ok) throw new Error(`Prometheus refuses ${JSON.stringify(search)}: ${JSON.stringify(body)}`)
    return body
  }
  const query = async (expression: string): Promise<Series[]> => {
    const [start, end] = [began, Date.now() / 1000].map(String)
    return Vector.parse(
      await ask('query_range', { query: expression, start: start ?? '', end: end ?? '', step: '1' }),
    ).data.result
  }
  const firing = async (): Promise<ReadonlySet<string>> => {
    const { data } = Alerts.parse(await ask('alerts'))
    const names = data.alerts
      .filter(({ state }) => state === 'firing')
      .map(({ labels }) => labels['alertname'] ?? '')
    return new Set(names)
  }
  const until = async (alert: string, isFiring: boolean, seconds = 60): Promise<void> => {
    const deadline = performance.now() + seconds * 1_000
    let names = await firing()
    while (names.has(alert) !== isFiring) {
      if (performance.now() > deadline)
        throw new Error(
          `${alert} ${isFiring ? 'does not fire' : 'does not end'} within ${seconds} s; there are: ${[...names].join(', ') || 'none'}`,
        )
      await sleep(500)
      names = await firing()
    }
  }
  const expected = Object.values(targets).flatMap(({ hosts }) => hosts).length
  for (let tries = 0; ; tries++) {
    const up = await query('up == 1').catch(() => [])
    if (up.length === expected && (await firing()).size === 0) break
    if (tries === 100) throw new Error(`not every target is scraped: ${child.output().slice(-5).join('\n')}`)
    await sleep(200)
  }
  // before the first scrape there is nothing, and that would be long in the time of the rules
  began = Date.now() / 1000
  return {
    firing,
    until,
    query,
    async stop() {
      child.signal('SIGTERM')
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const Alerts = z.object({
  data: z.object({
    alerts: z.array(z.object({ state: z.string(), labels: z.record(z.string(), z.string()) })),
  }),
})

/** The rules with every duration, and every limit in seconds, divided. */
export function faster(rules: string): string {
  const seconds: Readonly<Record<string, number>> = { m: 60, h: 3_600 }
  return rules
    .replaceAll(
      /\b(\d+)([mh])\b(?=\]|\n|$)/g,
      (_, n: string, unit: string) =>
        `${Math.max(1, (Number(n) * (seconds[unit] ?? 1)) / FASTER.durations)}s`,
    )
    .replaceAll(
      /(_seconds\) > )(\d+)/g,
      (_, before: string, n: string) => `${before}${Number(n) / FASTER.limits}`,
    )
    .replaceAll(', 86400)', `, ${86_400 / FASTER.durations})`)
}
