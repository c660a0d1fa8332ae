import { useLayoutEffect, useState } from 'react'
import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { paths } from '../../addresses/paths.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { Button } from '../Button.tsx'
import { visit } from '../opening.ts'
import { Table, type Column, type TableProps } from './Table.tsx'

interface Person {
  id: string
  name: string
  installations: number
}

const COLUMNS: readonly Column<Person>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => name, sortKey: 'name' },
  {
    id: 'installations',
    header: 'Installations',
    cell: ({ installations }) => installations,
    sortKey: 'installations',
    sortFirst: 'descending',
    align: 'end',
  },
  {
    id: 'actions',
    header: 'Actions',
    headerHidden: true,
    cell: ({ name }) => <Button size="sm">Copy {name}</Button>,
  },
]
const rowKey = ({ id }: Person) => id
const rowLink = ({ id }: Person) => paths.installation(id)
const people = (count: number): Person[] =>
  Array.from({ length: count }, (_, n) => ({ id: `p-${n}`, name: `Person ${n}`, installations: n }))

const table = page.getByRole('table', { name: 'People' })
const rows = table.getByRole('row')
const link = (name: string) => page.getByRole('link', { name })

const renderTable = (props: Partial<TableProps<Person>>) =>
  renderInConsole(
    <Table
      label="People"
      columns={COLUMNS}
      rows={people(3)}
      rowKey={rowKey}
      rowLink={rowLink}
      empty={<p>Nobody is here.</p>}
      {...props}
    />,
  )

/** How many rows a table has when it is first painted. */
async function firstRows(props: Partial<TableProps<Person>>): Promise<number> {
  const counts: number[] = []
  function Watched() {
    useLayoutEffect(() => {
      counts.push(document.querySelectorAll('tbody tr').length)
    }, [])
    return <Table label="People" columns={COLUMNS} rowKey={rowKey} empty={null} rows={[]} {...props} />
  }
  await renderInConsole(<Watched />)
  return counts[0] ?? 0
}

test('the first table of a visit begins with the rows in the window, and has all of them soon', async () => {
  visit.isOpening = true
  const inWindow = Math.ceil((innerHeight - 90) / 36)
  expect(await firstRows({ rows: people(inWindow + 60) })).toBe(inWindow)
  await expect.poll(() => rows.elements().length).toBe(inWindow + 60 + 1)
})

test('fewer rows of two lines fill the window', async () => {
  visit.isOpening = true
  expect(await firstRows({ rows: people(60), lines: 2 })).toBe(Math.ceil((innerHeight - 90) / 52))
})

test('a later table has all rows at once, so that "back" finds the place that it scrolls to', async () => {
  expect(await firstRows({ rows: people(150) })).toBe(150)
})

test('a press anywhere in a row opens it, except on its controls', async () => {
  const screen = await renderTable({})
  await page.getByRole('button', { name: 'Copy Person 1' }).click()
  expect(screen.address()).toBe('/')
  await page.getByRole('cell', { name: '2', exact: true }).click()
  expect(screen.address()).toBe('/installations/p-2')
})

test('arrow keys move between rows, and Tab to the controls of a row', async () => {
  await renderTable({})
  link('Person 0').element().focus()
  await userEvent.keyboard('{ArrowUp}')
  await expect.element(link('Person 0')).toHaveFocus()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  await expect.element(link('Person 2')).toHaveFocus()
  await userEvent.keyboard('{ArrowUp}')
  await expect.element(link('Person 1')).toHaveFocus()
  await userEvent.tab()
  await expect.element(page.getByRole('button', { name: 'Copy Person 1' })).toHaveFocus()
})

test('a header sorts, announces the order, and reverses it at the next press', async () => {
  const sortSpy = vi.fn()
  function Sorted() {
    const [sort, setSort] = useState<string>()
    const onSort = (next: string) => {
      sortSpy(next)
      setSort(next)
    }
    return (
      <Table
        label="People"
        columns={COLUMNS}
        rows={people(3)}
        rowKey={rowKey}
        empty={null}
        sort={sort}
        onSort={onSort}
      />
    )
  }
  await renderInConsole(<Sorted />)
  const header = (name: string) => page.getByRole('columnheader', { name })
  await expect.element(header('Name')).toHaveAttribute('aria-sort', 'none')
  await header('Name').getByRole('button').click()
  await expect.element(header('Name')).toHaveAttribute('aria-sort', 'ascending')
  await header('Name').getByRole('button').click()
  await expect.element(header('Name')).toHaveAttribute('aria-sort', 'descending')
  await header('Installations').getByRole('button').click()
  await expect.element(header('Installations')).toHaveAttribute('aria-sort', 'descending')
  await expect.element(header('Name')).toHaveAttribute('aria-sort', 'none')
  await expect.element(header('Actions')).not.toHaveAttribute('aria-sort')
  expect(sortSpy.mock.calls).toEqual([['name'], ['-name'], ['-installations']])
})

