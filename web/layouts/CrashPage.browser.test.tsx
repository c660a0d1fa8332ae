import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { MissingPartError } from '../base/load-with-retry.ts'
import { renderInConsole } from '../testing/render.tsx'
import { CrashPage } from './CrashPage.tsx'

test('a page whose script is missing says that a new version was published; one that fails does not', async () => {
  const { rerender } = await renderInConsole(<CrashPage error={new MissingPartError()} />)
  const alert = page.getByRole('alert')
  await expect
    .element(alert)
    .toMatchTextContent(
      /A new version of the console was published\. Reload the page\. .* try again in a minute/,
    )
  await expect.element(alert.getByRole('button', { name: 'Reload page' })).toBeVisible()
  await rerender(<CrashPage error={new TypeError()} />)
  await expect.element(alert).toMatchTextContent(/The console ran into an error/)
})
