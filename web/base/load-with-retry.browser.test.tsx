import { expect, test } from 'vitest'
import { loadWithRetry, MissingPartError } from './load-with-retry.ts'

test('a part that is missing right after a reload fails with an error that the router does not answer with another reload', async () => {
  sessionStorage.setItem('bundle-console.reloaded', String(Date.now()))
  const missing = new TypeError('Failed to fetch dynamically imported module: /assets/Part.js')
  const error = await loadWithRetry(() => Promise.reject(missing)).catch((thrown: unknown) => thrown)
  sessionStorage.removeItem('bundle-console.reloaded')
  expect(error).toBeInstanceOf(MissingPartError)
  expect(error).toMatchObject({ message: 'A part of the console could not be loaded.', cause: missing })
})
