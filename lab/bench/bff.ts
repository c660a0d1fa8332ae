import { Pool } from 'undici'
import { createActorAssertions } from '#bff/actor-assertion.ts'
import { loadActorKey } from '#bff/actor-key.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { person } from './person.ts'
import { median, round } from './report.ts'
import type { Result } from './report.ts'
import { sessionCookie } from '../../demo/sign-in.ts'
import { startBenchSystem } from './system.ts'

const SAMPLES = 1_000
const CONCURRENCY = [1, 16]

/** The same read through the BFF (session, permission, validation, mapping) and directly at the runtime. */
export async function benchBff(): Promise<Result> {
  const system = await startBenchSystem()
  const cookie = await sessionCookie(system.url, system.user)
  const credential = readFileSync(join(system.dataDir, 'runtime-credential'), 'utf8')
  const assertion = createActorAssertions(await loadActorKey(system.dataDir))
  const pools = { bff: new Pool(system.url), runtime: new Pool(new URL(system.runtimeUrl).origin) }
  const read = async (way: 'bff' | 'runtime'): Promise<number> => {
    const headers =
      way === 'bff'
        ? { cookie, 'x-requested-by': 'console' }
        : { authorization: `Bearer ${credential}`, 'x-runtime-actor-assertion': await assertion(person) }
    const path = way === 'bff' ? '/api/installations' : '/bundle-runtime/api/installations'
    const started = performance.now()
    const { statusCode, body } = await pools[way].request({ path, method: 'GET', headers })
    const text = await body.text()
    if (statusCode !== 200) throw new Error(`${way} answered ${statusCode}: ${text.slice(0, 200)}`)
    return performance.now() - started
  }
  const rows: Result['rows'] = []
  const ratios: number[] = []
  for (const concurrency of CONCURRENCY) {
    const times = { bff: [] as number[], runtime: [] as number[] }
    for (let done = 0; done < SAMPLES; done += concurrency) {
      for (const way of ['runtime', 'bff'] as const) {
        times[way].push(...(await Promise.all(Array.from({ length: concurrency }, () => read(way)))))
      }
    }
    const settled = (way: 'bff' | 'runtime') => median(times[way].slice(times[way].length / 4))
    const ratio = settled('bff') / settled('runtime')
    ratios.push(ratio)
    rows.push({
      'concurrent requests': concurrency,
      'runtime ms': round(settled('runtime')),
      'through the BFF ms': round(settled('bff')),
      ratio: round(ratio),
    })
  }
  await Promise.all([pools.bff.close(), pools.runtime.close()])
  await system.stop()
  return {
    name: 'bff',
    rows,
    figure: Math.max(...ratios),
    goal: 2,
    meaning:
      'Median time of GET installations through the BFF divided by the same read at the runtime; the higher of the two ratios.',
  }
}
