import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderInConsole } from '../../testing/render.tsx'
import { ConfirmForm } from './ConfirmForm.tsx'

test('a screen reader reads what will happen with the title, and which fields are required', async () => {
  await renderInConsole(
    <ConfirmForm
      title="Detach?"
      confirm="Detach"
      reason={{ label: 'Reason', required: true }}
      word="storefront"
      plan={<p>crm-sync, before resources</p>}
      send={() => Promise.resolve()}
      onClose={() => undefined}
    >
      <p>This cannot be undone.</p>
    </ConfirmForm>,
  )
  const dialog = page.getByRole('dialog', { name: 'Detach?' })
  // the plan is too long to be read at once
  await expect.element(dialog).toHaveAccessibleDescription('This cannot be undone.')
  await expect.element(dialog).toMatchTextContent(/crm-sync/)
  for (const name of [/^Reason/, /^Type storefront to confirm/])
    await expect.element(page.getByRole('textbox', { name })).toBeRequired()
  await expect.element(page.getByRole('textbox', { name: /^Reason/ })).toHaveFocus()
  await userEvent.tab()
  await expect.element(page.getByRole('textbox', { name: /^Type/ })).toHaveFocus()
  await userEvent.tab()
  await expect.element(page.getByRole('button', { name: 'Cancel' })).toHaveFocus()
})
