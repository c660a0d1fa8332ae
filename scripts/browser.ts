import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { chromium } from '@playwright/test'
import { root, tool } from './process.ts'

/**
 * Finds a Chromium for tests, and installs one if there is none. Playwright's own is preferred; without it,
 * Debian's packages are used on Debian systems.
 *
 * @returns The path of the program, or undefined for Playwright's own.
 */
export function ensureBrowser(): string | undefined {
  if (existsSync(chromium.executablePath())) return undefined
  const present = systemChromium()
  if (present !== undefined && (isHeadlessShell(present) || !isDebianRoot() || !isFirstTry())) return present
  console.log('Installing Chromium …')
  if (isDebianRoot()) {
    // beside the whole Chromium, only what the machine knows of: without a network, that fails at once
    if (present === undefined) apt('update')
    apt('install', '-y', '--no-remove', HEADLESS_SHELL, 'fonts-noto-cjk')
    const installed = systemChromium()
    if (installed !== undefined) return installed
  }
  const install = spawnSync(
    process.execPath,
    [tool('@playwright/test/cli.js'), 'install', 'chromium-headless-shell', 'chromium'],
    {
      stdio: 'inherit',
    },
  )
  if (install.status !== 0) throw new Error('No Chromium was found, and none could be installed')
  return undefined
}

/** Debian's Chromium without its windows; a run with it takes a fifth less CPU time. */
const HEADLESS_SHELL = 'chromium-headless-shell'
const isHeadlessShell = (path: string) => basename(path) === HEADLESS_SHELL

/** Beside a whole Chromium, the headless shell is tried once: it makes tests faster, and they run without it. */
function isFirstTry(): boolean {
  const mark = join(root, '.cache', `${HEADLESS_SHELL}-tried`)
  if (existsSync(mark)) return false
  mkdirSync(dirname(mark), { recursive: true })
  writeFileSync(mark, '')
  return true
}

function apt(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync('apt-get', ['-qq', '-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=10', ...args], {
    stdio: 'ignore',
    env,
  })
}

function systemChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return [HEADLESS_SHELL, 'chromium', 'chromium-browser']
    .flatMap((program) => folders.map((folder) => join(folder, program)))
    .find((path) => existsSync(path))
}

function isDebianRoot(): boolean {
  return existsSync('/etc/debian_version') && process.getuid?.() === 0
}
