import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Person, Snapshot } from '#contract/console-api/shapes.ts'
import { wrapData } from '#contract/protocol/data.ts'
import { renderConsole } from '../../../testing/render.tsx'
import { CORE, MAIL, MIRA, OLIVIA, serveScope } from '../../../testing/served-scope.ts'
import { HISTORY, PEOPLE } from '../draft/endpoints.ts'

/** Someone whose saves are on a later page. */
const NOAH: Person = { id: 'noah', name: 'Noah Quill' }

/** One in each entry of the history. */
const entries = page.getByRole('button', { name: 'Compare with now' })
const filter = (label: string) => page.getByRole('combobox', { name: label, exact: true })

const snapshot = (
  snapshotVersion: number,
  savedBy: Person,
  [locator, property]: [string, string],
): Snapshot => ({
  snapshotVersion,
  savedAt: `2026-11-20T10:00:0${snapshotVersion}.000Z`,
  savedBy,
  reason: null,
  cause: 'SAVE',
  operationId: null,
  operations: [],
  changes: [{ locator, property, before: wrapData(1), after: wrapData(snapshotVersion) }],
})

/** The history of a scope; the server filters it. */
async function renderHistory(search = '') {
  const all = [
    snapshot(4, OLIVIA, [MAIL, 'smtpPort']),
    snapshot(3, MIRA, [MAIL, 'smtpUser']),
    snapshot(2, MIRA, [CORE, 'seats']),
  ]
  const scope = await serveScope({
    [PEOPLE]: () => ({ items: [OLIVIA, MIRA, NOAH] }),
    [HISTORY]: ({ query }) => {
      const [locator, property, savedBy] = ['locator', 'property', 'savedBy'].map((name) => query.get(name))
      const items = all.filter(
        ({ savedBy: by, changes }) =>
          (savedBy === null || by.id === savedBy) &&
          changes.some(
            (change) =>
              (locator === null || change.locator === locator) &&
              (property === null || change.property === property),
          ),
      )
      return { items, nextCursor: null }
    },
  })
  return renderConsole(`${scope.address(MAIL)}&tab=history${search}`)
}

test('the history is filtered by property alone, and by person; the other people remain in the list', async () => {
  const screen = await renderHistory()
  await expect.element(entries).toHaveLength(3)
  await filter('Property').selectOptions('SMTP user')
  await expect.element(entries).toHaveLength(1)
  expect(screen.address()).toContain('changed=smtpUser')

  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.element(entries).toHaveLength(3)
  await filter('Person').selectOptions('Olivia Quill')
  await expect.element(entries).toHaveLength(1)
  await filter('Person').selectOptions('Mira Castellan')
  await expect.element(entries).toHaveLength(2)
  expect(screen.address()).toContain('by=mira')
})

test('people whose saves are not loaded yet can be chosen', async () => {
  const screen = await renderHistory()
  await expect.element(entries).toHaveLength(3)
  await filter('Person').selectOptions('Noah Quill')
  await expect.poll(screen.address).toContain('by=noah')
  await expect.element(entries).toHaveLength(0)
})

test('operations that retention has removed are counted, and have no link', async () => {
  const scope = await serveScope({
    [PEOPLE]: () => ({ items: [OLIVIA] }),
    [HISTORY]: () => ({
      items: [
        {
          ...snapshot(5, OLIVIA, [MAIL, 'smtpPort']),
          operations: ['0198c5a0-0000-7000-8000-000000000008'],
          operationsRemoved: 2,
        },
        { ...snapshot(4, OLIVIA, [MAIL, 'smtpPort']), operationsRemoved: 1 },
        {
          ...snapshot(3, OLIVIA, [CORE, 'seats']),
          cause: 'CONFIGURE',
          operationId: '0198c5a0-0000-7000-8000-000000000009',
          operationsRemoved: 1,
        },
      ],
      nextCursor: null,
    }),
  })
  await renderConsole(`${scope.address(MAIL)}&tab=history`)
  await expect.element(page.getByText('1 operation removed by retention')).toHaveLength(2)
  await expect.element(page.getByText('2 operations removed by retention')).toBeVisible()
  await expect.element(page.getByText('Configure operation')).toHaveLength(2)
  await expect.element(page.getByRole('link', { name: 'Configure operation' })).toHaveLength(1)
})

test('each button that restores an earlier value is named after its property and resource', async () => {
  await renderHistory()
  for (const place of ['SMTP port · CRM mail', 'SMTP user · CRM mail', 'Seats · CRM core'])
    await expect
      .element(page.getByRole('button', { name: `Restore earlier value: ${place}`, exact: true }))
      .toBeVisible()
})

test('choosing another resource keeps the property filter only if that resource has the property', async () => {
  const screen = await renderHistory('&changed=smtpPort')
  await expect.element(entries).toHaveLength(1)
  await filter('Resource').selectOptions('CRM mail')
  await expect.poll(screen.address).toContain('changed=smtpPort')
  await filter('Resource').selectOptions('CRM core')
  await expect.poll(screen.address).not.toContain('changed=')
  await expect.element(entries).toHaveLength(1)
})

test('the filters are chosen by keyboard', async () => {
  const screen = await renderHistory()
  await expect.element(entries).toHaveLength(3)
  filter('Resource').element().focus()
  await userEvent.tab()
  await expect.element(filter('Property')).toHaveFocus()
  await userEvent.keyboard('{ArrowDown}')
  await expect.poll(screen.address).toContain('changed=seats')
  await expect.element(entries).toHaveLength(1)
})
