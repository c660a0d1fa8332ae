import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export interface ChildOptions {
  file: URL
  args?: readonly string[]
  env?: Record<string, string>
  /** Modules that are loaded before the file. */
  imports?: readonly URL[]
}

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A program of ours as a process of its own, which never outlives this one. */
export interface Child {
  pid: number
  exited: Promise<Ended>
  /** Whether it runs, or is paused: whether it is there. */
  isAlive(): boolean
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGUSR2'): void
  /** The first line, said or to be said, that fits; rejects when the process ends without it. */
  line(fits: (line: string) => boolean): Promise<string>
  /** The last lines that it said. */
  said(): string[]
}

const KEPT_LINES = 400
const alive = new Set<Child>()

process.once('exit', () => {
  for (const child of alive) child.signal('SIGKILL')
})

/** Starts a TypeScript file with the very Node, and the very options of Node, that this process has. */
export function startChild({ file, args = [], env = {}, imports = [] }: ChildOptions): Child {
  const node = [
    process.execPath,
    ...imports.flatMap((url) => ['--import', url.href]),
    fileURLToPath(file),
    ...args,
  ]
  const [program = '', ...rest] = [...boundToUs(), ...node]
  const spawned = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const lines: string[] = []
  const listeners = new Set<(line: string) => void>()
  for (const stream of [spawned.stdout, spawned.stderr]) {
    createInterface(stream).on('line', (line) => {
      lines.push(line)
      if (lines.length > KEPT_LINES) lines.shift()
      for (const listener of listeners) listener(line)
    })
  }
  const exited = new Promise<Ended>((resolve) => {
    spawned.once('error', (error) => {
      lines.push(error.message)
      resolve({ code: null, signal: null })
    })
    // not "exit": what it said last must have been read
    spawned.once('close', (code, signal) => resolve({ code, signal }))
  })
  let isAlive = true
  const child: Child = {
    pid: spawned.pid ?? 0,
    exited,
    isAlive: () => isAlive,
    signal: (name) => void spawned.kill(name),
    said: () => [...lines],
    line(fits) {
      const already = lines.find(fits)
      if (already !== undefined) return Promise.resolve(already)
      return new Promise((resolve, reject) => {
        const listener = (line: string): void => {
          if (!fits(line)) return
          listeners.delete(listener)
          resolve(line)
        }
        listeners.add(listener)
        void exited.then(({ code, signal }) => {
          if (!listeners.delete(listener)) return
          reject(
            new Error(
              `a process ended (${code ?? signal}) before it said so: ${lines.slice(-3).join(' | ')}`,
            ),
          )
        })
      })
    },
  }
  alive.add(child)
  void exited.then(() => {
    isAlive = false
    alive.delete(child)
  })
  return child
}

/** Waits until a process that was sent SIGSTOP, or has sent it to itself, stands still. */
export async function untilPaused({ pid }: Child, timeoutMs = 10_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (stateOf(pid) !== 'T') {
    if (performance.now() > deadline) throw new Error(`process ${pid} does not stand still`)
    await sleep(5)
  }
}

/** As `ps` has it: `T` is stopped. */
function stateOf(pid: number): string {
  if (process.platform === 'linux') {
    try {
      // behind the name, which may have anything in it but ends with the last bracket
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0] ?? ''
    } catch {
      return ''
    }
  }
  return spawnSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()[0] ?? ''
}

let binding: string[] | undefined

/** On Linux the kernel ends the child when this process ends, however that is, and also a child that stands still. */
function boundToUs(): string[] {
  if (process.platform !== 'linux') return []
  const program = 'setpriv'
  const options = ['--pdeathsig', 'KILL', '--']
  binding ??= spawnSync(program, [...options, 'true']).status === 0 ? [program, ...options] : []
  return binding
}
