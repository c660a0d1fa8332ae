import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { renderInConsole } from '../../../testing/render.tsx'
import { NearBlock } from './NearBlock.tsx'

const title = (index: number) => `Property ${index}`

const row = (index: number) => ({
  key: title(index),
  title: title(index),
  field: (
    <label style={{ display: 'block', height: 96 }}>
      {title(index)} <input />
    </label>
  ),
})

async function renderRows() {
  await renderInConsole(
    <div>
      {Array.from({ length: 25 }, (_, block) => (
        <NearBlock
          key={block}
          isWanted={block === 18}
          rows={Array.from({ length: 8 }, (_, at) => row(block * 8 + at))}
        />
      ))}
    </div>,
  )
}

const field = (index: number) => page.getByRole('textbox', { name: title(index), exact: true })

test('only wanted blocks and blocks near the viewport have fields; every row has its title', async () => {
  await renderRows()
  await expect.element(field(0)).toBeVisible()
  await expect.element(field(150)).toBeVisible()
  expect(document.querySelectorAll('input').length).toBeLessThan(50)
  await expect.element(page.getByText(title(100), { exact: true })).toBeInTheDocument()
})

test('a block gets its fields when it is scrolled near, and keeps the input when it is scrolled away', async () => {
  await renderRows()
  await expect.element(field(100)).not.toBeInTheDocument()
  page.getByText(title(100), { exact: true }).element().scrollIntoView()
  await field(100).fill('kept')
  scrollTo(0, 0)
  await expect.element(field(0)).toBeInViewport()
  await expect.element(field(100)).toHaveValue('kept')
})

test('printing renders every field', async () => {
  await renderRows()
  await expect.element(field(0)).toBeVisible()
  dispatchEvent(new Event('beforeprint'))
  expect(document.querySelectorAll('input').length).toBe(200)
})
