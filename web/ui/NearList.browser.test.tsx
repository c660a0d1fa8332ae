import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { renderInConsole } from '../testing/render.tsx'
import { FIRST_ITEMS, NearList } from './NearList.tsx'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

function Numbers({ count }: { count: number }) {
  return (
    <ul>
      <NearList
        items={numbers(count)}
        keyOf={String}
        full={(item) => (
          <li style={{ height: 120 }}>
            Number {item} <button type="button">Open {item}</button>
          </li>
        )}
        brief={(item, ref) => (
          <li ref={ref} style={{ height: 120 }}>
            Number {item}
          </li>
        )}
      />
    </ul>
  )
}

const number = (item: number) => page.getByText(`Number ${item}`, { exact: true })
const open = (item: number) => page.getByRole('button', { name: `Open ${item}`, exact: true })
const buttons = page.getByRole('button')

test('every item is there at once, most of them in brief', async () => {
  await renderInConsole(<Numbers count={1000} />)
  await expect.element(number(999)).toBeInTheDocument()
  await expect.element(buttons).toHaveLength(FIRST_ITEMS)
})

test('an item in full is rendered near the window, and stays', async () => {
  await renderInConsole(<Numbers count={1000} />)
  await expect.element(open(700)).not.toBeInTheDocument()
  number(700).element().scrollIntoView()
  await expect.element(open(700)).toBeInViewport()
  scrollTo(0, 0)
  await expect.element(open(0)).toBeInViewport()
  await expect.element(open(700)).toBeInTheDocument()
  expect(buttons.elements().length).toBeLessThan(2 * FIRST_ITEMS)
})

test('printing renders every item in full', async () => {
  await renderInConsole(<Numbers count={200} />)
  await expect.element(buttons).toHaveLength(FIRST_ITEMS)
  dispatchEvent(new Event('beforeprint'))
  expect(buttons.elements().length).toBe(200)
})

test('a short list is rendered in full', async () => {
  await renderInConsole(<Numbers count={FIRST_ITEMS} />)
  await expect.element(buttons).toHaveLength(FIRST_ITEMS)
})