test('until the first response, it is busy and has no rows to read; then it shows the empty state', async () => {
  const screen = await renderTable({ rows: undefined })
  await expect.element(table).toHaveAttribute('aria-busy', 'true')
  await expect.element(rows).toHaveLength(1)
  await screen.rerender(
    <Table label="People" columns={COLUMNS} rows={[]} rowKey={rowKey} empty={<p>Nobody is here.</p>} />,
  )
  await expect.element(page.getByText('Nobody is here.')).toBeVisible()
  expect(table.query()).toBeNull()
})

test('an error without earlier data is shown in its place, and can be retried', async () => {
  const onRetry = vi.fn()
  const error = { title: 'Not available', message: 'The runtime does not answer.', retryable: true }
  const screen = await renderTable({ rows: undefined, error, onRetry })
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
  expect(onRetry).toHaveBeenCalledOnce()
  await screen.rerender(
    <Table label="People" columns={COLUMNS} rows={people(1)} rowKey={rowKey} empty={null} error={error} />,
  )
  await expect.element(page.getByText('Person 0', { exact: true })).toBeVisible()
})

test('of ten thousand rows, only those near the window exist at any scroll position', async () => {
  await renderTable({ rows: people(10_000) })
  await expect.element(link('Person 0')).toBeVisible()
  expect(rows.elements().length).toBeLessThan(100)
  expect(document.documentElement.scrollHeight).toBeGreaterThan(10_000 * 30)
  link('Person 0').element().focus()
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(link('Person 1')).toHaveFocus()
  scrollTo(0, document.documentElement.scrollHeight)
  await expect.element(link('Person 9999')).toBeVisible()
  expect(rows.elements().length).toBeLessThan(100)
})

test('more rows are fetched near the end, and not before', async () => {
  const onEndReached = vi.fn()
  await renderTable({ rows: people(100), onEndReached })
  await expect.element(link('Person 0')).toBeVisible()
  // an observer first reports after a frame
  await new Promise(requestAnimationFrame)
  await new Promise(requestAnimationFrame)
  expect(onEndReached).not.toHaveBeenCalled()
  scrollTo(0, document.documentElement.scrollHeight)
  await expect.poll(() => onEndReached.mock.calls.length).toBeGreaterThan(0)
})

test('in a narrow table, a row is a card, and still a row for screen readers', async () => {
  await page.viewport(360, 740)
  await renderTable({})
  await expect.element(page.getByRole('cell', { name: 'Person 1' })).toBeVisible()
  await expect.element(rows).toHaveLength(4)
  await expect.element(page.getByRole('columnheader', { name: 'Name' })).toBeInTheDocument()
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(360)
})

test('on a card, the checkbox is visible and large enough for a finger', async () => {
  await page.viewport(360, 740)
  const onToggle = vi.fn()
  const check = { labelOf: ({ name }: Person) => `Select ${name}`, onToggle }
  await renderTable({
    selection: { keys: new Set(), check, onToggleAll: () => undefined, labelOfAll: 'Select all' },
  })
  const checkbox = page.getByRole('checkbox', { name: 'Select Person 1' })
  await expect.element(checkbox).toBeVisible()
  const { width, height, right } = checkbox.element().getBoundingClientRect()
  expect([width >= 24, height >= 24, right <= 360]).toEqual([true, true, true])
  await checkbox.click()
  expect(onToggle).toHaveBeenCalledTimes(1)
})

test('a press beside the checkbox of a row does not open it', async () => {
  const check = { labelOf: ({ name }: Person) => `Select ${name}`, onToggle: () => undefined }
  const screen = await renderTable({
    selection: { keys: new Set(), check, onToggleAll: () => undefined, labelOfAll: 'Select all' },
  })
  const checkbox = page.getByRole('checkbox', { name: 'Select Person 1' })
  checkbox.element().closest('td')?.click()
  expect(screen.address()).toBe('/')
  await page.getByRole('cell', { name: '1', exact: true }).click()
  expect(screen.address()).toBe('/installations/p-1')
})
