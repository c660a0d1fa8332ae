import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pageResponds } from './page-responds.ts'
import { median, round } from './report.ts'
import type { Result } from './report.ts'
import { stopGroup } from './stop-group.ts'

const PORT = 18_090
const SECONDS = 5
const ROUNDS = 3
const root = dirname(dirname(import.meta.dirname))

/** Measures the seconds from `npm start` on an existing directory to the first response of a page. */
export async function benchStart(): Promise<Result> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bundle-console-bench-'))
  const first = await startOnce(dataDir)
  const again: number[] = []
  for (let start = 0; start < ROUNDS; start++) again.push(await startOnce(dataDir))
  rmSync(dataDir, { recursive: true, force: true })
  return {
    name: 'start',
    rows: [
      { start: 'first, on an empty directory', seconds: round(first) },
      ...again.map((seconds, index) => ({ start: `again, ${index + 1}`, seconds: round(seconds) })),
    ],
    figure: median(again),
    goal: SECONDS,
    meaning:
      'Seconds from npm start on an existing directory to the first response; the first start is not counted.',
  }
}

async function startOnce(dataDir: string): Promise<number> {
  const started = performance.now()
  const program = spawn('npm', ['start', '--', '--no-demo'], {
    cwd: root,
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(PORT), RUNTIME_PORT: String(PORT + 1) },
  })
  try {
    for (;;) {
      if (await pageResponds(`http://localhost:${PORT}/`)) return (performance.now() - started) / 1000
      if (program.exitCode !== null) throw new Error(`npm start exited with ${program.exitCode}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  } finally {
    await stopGroup(program)
    await untilPortIsFree()
  }
}

async function untilPortIsFree(): Promise<void> {
  while ((await fetch(`http://localhost:${PORT}/healthz`).catch(() => null)) !== null) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
