import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { greet } from '#bff/greeting.ts'
import { readConsoleSettings } from '#bff/settings.ts'
import { createLoadGuard } from '#http-kit/load-guard.ts'
import { createLog } from '#http-kit/log.ts'
import { runProgram } from '#http-kit/program.ts'
import type { Program } from '#http-kit/program.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { readRuntimeSettings } from '#runtime/config.ts'
import { requireArchive } from '#runtime/retention/archive-receipts.ts'
import { buildDemo } from '../demo/build-demo.ts'
import { DemoDates, moveToDates } from '../demo/dates.ts'
import { FIRST_NAMES } from '../demo/people.ts'
import { startAll } from '../start.ts'
import type { Running } from '../start.ts'
import { buildConsole } from './console-build.ts'
import { root } from './process.ts'

const OPTIONS = ['--no-demo']

async function main({ onStop, end, ending }: Program): Promise<void> {
  const unknown = process.argv.slice(2).find((argument) => !OPTIONS.includes(argument))
  if (unknown !== undefined)
    throw new SettingsError(`${unknown} is not an option; available: ${OPTIONS.join(', ')}`)
  const settings = readConsoleSettings(process.env)
  const runtime = readRuntimeSettings(process.env)
  await requireArchive(runtime.retention.archive)
  const dataDir = resolve(runtime.dataDir)
  await buildConsole()

  const log = createLog({ name: 'bundle-console', level: settings.logLevel })
  const wantsDemo = !process.argv.includes('--no-demo') && settings.runtime === null
  const running = await startAll({
    dataDir,
    databaseUrl: runtime.database.url,
    databaseWaitMs: runtime.database.waitMs,
    databaseMigrates: runtime.database.migrates,
    console: settings,
    runtime: {
      port: runtime.port,
      platformApiBase: runtime.platformApiBase,
      egressAllow: runtime.egressAllow,
      egressDeny: runtime.egressDeny,
      credentials: runtime.credentials,
      sealingKeyFiles: runtime.sealingKeyFiles,
      retention: runtime.retention,
    },
    plugins: wantsDemo || existsSync(join(dataDir, 'plugins')),
    folder: join(root, 'dist', 'web'),
    load: createLoadGuard(),
    log,
  })
  onStop(() => running.stop())
  void running.failed.then(() => end(1, 'The embedded database ended unexpectedly. See its log in DATA_DIR.'))
  // before anybody can sign in: its dates are moved only while its own people are the only ones
  if (wantsDemo) await buildDemoOnce(running, dataDir, ending)
  await greet(running.signIn, { names: wantsDemo ? FIRST_NAMES : undefined, isForPeople: true })
}

/** On an empty directory, or one where an earlier build was interrupted. A complete demo is left unchanged. */
async function buildDemoOnce(
  { call, plugins, database }: Running,
  dataDir: string,
  ending: AbortSignal,
): Promise<void> {
  const done = join(dataDir, 'demo-world')
  if (call === null || plugins === null || existsSync(done)) return
  console.log('\nBuilding the demo: bundles are installed by running real operations.')
  console.log('Some of them fail on purpose, and the log says so: two stay failed, and two are retried …')
  const started = performance.now()
  try {
    const dates = new DemoDates()
    await buildDemo({ call, plugins, dates })
    if (database !== null) await moveToDates(database, dates)
    writeFileSync(done, `${new Date().toISOString()}\n`)
    console.log(`The demo is complete (${((performance.now() - started) / 1000).toFixed(0)} s).`)
  } catch (error) {
    if (ending.aborted) return
    console.error(`The demo could not be completed: ${(error as Error).message}`)
    console.error('The console works without it. The next start resumes it; --no-demo skips it.')
  }
}

await runProgram(main)
