import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#database/free-port.ts'
import { BARE_ENVIRONMENT } from '#http-kit/testing-programs.ts'
import { root } from './process.ts'

/** How long a start may take on a busy machine. */
export const START_MS = 120_000

/** `npm start -- --no-demo` as a child process. */
export interface StartedProgram {
  /** Of the console. */
  url: string
  output: () => string
  errors: () => string
  /** The exit code; null if a signal ended it. */
  ended: Promise<number | null>
  /** Resolves once the console is up; rejects if the program ends before that, or after two minutes. */
  isUp(): Promise<void>
  /** Stops it in order and resolves with its exit code. */
  stop(): Promise<number | null>
  /** Sends SIGKILL; resolves when it has ended. */
  kill(): Promise<void>
}

/** A parent directory for data directories, and the programs on them; `close` kills those that still run. */
export interface StartPlace {
  /** A path inside it; the directory does not exist yet. */
  dataDir: string
  env: Record<string, string>
  /** `stdout`: a file descriptor to write to, instead of `output`. */
  start(env?: Record<string, string>, stdout?: number): StartedProgram
  close(): Promise<void>
}

export async function startPlace(): Promise<StartPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'start-'))
  const dataDir = join(folder, 'data')
  const started: StartedProgram[] = []
  const env = { DATA_DIR: dataDir, PORT: String(await freePort()), RUNTIME_PORT: String(await freePort()) }
  return {
    dataDir,
    env,
    start(changes = {}, stdout) {
      const program = startProgram({ ...env, ...changes }, stdout ?? 'pipe')
      started.push(program)
      return program
    },
    async close() {
      await Promise.all(started.map((program) => program.kill()))
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

function startProgram(env: Record<string, string>, stdout: number | 'pipe'): StartedProgram {
  const child = spawn(process.execPath, ['scripts/start.ts', '--no-demo'], {
    cwd: root,
    stdio: ['ignore', stdout, 'pipe'],
    env: { ...BARE_ENVIRONMENT, ...env },
  })
  let output = ''
  let errors = ''
  child.stdout?.setEncoding('utf8').on('data', (part: string) => (output += part))
  child.stderr?.setEncoding('utf8').on('data', (part: string) => (errors += part))
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null)
  return {
    url: `http://localhost:${env['PORT']}`,
    output: () => output,
    errors: () => errors,
    ended,
    async isUp() {
      const deadline = performance.now() + START_MS
      while (!output.includes('The console is at')) {
        if (child.exitCode !== null || performance.now() > deadline)
          throw new Error(`The console is not up: ${output}${errors}`)
        await sleep(20)
      }
    },
    stop() {
      child.kill('SIGTERM')
      return ended
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The program ends with 1 and one line that says why. */
export async function isRefused(program: StartedProgram, line: RegExp): Promise<void> {
  assert.equal(await program.ended, 1)
  assert.match(program.errors(), line)
  assert.equal(program.errors().trim().split('\n').length, 1, program.errors())
}
