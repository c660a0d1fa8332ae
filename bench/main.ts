import { print } from './report.ts'
import type { Result } from './report.ts'

const BENCHMARKS: Record<string, () => Promise<Result | Result[]>> = {
  console: async () => (await import('./console.ts')).benchConsole(),
  lists: async () => (await import('./lists.ts')).benchLists(),
  bff: async () => (await import('./bff.ts')).benchBff(),
  start: async () => (await import('./start.ts')).benchStart(),
}

const names = process.argv.slice(2)
const unknown = names.find((name) => !(name in BENCHMARKS))
if (names.length === 0 || unknown !== undefined) {
  console.error(`Name one or more of: ${Object.keys(BENCHMARKS).join(', ')}`)
  process.exit(2)
}
for (const name of names) {
  for (const result of [await BENCHMARKS[name]?.()].flat()) {
    if (result !== undefined) print(result)
  }
}
process.exit(0)
