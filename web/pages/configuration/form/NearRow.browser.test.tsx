import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { renderInConsole } from '../../../testing/render.tsx'
import { NearRow } from './NearRow.tsx'

const title = (index: number) => `Property ${index}`

async function renderRows() {
  await renderInConsole(
    <div>
      {Array.from({ length: 200 }, (_, index) => (
        <NearRow key={index} title={title(index)} isWanted={index === 150}>
          <label style={{ display: 'block', height: 96 }}>
            {title(index)} <input />
          </label>
        </NearRow>
      ))}
    </div>,
  )
}

const field = (index: number) => page.getByRole('textbox', { name: title(index), exact: true })

test('only rows near the window and a wanted row have fields, and every row has its title', async () => {
  await renderRows()
  await expect.element(field(0)).toBeVisible()
  await expect.element(field(150)).toBeVisible()
  expect(document.querySelectorAll('input').length).toBeLessThan(40)
  await expect.element(page.getByText(title(100), { exact: true })).toBeInTheDocument()
})

test('a row gets its field when it comes near, and keeps the input when it moves away', async () => {
  await renderRows()
  await expect.element(field(100)).not.toBeInTheDocument()
  page.getByText(title(100), { exact: true }).element().scrollIntoView()
  await field(100).fill('kept')
  scrollTo(0, 0)
  await expect.element(field(0)).toBeInViewport()
  await expect.element(field(100)).toHaveValue('kept')
})
