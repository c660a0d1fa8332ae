import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CHECKER_VERSION } from './check.ts'

const PACKAGE = '@bundle-console/plugin-dev'

/**
 * Runs `plugin-check dev`. The system is a separate package, because it is much larger than the checker: an installed one is
 * used, otherwise npm fetches that of the same version, once. Returns the exit code; undefined while the system runs in this process.
 */
export async function runDev(
  args: readonly string[],
  print: (text: string) => void,
): Promise<number | undefined> {
  const installed = findPackage([pathToFileURL(join(process.cwd(), 'package.json')).href, import.meta.url])
  if (installed !== null) {
    process.argv.splice(2, Infinity, ...args)
    await import(pathToFileURL(installed).href)
    return undefined
  }
  print(`Fetching ${PACKAGE}, about 75 MB. Install it in your project to keep it there.`)
  const code = await runNpm([
    'exec',
    '--yes',
    `--package=${PACKAGE}@${CHECKER_VERSION}`,
    '--',
    'plugin-dev',
    ...args,
  ])
  if (code === NOT_STARTED) print('npm cannot be started. Check that it is in PATH.')
  return code
}

/** The program of the installed package, as seen from one of the files; null without one. */
function findPackage(from: readonly string[]): string | null {
  for (const file of from)
    try {
      return createRequire(file).resolve(`${PACKAGE}/command`)
    } catch {
      continue
    }
  return null
}

const NOT_STARTED = 127

function runNpm(args: readonly string[]): Promise<number> {
  const isWindows = process.platform === 'win32'
  const child = spawn(isWindows ? 'npm.cmd' : 'npm', args, { stdio: 'inherit', shell: isWindows })
  // Ctrl+C reaches the program directly, and this waits until it has stopped in order
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise((resolve) => {
    child.on('error', () => resolve(NOT_STARTED))
    child.on('close', (code) => resolve(code ?? 1))
  })
}
