import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createLog } from '#http-kit/log.ts'
import { runProgram } from '#http-kit/program.ts'
import type { Program } from '#http-kit/program.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { readProfile } from '../../packages/plugin-check/src/profile.ts'
import { buildConsole } from '../console-build.ts'
import { startPluginDev } from './start.ts'
import { root } from '../process.ts'

const USAGE =
  'npm run plugin-dev -- --url URL [--profile FILE] [--data FOLDER] [--port N] [--platform-port N] [--controls-port N]'

async function main({ onStop, end }: Program): Promise<void> {
  const { url, profile, data, ...ports } = readArguments()
  const read = readProfile(resolve(profile))
  const buildMs = await buildConsole()
  const dev = await startPluginDev({
    pluginUrl: url,
    profile: read,
    dataDir: resolve(data),
    ports,
    databaseTemplates: join(root, '.cache', 'plugin-dev'),
    folder: join(root, 'dist', 'web'),
    log: createLog({ name: 'plugin-dev', level: 'warn' }),
  })
  onStop(() => dev.stop())
  void dev.running.failed.then(() =>
    end(1, 'The embedded database ended unexpectedly. See its log in the folder of --data.'),
  )
  const { username, password } = dev.signIn
  const seconds = (ms: number): string => (ms / 1000).toFixed(1)
  console.log(`
The console is at ${dev.running.url}
Sign in as ${username} with ${password}
Start operations and plant faults at ${dev.controlsUrl}
${dev.startsPlugin ? `The plugin ${read.pluginId} was started, and is called at ${url}.` : `The plugin ${read.pluginId} is called at ${url}. Configure it with`}
  platform API base  ${dev.platform}
  credential         the content of ${dev.credentialFile}
Ready after ${seconds(performance.now())} s${buildMs === 0 ? '' : `, of which ${seconds(buildMs)} s built the console; the build is kept until its sources change`}`)
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        url: { type: 'string' },
        profile: { type: 'string', default: 'plugin-check.json' },
        data: { type: 'string', default: '.plugin-dev' },
        port: { type: 'string', default: '8080' },
        'platform-port': { type: 'string', default: '8099' },
        'controls-port': { type: 'string', default: '8088' },
      },
    })
    const { url, profile, data } = values
    if (url === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
      throw new Error('--url must be the lifecycle endpoint of the plugin')
    return {
      url,
      profile,
      data,
      console: portOf(values.port),
      platform: portOf(values['platform-port']),
      controls: portOf(values['controls-port']),
    }
  } catch (error) {
    throw new SettingsError(`${error instanceof Error ? error.message : String(error)}. Usage: ${USAGE}`)
  }
}

function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error(`${text} is not a port`)
  return port
}

await runProgram(main)
