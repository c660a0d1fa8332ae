import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { opensPage } from './opens-page.ts'
import { median, round } from './report.ts'
import type { Result } from './report.ts'

const PORTS = { console: 18_094, platform: 18_095, controls: 18_096 }
const SECONDS = 3
const ROUNDS = 5
const root = dirname(import.meta.dirname)

const PROFILE = {
  pluginId: 'bench',
  resources: {
    'dev/bench/MODULE/main': {
      properties: { name: 'Northwind' },
      changed: { name: 'New' },
      writes: { id: {} },
    },
  },
}

/**
 * From `npm run plugin-dev` with an empty data folder until it says that it is ready and its page and the console respond.
 * The first start builds the console, compiles modules and creates an empty database; later starts reuse them.
 */
export async function benchPluginDev(): Promise<Result> {
  const first = await startOnce()
  const again: number[] = []
  for (let round_ = 0; round_ < ROUNDS; round_++) again.push(await startOnce())
  return {
    name: 'plugin-dev',
    rows: [
      { start: 'first since a change of the sources or of Node, if there was one', seconds: round(first) },
      ...again.map((seconds, index) => ({ start: `again, ${index + 1}`, seconds: round(seconds) })),
    ],
    figure: median(again),
    goal: SECONDS,
    meaning:
      'Seconds from npm run plugin-dev, each time with an empty data folder, to a console that responds.',
  }
}

async function startOnce(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-console-bench-'))
  const profile = join(folder, 'plugin-check.json')
  writeFileSync(profile, JSON.stringify(PROFILE))
  const started = performance.now()
  const options = {
    url: 'http://127.0.0.1:9/lifecycle',
    profile,
    data: join(folder, 'data'),
    port: PORTS.console,
    'platform-port': PORTS.platform,
    'controls-port': PORTS.controls,
  }
  const program = spawn(
    'npm',
    [
      'run',
      'plugin-dev',
      '--',
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], detached: true },
  )
  const ended = once(program, 'exit')
  try {
    for await (const line of createInterface(program.stdout)) {
      if (!line.startsWith('Ready after')) continue
      // each of them responds under its own name only
      for (const address of [`http://127.0.0.1:${PORTS.controls}/`, `http://localhost:${PORTS.console}/`]) {
        if (!(await opensPage(address))) throw new Error(`${address} does not respond`)
      }
      return (performance.now() - started) / 1000
    }
    throw new Error('plugin-dev ended before it was ready')
  } finally {
    // the whole group: npm, the wrapper script, and the program itself
    process.kill(-(program.pid ?? 0), 'SIGINT')
    program.stdout.resume()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}
