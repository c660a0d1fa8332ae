import { defineConfig } from '@playwright/test'

// Debian's Chromium as root has no sandbox of its own, and no way to the networks that it would like to ask.
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
]
const executablePath = process.env['CHROMIUM_PATH']

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.e2e.ts',
  fullyParallel: true,
  forbidOnly: true,
  retries: process.env['CI'] === undefined ? 0 : 1,
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list'], ['json']],
  outputDir: '../test-results',
  globalSetup: './world/global-setup.ts',
  use: {
    browserName: 'chromium',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    viewport: { width: 1440, height: 900 },
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: { args: flags, ...(executablePath !== undefined && { executablePath }) },
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
  },
})
