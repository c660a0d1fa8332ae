import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { chromiumContext, chromiumLaunch } from './scripts/chromium.ts'
import { apiOfTests } from './web/testing/api-server.ts'

const PACKAGES = [
  '@cfworker/json-schema',
  '@codemirror/lang-json',
  '@codemirror/language',
  '@codemirror/lint',
  '@codemirror/state',
  '@lezer/common',
  '@tanstack/react-query',
  '@tanstack/react-router',
  '@tanstack/react-virtual',
  'codemirror',
  'croner',
  'eventsource-parser',
  'react',
  'react-dom',
  'react-dom/client',
  'react/jsx-dev-runtime',
  'zod',
]

/** The component tests of the console, in the Chromium of the browser journeys. */
export default defineConfig({
  plugins: [react(), tailwindcss(), apiOfTests()],
  // shards run at the same time, and each writes its own
  cacheDir: `.cache/vite${process.env['VITEST_SHARD'] ?? ''}`,
  logLevel: 'error',
  // named, not discovered: a package that is found while the tests run would reload the page of a test
  optimizeDeps: { include: PACKAGES, noDiscovery: true },
  test: {
    include: ['web/**/*.browser.test.tsx'],
    setupFiles: ['web/testing/setup.ts'],
    // one page at a time: focus and the keyboard belong to the page in front, and so does the API
    fileParallelism: false,
    // all files in one page, which loads the modules of the console once: half of the time went into loading them again
    isolate: false,
    // for a busy machine
    testTimeout: 30_000,
    retry: process.env['CI'] === undefined ? 0 : 1,
    expect: { poll: { timeout: 10_000 } },
    allowOnly: false,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      traceView: false,
      dependencySourcemaps: false,
      viewport: { width: 1280, height: 800 },
      provider: playwright({
        launchOptions: {
          ...chromiumLaunch,
          args: [
            ...chromiumLaunch.args,
            '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost',
          ],
        },
        contextOptions: chromiumContext,
        actionTimeout: 10_000,
      }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
