import { startChild, untilPaused } from './child.ts'
import type { Child } from './child.ts'

/** How often, of all deliveries, something goes wrong in this way. */
export interface Faults {
  /** A failure that may pass, without an effect. */
  retryable: number
  /** A failure for good, without an effect: the operation is FAILED until a person does something. */
  definite: number
  /** Status 503. */
  unavailable: number
  /** The connection is cut before the plugin has done anything. */
  'reset-before': number
  /** The effect is made and the connection is cut instead of an answer. */
  'reset-after': number
  /** Nothing happens until the runtime has long given up. */
  hang: number
  /** The effect is made when the runtime has long given up. */
  late: number
}

export const NO_FAULTS: Faults = {
  retryable: 0,
  definite: 0,
  unavailable: 0,
  'reset-before': 0,
  'reset-after': 0,
  hang: 0,
  late: 0,
}

export interface LedgerSettings {
  /** Everything that the plugins keep. */
  folder: string
  /** Where the keys of the runtime's tokens are; null takes a call from anybody. */
  platformApiBase: string | null
  pluginIds: readonly string[]
  port: number
  seed: number
  faults: Faults
  /** When the runtime gives a call up. */
  timeoutMs: number
  /** An honest plugin takes up to so long. */
  maxDelayMs: number
}

/** The process in which all plugins of a suite live. */
export interface Plugins {
  endpoint(pluginId: string): string
  start(): Promise<void>
  kill(): Promise<void>
  pause(): Promise<void>
  resume(): void
}

const PROGRAM = new URL('./ledger-main.ts', import.meta.url)

export function createPlugins(settings: LedgerSettings): Plugins {
  let child: Child | undefined
  return {
    endpoint: (pluginId) => `http://127.0.0.1:${settings.port}/${pluginId}`,
    async start() {
      child = startChild({ file: PROGRAM, args: [JSON.stringify(settings)] })
      await child.line((line) => line.startsWith('plugins at '))
    },
    async kill() {
      child?.signal('SIGKILL')
      await child?.exited
    },
    async pause() {
      child?.signal('SIGSTOP')
      if (child !== undefined) await untilPaused(child)
    },
    resume: () => child?.signal('SIGCONT'),
  }
}
