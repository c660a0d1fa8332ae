import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { UsageError, type Profile } from '../profile.ts'

/** The process of the plugin, which the checker starts, kills and restarts. */
export interface Host {
  /** Resolves when the plugin accepts connections. */
  start(): Promise<void>
  /** SIGKILL: the plugin gets no chance to finish anything. */
  kill(): Promise<void>
  /** Everything that the plugin wrote to its output, in all its lives; the last MiB. */
  output(): string
  /** The last error that the plugin printed, as one sentence. */
  lastError(): string
  /** One sentence if the plugin ended by itself since its last start; null while it runs. */
  endedByItself(): string | null
}

const OUTPUT_MAX = 1024 * 1024
const POLL_MS = 10

/** What `start` of the profile can pass to the plugin. */
export interface HostValues {
  /** The address of the platform. */
  platform: string
  /** With which the plugin calls resolve. */
  credential: string
}

/** Uses `start` of the profile; null without it. */
export function createHost(profile: Profile, url: string, values: HostValues): Host | null {
  const { start } = profile
  if (start === undefined) return null
  const { readyWithinMs } = start
  const fill = (text: string): string =>
    text.replaceAll('{platform}', values.platform).replaceAll('{credential}', values.credential)
  const [program = '', ...args] = start.command.map(fill)
  const env = Object.fromEntries(Object.entries(start.env).map(([name, text]) => [name, fill(text)]))
  const isGroup = process.platform !== 'win32'
  let child: ChildProcess | null = null
  let isKilled = false
  let output = ''

  // The plugin must not outlive a checker that is interrupted, or whose terminal is closed. A checker whose output is a
  // file outlives its terminal.
  const killAtExit = (): void => {
    if (child !== null) killTree(child, isGroup)
  }
  const watchOurEnd = (): void => {
    process.on('exit', killAtExit)
    if (process.stdout.isTTY) process.on('SIGHUP', exitAtHangup)
  }
  const stopWatching = (): void => {
    process.off('exit', killAtExit)
    process.off('SIGHUP', exitAtHangup)
  }

  async function ready(running: ChildProcess): Promise<void> {
    const giveUpAt = performance.now() + readyWithinMs
    while (performance.now() < giveUpAt) {
      const ended = running.signalCode ?? running.exitCode
      if (ended !== null)
        throw new UsageError(
          `The plugin ended with ${ended} before it accepted connections at ${url}. Check start.command of the profile. ${reason(output)}`,
        )
      if (await isListening(url)) return
      await wait(POLL_MS)
    }
    throw new UsageError(
      `The plugin does not accept connections at ${url} within ${readyWithinMs / 1000} s of its start. Check start.command and start.readyWithinMs of the profile. ${reason(output)}`,
    )
  }

  /** The program under a shell or a launcher ends after it, and accepts connections until then. */
  async function untilSilent(): Promise<void> {
    const giveUpAt = performance.now() + readyWithinMs
    while (performance.now() < giveUpAt && (await isListening(url))) await wait(POLL_MS)
  }

  return {
    async start() {
      if (await isListening(url))
        throw new UsageError(
          child === null
            ? `Something already listens at ${url}. Stop it: the checker starts the plugin with start.command.`
            : `Something still listens at ${url} although the plugin was killed. Let start.command start the plugin without a supervisor and without a process group of its own.`,
        )
      const running = spawn(program, args, {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: isGroup,
      })
      running.on('error', (error) => {
        output += error.message
      })
      for (const stream of [running.stdout, running.stderr])
        stream.on('data', (chunk: Buffer) => {
          output = (output + chunk.toString()).slice(-OUTPUT_MAX)
        })
      child = running
      isKilled = false
      // a plugin that crashed is still watched
      stopWatching()
      watchOurEnd()
      await ready(running)
    },
    async kill() {
      const running = child
      isKilled = true
      if (running === null) return
      const isRunning = running.exitCode === null && running.signalCode === null
      const ended = isRunning ? once(running, 'exit') : null
      // what a command has started can be left when it has ended
      if (isRunning || (await isListening(url))) killTree(running, isGroup)
      await ended
      await untilSilent()
      stopWatching()
    },
    output: () => output,
    lastError: () => reason(output),
    endedByItself() {
      const ended = child?.signalCode ?? child?.exitCode ?? null
      if (isKilled || ended === null) return null
      return `The plugin ended by itself with ${ended}. ${reason(output)}`
    },
  }
}

const exitAtHangup = (): void => process.exit(129)

/** Also ends what the command itself started, such as the program behind a shell. */
function killTree(child: ChildProcess, isGroup: boolean): void {
  try {
    if (isGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

/** Enough for the line of the SDK about a failure, whose message comes last. */
const TEXT_MAX = 500

/** The last error in the output, which is not its last line if a stack follows; without one, its last line. */
function reason(output: string): string {
  const lines = output.trim().split('\n')
  const found =
    lines.findLast((line) => /^(.*: |\s*)(Uncaught )?\w*(Error|Exception)\b.*:/.test(line)) ?? lines.at(-1)
  const text = found?.trim().slice(0, TEXT_MAX) ?? ''
  return text === '' ? 'It printed nothing.' : `It printed: ${text}`
}

/** A connection over which nothing is sent yet, to the address of a plugin. */
export function connectTo(url: string): Socket {
  const { hostname, port, protocol } = new URL(url)
  return connect(Number(port) || (protocol === 'https:' ? 443 : 80), hostname.replace(/^\[|\]$/g, ''))
}

/** Whether something accepts connections at the address. */
export function isListening(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTo(url)
    const end = (isOpen: boolean): void => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.setTimeout(1_000, () => end(false))
  })
}
