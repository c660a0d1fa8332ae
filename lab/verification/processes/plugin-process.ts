import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PLUGIN_IDS } from '../bundles.ts'
import { startChild } from './child.ts'
import type { Child, ChildOptions } from './child.ts'
import { fastFolder } from './fast-folder.ts'
import { freePort } from '#database/free-port.ts'

/** The probability of each fault of a delivery. */
export interface Faults {
  /** A transient failure, without an effect. */
  retryable: number
  /** A permanent failure, without an effect: the operation is FAILED until a person acts. */
  permanent: number
  /** Status 503. */
  unavailable: number
  /** The connection is cut before the plugin has done anything. */
  'reset-before': number
  /** The connection is cut after the effect, instead of a response. */
  'reset-after': number
  /** Nothing happens until the runtime has given up. */
  hang: number
  /** The effect happens after the runtime has given up. */
  late: number
}

export interface PluginSettings {
  /** Where the runtime's token keys are served; null accepts calls from anyone. */
  platformApiBase: string | null
  seed: number
  faults: Partial<Faults>
  /** When the runtime gives up on a call. */
  timeoutMs: number
  /** The maximum duration of a call without a fault. */
  maxDelayMs: number
}

/** For the program: `folder` contains everything that the plugins store. */
export interface PluginProgramSettings extends PluginSettings {
  folder: string
  port: number
  pluginIds: readonly string[]
}

/** The process in which all plugins of a suite run. */
export interface PluginProcess {
  /** Where the plugins record deliveries and effects. */
  folder: string
  endpoint(pluginId: string): string
  start(): Promise<void>
  kill(): Promise<void>
  pause(): Promise<void>
  /** Kills it and removes its folder. */
  remove(): Promise<void>
}

const PROGRAM = new URL('./plugin-main.ts', import.meta.url)

/** The process is not started yet. */
export async function createPluginProcess(
  settings: PluginSettings,
  hooks: Pick<ChildOptions, 'imports' | 'env'> = {},
): Promise<PluginProcess> {
  const folder = await mkdtemp(join(fastFolder(), 'bundle-console-plugins-'))
  const port = await freePort()
  const program: PluginProgramSettings = { ...settings, folder, port, pluginIds: PLUGIN_IDS }
  let child: Child | undefined
  const kill = async (): Promise<void> => {
    child?.signal('SIGKILL')
    await child?.exited
  }
  return {
    folder,
    endpoint: (pluginId) => `http://127.0.0.1:${port}/${pluginId}`,
    kill,
    async start() {
      child = startChild({ ...hooks, file: PROGRAM, args: [JSON.stringify(program)] })
      await child.line((line) => line.startsWith('plugins at '))
    },
    async pause() {
      child?.signal('SIGSTOP')
      await child?.paused()
    },
    async remove() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
