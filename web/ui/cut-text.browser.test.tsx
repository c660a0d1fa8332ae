import { expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderInConsole } from '../testing/render.tsx'
import { titleCutTexts } from './cut-text.ts'
import { Segments } from './Id.tsx'

test('a text that is cut off has the whole text as its title while the pointer is on it', async () => {
  onTestFinished(titleCutTexts())
  const whole = 'A text that is wider than its box'
  const texts = (width: number, title?: string) => (
    <div style={{ width }}>
      <p className="truncate" title={title}>
        <b>{whole}</b>
      </p>
      <p className="truncate" title="Its own">
        {whole}, with a title
      </p>
    </div>
  )
  const { rerender } = await renderInConsole(texts(80))
  const cut = page.getByText(whole, { exact: true })
  const titleOf = () => cut.element().closest('p')?.getAttribute('title') ?? null
  await userEvent.hover(cut)
  expect(titleOf()).toBe(whole)
  const titled = page.getByText(`${whole}, with a title`)
  await userEvent.hover(titled)
  await expect.element(titled).toHaveAttribute('title', 'Its own')
  expect(titleOf()).toBeNull()
  await userEvent.hover(cut)
  await rerender(texts(80, 'Given later'))
  for (const text of [titled, cut, titled]) {
    await userEvent.hover(text)
    expect(titleOf()).toBe('Given later')
  }
  await rerender(texts(600))
  await userEvent.hover(cut)
  expect(titleOf()).toBeNull()
})

test.for([
  [800, 'production-main-warehouse/eu/1'],
  [400, null],
] as const)('in a list that is %i px wide, a long scope has the title %s', async ([width, title]) => {
  onTestFinished(titleCutTexts())
  await renderInConsole(
    <div style={{ container: 'table / inline-size', width }}>
      <p className="list-cell">
        <Segments parts={['production-main-warehouse', 'eu', 1]} wraps />
      </p>
    </div>,
  )
  const scope = page.getByText('production-main-warehouse/')
  await userEvent.hover(scope)
  expect(scope.element().closest('p')?.getAttribute('title') ?? null).toBe(title)
})
