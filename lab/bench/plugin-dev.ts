import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { installPackages } from '../../packages/plugin-check/testing/install-package.ts'
import { pageResponds } from './page-responds.ts'
import { median, round } from './report.ts'
import type { Result } from './report.ts'
import { stopGroup } from './stop-group.ts'

const PORTS = { console: 18_094, platform: 18_095, controls: 18_096 }
const SECONDS = 3
const ROUNDS = 5

/**
 * Measures the seconds from `npx plugin-check dev` in an empty folder until it says that it is ready and its page and the
 * console respond. The first start on a machine compiles the program and creates an empty database; later starts reuse
 * them, in any folder.
 */
export async function benchPluginDev(): Promise<Result> {
  const { folder, remove } = installPackages('plugin-check', 'plugin-dev')
  try {
    const first = await startOnce(folder)
    const again: number[] = []
    for (let start = 0; start < ROUNDS; start++) again.push(await startOnce(folder))
    return {
      name: 'plugin-dev',
      rows: [
        { start: 'first on this machine', seconds: round(first) },
        ...again.map((seconds, index) => ({ start: `again, ${index + 1}`, seconds: round(seconds) })),
      ],
      figure: median(again),
      goal: SECONDS,
      meaning:
        'Seconds from npx plugin-check dev in an empty folder to a console that responds, without the first.',
    }
  } finally {
    remove()
  }
}

async function startOnce(folder: string): Promise<number> {
  for (const name of ['.plugin-dev', 'plugin-check.json'])
    rmSync(join(folder, name), { recursive: true, force: true })
  const started = performance.now()
  const options = {
    url: 'http://127.0.0.1:9/lifecycle',
    port: PORTS.console,
    'platform-port': PORTS.platform,
    'controls-port': PORTS.controls,
  }
  const program = spawn(
    'npx',
    [
      'plugin-check',
      'dev',
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    ],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
      env: { ...process.env, XDG_CACHE_HOME: folder, NODE_COMPILE_CACHE: join(folder, 'compiled') },
    },
  )
  try {
    for await (const line of createInterface(program.stdout)) {
      if (!line.startsWith('Ready after')) continue
      // each of them responds under its own name only
      for (const address of [`http://127.0.0.1:${PORTS.controls}/`, `http://localhost:${PORTS.console}/`]) {
        if (!(await pageResponds(address))) throw new Error(`${address} does not respond`)
      }
      return (performance.now() - started) / 1000
    }
    throw new Error('plugin-dev ended before it was ready')
  } finally {
    program.stdout.resume()
    await stopGroup(program)
  }
}
