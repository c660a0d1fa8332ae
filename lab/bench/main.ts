import { parseArgs } from 'node:util'
import { print } from './report.ts'
import type { Result } from './report.ts'

const usage = `Name one or more of: console, attempts, answer, typing, lists [--installations N] [--operations N] [--attempts N], failures, save, scope, batch, bff, engine, retention, transaction [--minutes N], recovery, plugin, plugin-dev, checker, start`

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      installations: { type: 'string', default: '1000000' },
      operations: { type: 'string', default: '10000000' },
      attempts: { type: 'string', default: '0' },
      minutes: { type: 'string', default: '5' },
    },
  })
  const amount = {
    installations: Number(values.installations),
    operations: Number(values.operations),
    attempts: Number(values.attempts),
  }
  return { names: positionals, amount, minutes: Number(values.minutes) }
}

const { names, amount, minutes } = readArguments()
const BENCHMARKS: Record<string, () => Promise<Result | Result[]>> = {
  console: async () => (await import('./console.ts')).benchConsole(),
  attempts: async () => (await import('./attempts.ts')).benchAttempts(),
  answer: async () => (await import('./answer.ts')).benchAnswer(),
  typing: async () => (await import('./typing.ts')).benchTyping(),
  lists: async () => (await import('./lists.ts')).benchLists(amount),
  failures: async () => (await import('./failures.ts')).benchFailures(),
  save: async () => (await import('./save.ts')).benchSave(),
  scope: async () => (await import('./scope.ts')).benchScope(),
  batch: async () => (await import('./batch.ts')).benchBatch(),
  bff: async () => (await import('./bff.ts')).benchBff(),
  engine: async () => (await import('./engine.ts')).benchEngine(),
  retention: async () => (await import('./retention.ts')).benchRetention(),
  transaction: async () => (await import('./transaction.ts')).benchTransaction(minutes),
  recovery: async () => (await import('./recovery.ts')).benchRecovery(),
  plugin: async () => (await import('./plugin.ts')).benchPlugin(),
  'plugin-dev': async () => (await import('./plugin-dev.ts')).benchPluginDev(),
  checker: async () => (await import('./checker.ts')).benchChecker(),
  start: async () => (await import('./start.ts')).benchStart(),
}
if (names.length === 0 || names.some((name) => !(name in BENCHMARKS))) {
  console.error(usage)
  process.exit(2)
}
for (const name of names) {
  print([(await BENCHMARKS[name]?.()) ?? []].flat())
}
process.exit(0)
