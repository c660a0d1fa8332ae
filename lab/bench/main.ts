import { parseArgs } from 'node:util'
import { print } from './report.ts'
import type { Result } from './report.ts'

const usage = `Name one or more of:
  console [--only pages|typing|conflict|graph] [--rounds N] [--slow-network]
  lists [--only TEXT|readers] [--installations N] [--operations N] [--attempts N] [--failed N]
  save [--only modules|changes]
  engine [--only operations|retention] [--rounds N] [--peers] [--commit-ms N] [--workers N] [--at-once N]
  plugin [--only calls|outbox|resolve|checker]
  requests [--hostile-seconds N]
  soak [--minutes N] [--restart N] [--out FOLDER]`

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
const BENCHMARKS: Record<string, () => Promise<Result[]>> = {
  console: async () => (await import('./console.ts')).benchConsole({ ...page, only }),
  lists: async () => (await import('./lists.ts')).benchLists(amount, only),
  save: async () => (await import('./save.ts')).benchSave(only),
  engine: async () => (await import('./engine.ts')).benchEngine({ ...engine, only }),
  plugin: async () => (await import('./plugin.ts')).benchPlugin(only),
  requests: async () => (await import('./requests.ts')).benchRequests(requests),
  soak: async () => (await import('./soak.ts')).benchSoak(soak),
}
if (names.length === 0 || names.some((name) => !(name in BENCHMARKS))) {
  console.error(usage)
  process.exit(2)
}
for (const name of names) {
  print((await BENCHMARKS[name]?.()) ?? [])
}
process.exit(0)
