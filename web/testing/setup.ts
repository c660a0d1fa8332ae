import { afterEach, beforeEach, expect, vi } from 'vitest'
import { page } from 'vitest/browser'
import { cleanup, configure } from 'vitest-browser-react/pure'
import { queryClient } from '../app/query-client.ts'
import { startLocale } from '../i18n/locale.ts'
import '../styles/index.css'
import { visit } from '../ui/opening.ts'
import { currentToasts, dismissToast } from '../ui/toast.ts'
import { stopServingApi } from './api.ts'

// as in web/app/main.tsx
configure({ reactStrictMode: true })
await startLocale()

// React logs faulty components there, and so does our own code
const errors = vi.spyOn(console, 'error')

// the files share a page, so each test begins with what the one before it may have left
beforeEach(async () => {
  localStorage.clear()
  sessionStorage.clear()
  visit.isOpening = false
  dispatchEvent(new Event('afterprint'))
  errors.mockClear()
  await resetViewport()
})

afterEach(async () => {
  vi.useRealTimers()
  await cleanup()
  await stopServingApi()
  queryClient.clear()
  for (const { id } of currentToasts()) dismissToast(id)
  expect(errors.mock.calls).toEqual([])
})

/** The size that the configuration of the tests names. */
async function resetViewport(): Promise<void> {
  if (innerWidth !== 1280 || innerHeight !== 800) await page.viewport(1280, 800)
}
