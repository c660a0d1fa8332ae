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
  /** Receives every line of its output. */
  onLine?: (line: string) => void
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A program in a child process, which never outlives this one. */
export interface Child {
  /** 0 if it could not be started. */
  pid: number
  exited: Promise<Exit>
  /** True while the process exists, also while it is paused. */
  isAlive(): boolean
  signal(name: NodeJS.Signals): void
  /** Resolves when a SIGSTOP has taken effect. */
  paused(): Promise<void>
  /** The first line of output, past or future, that matches; rejects if the process ends without one. */
  line(fits: (line: string) => boolean): Promise<string>
  /** The last lines of its output. */
  output(): string[]
}

const MAX_LINES = 400
/** Of what an ended process has printed; enough for an error with its stack and properties. */
const LAST_LINES = 40
const PAUSE_TIMEOUT_MS = 10_000
const alive = new Set<Child>()

process.once('exit', () => {
  for (const child of alive) child.signal('SIGKILL')
})

/** Starts a TypeScript file with the Node, and the options of Node, of this process. */
export function startChild({ file, args = [], env = {}, imports = [], onLine }: ChildOptions): Child {
  const preloaded = imports.flatMap((url) => ['--import', url.href])
  return startProcess([process.execPath, ...preloaded, fileURLToPath(file), ...args], env, onLine)
}

/** Starts any program with its arguments; `env` is added to the environment of this process. */
export function startProcess(
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
  onLine: (line: string) => void = () => {},
): Child {
  const [program = '', ...rest] = [...boundToParent(), ...command]
  const spawned = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const lines: string[] = []
  const listeners = new Set<(line: string) => void>()
  for (const stream of [spawned.stdout, spawned.stderr]) {
    createInterface(stream).on('line', (line) => {
      onLine(line)
      lines.push(line)
      if (lines.length > MAX_LINES) lines.shift()
      for (const listener of listeners) listener(line)
    })
  }
  const exited = new Promise<Exit>((resolve) => {
    spawned.once('error', (error) => {
      lines.push(error.message)
      resolve({ code: null, signal: null })
    })
    // not "exit": all output must have been read
    spawned.once('close', (code, signal) => resolve({ code, signal }))
  })
  let isAlive = true
  const child: Child = {
    pid: spawned.pid ?? 0,
    exited,
    isAlive: () => isAlive,
    signal: (name) => void spawned.kill(name),
    output: () => [...lines],
    async paused() {
      const deadline = performance.now() + PAUSE_TIMEOUT_MS
      while (stateOf(spawned.pid ?? 0) !== 'T') {
        if (performance.now() > deadline) throw new Error(`process ${spawned.pid} is not paused`)
        await sleep(5)
      }
    },
    line(fits) {
      const found = lines.find(fits)
      if (found !== undefined) return Promise.resolve(found)
      return new Promise((resolve, reject) => {
        const listener = (line: string): void => {
          if (!fits(line)) return
          listeners.delete(listener)
          resolve(line)
        }
        listeners.add(listener)
        void exited.then(({ code, signal }) => {
          if (!listeners.delete(listener)) return
          const last = lines.slice(-LAST_LINES).join('\n')
          reject(new Error(`a process ended (${code ?? signal}) before the expected output:\n${last}`))
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

/** As printed by `ps`: `T` is stopped. */
function stateOf(pid: number): string {
  if (process.platform === 'linux') {
    try {
      // after the name, which may contain anything but ends with the last bracket
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0] ?? ''
    } catch {
      return ''
    }
  }
  return spawnSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()[0] ?? ''
}

let binding: string[] | undefined

/** On Linux the kernel kills the child when this process ends in any way, even while the child is paused. */
function boundToParent(): string[] {
  if (process.platform !== 'linux') return []
  const program = 'setpriv'
  const options = ['--pdeathsig', 'KILL', '--']
  binding ??= spawnSync(program, [...options, 'true']).status === 0 ? [program, ...options] : []
  return binding
}
