import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from '@playwright/test'
import { tool } from './process.ts'

/**
 * Finds a Chromium for tests, and installs one if there is none. Playwright's own is preferred; if it cannot be
 * downloaded, Debian's package is used on Debian systems.
 *
 * @returns The path of the program, or undefined for Playwright's own.
 */
export function ensureBrowser(): string | undefined {
  if (existsSync(chromium.executablePath())) return undefined
  const present = systemChromium()
  if (present !== undefined) return present
  console.log('Installing Chromium …')
  if (isDebianRoot()) {
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore' })
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    spawnSync('apt-get', ['install', '-y', '-qq', HEADLESS_SHELL, 'fonts-noto-cjk'], {
      stdio: 'ignore',
      env: environment,
    })
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

function systemChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return [HEADLESS_SHELL, 'chromium', 'chromium-browser']
    .flatMap((program) => folders.map((folder) => join(folder, program)))
    .find((path) => existsSync(path))
}

function isDebianRoot(): boolean {
  return existsSync('/etc/debian_version') && process.getuid?.() === 0
}
