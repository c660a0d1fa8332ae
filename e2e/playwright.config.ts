import { defineConfig } from '@playwright/test'
import { chromiumContext, chromiumLaunch } from '../scripts/chromium.ts'

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
  // Node runs the sources as they are, and caches them; to transform all that a worker loads would take it seconds
  build: { external: ['**'] },
  globalSetup: './harness/global-setup.ts',
  use: {
    browserName: 'chromium',
    locale: chromiumContext.locale,
    timezoneId: chromiumContext.timezoneId,
    viewport: { width: 1440, height: 900 },
    contextOptions: { reducedMotion: chromiumContext.reducedMotion },
    launchOptions: chromiumLaunch,
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
  },
})
