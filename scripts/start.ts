import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readConsoleSettings } from '#bff/settings.ts'
import { createLog } from '#edge/log.ts'
import { SettingsError } from '#edge/settings.ts'
import { readRuntimeSettings } from '#runtime/config.ts'
import { buildDemoWorld } from '../demo/world.ts'
import { startAll } from '../start.ts'
import type { Running } from '../start.ts'
import { buildConsole } from './console-build.ts'
import { root } from './process.ts'

const KNOWN = ['--no-demo']

async function main(): Promise<void> {
  const unknown = process.argv.slice(2).find((argument) => !KNOWN.includes(argument))
  if (unknown !== undefined) throw new SettingsError(`${unknown} is no option; there is ${KNOWN.join(', ')}`)
  const settings = readConsoleSettings(process.env)
  const runtime = readRuntimeSettings(process.env)
  const dataDir = resolve(runtime.dataDir)
  await buildConsole()

  const log = createLog({ name: 'bundle-console', level: settings.logLevel })
  const wantsDemo = !process.argv.includes('--no-demo') && settings.runtime === null
  const running = await startAll({
    dataDir,
    databaseUrl: runtime.databaseUrl,
    console: settings,
    runtime: {
      port: runtime.port,
      platformApiBase: runtime.platformApiBase,
      egressAllow: runtime.egressAllow,
      credential: runtime.credential,
    },
    plugins: wantsDemo || existsSync(join(dataDir, 'plugins')),
    folder: join(root, 'dist', 'web'),
    log,
  })
  stopWith(running)
  greet(running)
  if (wantsDemo) await furnish(running, dataDir)
}

/** On an empty directory, and on one where this was cut off. A world that is there is left as it is. */
async function furnish({ call, plugins }: Running, dataDir: string): Promise<void> {
  const done = join(dataDir, 'demo-world')
  if (call === null || plugins === null || existsSync(done)) return
  console.log('\nThe demo world is being built: bundles are installed by really running operations …')
  const started = performance.now()
  await buildDemoWorld({ call, plugins })
  writeFileSync(done, `${new Date().toISOString()}\n`)
  console.log(`The demo world is complete (${((performance.now() - started) / 1000).toFixed(0)} s).`)
}

function greet({ url, newUsers }: Running): void {
  console.log(`\nThe console is at ${url}`)
  if (newUsers.length === 0) {
    console.log(
      'Sign in with the users and passwords that were printed at the first start, or set CONSOLE_USERS.',
    )
    return
  }
  console.log('Sign in as one of these users. The passwords are shown this once:\n')
  for (const { username, password, roles } of newUsers) {
    console.log(`  ${username.padEnd(10)} ${password}   ${roles.join(', ')}`)
  }
}

function stopWith(running: Running): void {
  let isStopping = false
  const stop = (code: number, why?: string): void => {
    if (isStopping) return
    isStopping = true
    if (why !== undefined) console.error(why)
    void running.stop().then(() => process.exit(code))
  }
  process.on('SIGINT', () => stop(0))
  process.on('SIGTERM', () => stop(0))
  void running.failed.then(() => stop(1, 'The embedded database ended by itself. See its log in DATA_DIR.'))
}

try {
  await main()
} catch (error) {
  // a start that fails says in one line what to do; where that is not enough, debugging shows where it came from
  console.error(process.env['LOG_LEVEL'] === 'debug' ? error : (error as Error).message)
  process.exit(1)
}
