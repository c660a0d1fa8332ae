import { parseArgs } from 'node:util'
import { print } from './report.ts'
import type { Result } from './report.ts'

const usage = `Name one or more of: changes, conflict, console [--rounds N] [--slow-network], graph, typing, lists [--installations N] [--operations N] [--attempts N] [--failed N] [--only TEXT], readers [--installations N] [--operations N], save, engine [--rounds N] [--peers] [--commit-ms N] [--workers N] [--at-once N], plugin, requests [--hostile-seconds N], retention, soak [--minutes N] [--restart N] [--out FOLDER]`

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      installations: { type: 'string', default: '1000000' },
      operations: { type: 'string', default: '10000000' },
      attempts: { type: 'string', default: '0' },
      failed: { type: 'string' },
      only: { type: 'string' },
      rounds: { type: 'string' },
      'slow-network': { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      'commit-ms': { type: 'string', default: '0' },
      workers: { type: 'string', default: '1' },
      'at-once': { type: 'string', default: '20' },
      'hostile-seconds': { type: 'string', default: '30' },
      minutes: { type: 'string', default: '480' },
      restart: { type: 'string', default: '30' },
      out: { type: 'string', default: '.cache/soak' },
    },
  })
  const amount = {
    installations: Number(values.installations),
    operations: Number(values.operations),
    attempts: Number(values.attempts),
    ...(values.failed !== undefined && { failed: Number(values.failed) }),
  }
  const soak = { minutes: Number(values.minutes), restartMinutes: Number(values.restart), out: values.out }
  const engine = {
    rounds: Number(values.rounds ?? 3),
    peers: values.peers,
    commitMs: Number(values['commit-ms']),
    workers: Number(values.workers),
    atOnce: Number(values['at-once']),
  }
  const page = { rounds: Number(values.rounds ?? 7), isNetworkSlow: values['slow-network'] }
  const requests = { hostileSeconds: Number(values['hostile-seconds']) }
  return { names: positionals, amount, only: values.only ?? '', soak, engine, page, requests }
}

const { names, amount, only, soak, engine, page, requests } = readArguments()
const BENCHMARKS: Record<string, () => Promise<Result | Result[]>> = {
  changes: async () => (await import('./changes.ts')).benchChanges(),
  conflict: async () => (await import('./conflict.ts')).benchConflict(),
  console: async () => (await import('./console.ts')).benchConsole(page),
  graph: async () => (await import('./graph.ts')).benchGraph(),
  typing: async () => (await import('./typing.ts')).benchTyping(),
  lists: async () => (await import('./lists.ts')).benchLists(amount, only),
  readers: async () => (await import('./readers.ts')).benchReaders(amount),
  save: async () => (await import('./save.ts')).benchSave(),
  engine: async () => (await import('./engine.ts')).benchEngine(engine),
  retention: async () => (await import('./retention.ts')).benchRetention(),
  requests: async () => (await import('./requests.ts')).benchRequests(requests),
  plugin: async () => (await import('./plugin.ts')).benchPlugin(),
  soak: async () => (await import('./soak.ts')).benchSoak(soak),
}
if (names.length === 0 || names.some((name) => !(name in BENCHMARKS))) {
  console.error(usage)
  process.exit(2)
}
for (const name of names) {
  print([(await BENCHMARKS[name]?.()) ?? []].flat())
}
process.exit(0)
