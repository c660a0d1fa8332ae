import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderInConsole } from '../../testing/render.tsx'
import { SearchInput } from './SearchInput.tsx'

test('Escape clears a search, and the next one leaves the field', async () => {
  const onSearch = vi.fn()
  await renderInConsole(<SearchInput label="Search" value="crm" onSearch={onSearch} />)
  const field = page.getByRole('searchbox', { name: 'Search' })
  await field.click()
  await userEvent.keyboard('{Escape}')
  await expect.element(field).toHaveValue('')
  await expect.element(field).toHaveFocus()
  await expect.poll(() => onSearch.mock.lastCall).toEqual([''])
  await userEvent.keyboard('{Escape}')
  await expect.element(field).not.toHaveFocus()
})
