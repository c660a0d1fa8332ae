import { expect, test } from 'vitest'
import { cdp, page } from 'vitest/browser'
import { renderConsole, renderInConsole } from '../testing/render.tsx'
import { MAIL, serveScope } from '../testing/served-scope.ts'
import { Table } from './table/Table.tsx'
import { JsonTree } from './value/JsonTree.tsx'
import { ValueView } from './value/ValueView.tsx'

const LONG = `${'a long value '.repeat(40)}and its end`

test('values, documents and long lists are printed in full, and as they were afterwards', async () => {
  const rows = Array.from({ length: 400 }, (_, index) => ({ id: `row-${index}` }))
  await renderInConsole(
    <>
      <ValueView value={LONG} />
      <JsonTree label="Document" value={{ a: { b: { c: { d: 'deep inside' } } } }} />
      <Table
        label="Rows"
        rows={rows}
        rowKey={({ id }) => id}
        columns={[{ id: 'id', header: 'Id', cell: ({ id }) => id }]}
        empty={null}
      />
    </>,
  )
  await expect.element(page.getByText('row-0')).toBeInTheDocument()
  const missing = () =>
    ['and its end', 'deep inside', 'row-399'].filter((text) => !document.body.textContent.includes(text))
  expect(missing()).toEqual(['and its end', 'deep inside', 'row-399'])
  dispatchEvent(new Event('beforeprint'))
  // without waiting: the browser prints when the event ends
  expect(missing()).toEqual([])
  dispatchEvent(new Event('afterprint'))
  await expect.poll(missing).toEqual(['and its end', 'deep inside', 'row-399'])
})

test('the values of a form are printed as text, also one that is being edited', async () => {
  const scope = await serveScope()
  await renderConsole(scope.address(MAIL))
  const host = page.getByRole('textbox', { name: 'SMTP host' })
  await host.fill(LONG)
  dispatchEvent(new Event('beforeprint'))
  expect(document.getElementById('content')?.textContent).toContain(LONG)
  dispatchEvent(new Event('afterprint'))
  await expect.element(host).toHaveValue(LONG)
  await expect.element(host).toHaveFocus()
})

test('a list that is printed as cards begins with the first one, without the choice of its order', async () => {
  await renderInConsole(
    <main id="content" style={{ width: '30rem' }}>
      <Table
        label="Rows"
        rows={[{ id: 'row-0' }]}
        rowKey={({ id }) => id}
        columns={[{ id: 'id', header: 'Identifier', sortKey: 'id', cell: ({ id }) => id }]}
        sort="id"
        onSort={() => undefined}
        empty={null}
      />
    </main>,
  )
  const order = page.getByRole('combobox')
  await expect.element(order).toBeVisible()
  await cdp().send('Emulation.setEmulatedMedia', { media: 'print' })
  await expect.poll(() => matchMedia('print').matches).toBe(true)
  try {
    // what is hidden has no role
    expect(order.elements()).toEqual([])
    const top = (selector: string) => document.querySelector(selector)?.getBoundingClientRect().top ?? NaN
    expect(top('tbody')).toBe(top('table'))
  } finally {
    await cdp().send('Emulation.setEmulatedMedia', { media: '' })
  }
})
