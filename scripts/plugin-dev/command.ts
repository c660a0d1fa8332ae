import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createLog } from '#http-kit/log.ts'
import { runProgram } from '#http-kit/program.ts'
import type { Program } from '#http-kit/program.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { readProfile } from '../../packages/plugin-check/src/profile.ts'
import { createStarterProfile } from '../../packages/plugin-check/src/starter-profile.ts'
import { startPluginDev } from './start.ts'

const OPTIONS =
  '--url URL [--profile FILE] [--data FOLDER] [--port N] [--platform-port N] [--controls-port N]'

/** What differs between the command of the repository and that of the package. */
export interface PluginDevCommand {
  /** The command as its user types it, without options. */
  name: string
  args: readonly string[]
  /** Returns the folder of the built console, and how many milliseconds a build took, if there was one. */
  consoleFolder(): Promise<{ folder: string; buildMs: number }>
  /** Whether a folder without a profile gets one to start from. */
  createsProfile: boolean
}

const PROFILE = 'plugin-check.json'

/**
 * Runs the real system for one plugin until it is stopped. Prints the usage for `--help`. Exits with 2, as plugin-check
 * does, if the options or the profile are wrong.
 */
export async function runPluginDev(command: PluginDevCommand): Promise<void> {
  const { name, args } = command
  if (args.includes('--help') || args.includes('-h')) return console.log(`Usage: ${name} ${OPTIONS}`)
  let start: Start
  try {
    start = readStart(command)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(2)
  }
  return runProgram((program) => main(command, start, program))
}

type Start = ReturnType<typeof readStart>

/** What the options and the profile say. Creates the profile to start from. */
function readStart(command: PluginDevCommand) {
  const { profile, ...options } = readArguments(command)
  const isNew = command.createsProfile && profile === null && createStarterProfile(PROFILE)
  return { ...options, isNew, read: readProfile(profile ?? PROFILE) }
}

async function main(
  command: PluginDevCommand,
  { url, data, isNew, read, ports }: Start,
  { onStop, end }: Program,
): Promise<void> {
  const { folder, buildMs } = await command.consoleFolder()
  const dev = await startPluginDev({
    pluginUrl: url,
    profile: read,
    dataDir: resolve(data),
    ports,
    folder,
    log: createLog({ name: 'plugin-dev', level: 'warn' }),
  })
  onStop(() => dev.stop())
  void dev.running.failed.then(() =>
    end(1, 'The embedded database ended unexpectedly. See its log in the folder of --data.'),
  )
  const { username, password } = dev.signIn
  const seconds = (ms: number): string => (ms / 1000).toFixed(1)
  if (isNew)
    console.log(
      `\n${PROFILE} was created, for the plugin of "plugin-sdk init". For another plugin, change its pluginId and its resources, delete ${data}, and start again.`,
    )
  console.log(`
The console is at ${dev.running.url}
Sign in as ${username} with ${password}
Start operations and plant faults at ${dev.controlsUrl}
${dev.startsPlugin ? `The plugin ${read.pluginId} was started, and is called at ${url}.` : `The plugin ${read.pluginId} is called at ${url}. Configure it with`}
  platform API base  ${dev.platform}
  credential         the content of ${dev.credentialFile}
Ready after ${seconds(performance.now())} s${buildMs === 0 ? '' : `, of which ${seconds(buildMs)} s built the console; the build is kept until its sources change`}`)
}

function readArguments({ name, args }: PluginDevCommand) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        url: { type: 'string' },
        profile: { type: 'string' },
        data: { type: 'string', default: '.plugin-dev' },
        port: { type: 'string', default: '8080' },
        'platform-port': { type: 'string', default: '8099' },
        'controls-port': { type: 'string', default: '8088' },
      },
    })
    const { url, profile, data } = values
    if (url === undefined || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new Error('--url must be the lifecycle endpoint of the plugin')
    return {
      url,
      profile: profile ?? null,
      data,
      ports: {
        console: portOf(values.port),
        platform: portOf(values['platform-port']),
        controls: portOf(values['controls-port']),
      },
    }
  } catch (error) {
    throw new SettingsError(
      `${error instanceof Error ? error.message : String(error)}. Usage: ${name} ${OPTIONS}`,
    )
  }
}

function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error(`${text} is not a port`)
  return port
}
