import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { lostAnswer, refusal } from '../../../testing/api.ts'
import { renderConsole } from '../../../testing/render.tsx'
import { CONFIGURATION, MAIL, PLAN, SAVE, serveScope } from '../../../testing/served-scope.ts'

const port = page.getByRole('textbox', { name: 'SMTP port' })
const bar = page.getByRole('region', { name: 'Unsaved changes' })
const review = page.getByRole('dialog')
const saveButton = review.getByRole('button', { name: /^Save and start/ })

/** The editor with one edit, and its review. */
async function reviewPort(value: string, handlers: Parameters<typeof serveScope>[0] = {}) {
  const scope = await serveScope(handlers)
  const screen = await renderConsole(scope.address(MAIL))
  await port.fill(value)
  await bar.getByRole('button', { name: 'Review' }).click()
  await expect.element(saveButton).toBeEnabled()
  return { ...scope, leave: () => screen.unmount() }
}

const storedDrafts = () => JSON.stringify({ ...localStorage })

test('exactly the edit is sent, based on the displayed snapshot, with its reason', async () => {
  const scope = await reviewPort('2525')
  await review.getByRole('textbox', { name: /^Reason/ }).fill('The provider moved')
  await saveButton.click()
  await expect.element(page.getByText('Snapshot 2 applied')).toBeVisible()
  expect(scope.saveRequests().map(({ body }) => body)).toEqual([
    {
      planToken: 'plan',
      snapshotVersion: 1,
      changes: { [MAIL]: { smtpPort: { '@type': 'Data', value: 2525 } } },
      reason: 'The provider moved',
    },
  ])
  await expect.element(bar).not.toBeInTheDocument()
  await expect.element(port).toHaveValue('2525')
})

test('during the save, its button is busy and cannot save again', async () => {
  let answer: () => void = () => undefined
  const isAnswered = new Promise<void>((resolve) => (answer = resolve))
  const scope = await reviewPort('2525')
  scope.api.answer({ [SAVE]: (request) => isAnswered.then(() => scope.save(request)) })
  await saveButton.click()
  await expect.element(saveButton).toHaveAttribute('aria-busy', 'true')
  await saveButton.click({ force: true })
  answer()
  await expect.element(page.getByText('Snapshot 2 applied')).toBeVisible()
  expect(scope.saveRequests()).toHaveLength(1)
})

test('a server error is shown at its field, and the edit is kept', async () => {
  const scope = await reviewPort('2525', {
    [SAVE]: () =>
      refusal({
        code: 'PROPERTY_INVALID',
        details: [
          {
            locator: MAIL,
            property: 'smtpPort',
            errorCode: 'PROPERTY_INVALID',
            message: 'The port is blocked.',
          },
        ],
      }),
  })
  await saveButton.click()
  await expect.element(saveButton).toHaveAccessibleDescription('Fix the invalid values first.')
  await review.getByRole('button', { name: 'Back to form' }).click()
  await expect.element(port).toHaveAccessibleDescription(/The port is blocked\./)
  await expect.element(port).toHaveValue('2525')
  expect(scope.saveRequests()).toHaveLength(1)

  scope.api.answer({ [SAVE]: scope.save })
  await port.fill('2526')
  await expect.element(port).not.toHaveAttribute('aria-invalid')
  await bar.getByRole('button', { name: 'Review' }).click()
  await saveButton.click()
  await expect.element(page.getByText('Snapshot 2 applied')).toBeVisible()
  expect(scope.values()[MAIL]).toMatchObject({ smtpPort: 2526 })
})

test('a refused value that is fixed no longer counts as invalid while another one does', async () => {
  const scope = await serveScope({
    [SAVE]: () =>
      refusal({
        code: 'PROPERTY_INVALID',
        details: ['smtpPort', 'smtpHost'].map((property) => ({
          locator: MAIL,
          property,
          errorCode: 'PROPERTY_INVALID',
          message: 'It is blocked.',
        })),
      }),
  })
  await renderConsole(scope.address(MAIL))
  await port.fill('2525')
  await page.getByRole('textbox', { name: 'SMTP host' }).fill('mail.example.com')
  await bar.getByRole('button', { name: 'Review' }).click()
  await saveButton.click()
  await review.getByRole('button', { name: 'Back to form' }).click()
  await expect.element(bar.getByRole('button', { name: '2 invalid' })).toBeVisible()

  await port.fill('2526')
  await expect.element(bar.getByRole('button', { name: '1 invalid' })).toBeVisible()
})

test('a save that the database refuses says why, and keeps the edit', async () => {
  const scope = await reviewPort('2525', {
    [SAVE]: () =>
      refusal({
        status: 503,
        code: 'SERVICE_UNAVAILABLE',
        message: 'The database accepts no writes at the moment. Retry in a moment.',
        retryable: true,
      }),
  })
  await saveButton.click()
  await expect.element(review.getByText('Your changes can’t be saved now')).toBeVisible()
  await expect.element(review.getByText(/^The database accepts no writes at the moment\./)).toBeVisible()
  await review.getByRole('button', { name: 'Stop checking' }).click()
  await expect.element(port).toHaveValue('2525')
  expect(storedDrafts()).toContain('2525')
  await bar.getByRole('button', { name: 'Review' }).click()
  scope.api.answer({ [SAVE]: scope.save })
  await saveButton.click()
  await expect.element(page.getByText('Snapshot 2 applied')).toBeVisible()
})

test('a lost response is not a save; the identical request finds out, and is carried out once', async () => {
  const scope = await reviewPort('2525')
  scope.api.answer({
    [SAVE]: (request) => {
      scope.save(request)
      return lostAnswer
    },
  })
  await saveButton.click()
  await expect.element(review.getByText('The response to your save was lost')).toBeVisible()
  await expect.element(page.getByText(/Snapshot 2 (saved|applied)/)).not.toBeInTheDocument()

  scope.api.answer({ [SAVE]: scope.save })
  await review.getByRole('button', { name: 'Check again' }).click()
  await expect.element(page.getByText('Snapshot 2 applied')).toBeVisible()
  await expect.element(bar).not.toBeInTheDocument()
  expect(scope.snapshotVersion()).toBe(2)
  const requests = scope.saveRequests()
  expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  expect(new Set(requests.map(({ body }) => JSON.stringify(body))).size).toBe(1)
})

test('the editor finds out without a click when the console is reachable again', async () => {
  const scope = await reviewPort('2525')
  await scope.api.disconnect()
  await saveButton.click()
  await expect.element(review.getByText('The response to your save was lost')).toBeVisible()
  await expect.element(page.getByText('Connection lost. Reconnecting…')).toBeInTheDocument()
  scope.api.reconnect()
  await expect.element(page.getByText('Snapshot 2 applied')).toBeVisible()
  expect(scope.saveRequests()).toHaveLength(1)
})

test('a person who stops checking keeps the edit, and can save it again', async () => {
  const scope = await reviewPort('2525', { [SAVE]: () => lostAnswer })
  await saveButton.click()
  await review.getByRole('button', { name: 'Stop checking' }).click()
  await expect.element(review).not.toBeInTheDocument()
  await expect.element(port).toHaveValue('2525')
  await expect.element(port).toBeEnabled()

  scope.api.answer({ [SAVE]: scope.save })
  await bar.getByRole('button', { name: 'Review' }).click()
  await saveButton.click()
  await expect.element(page.getByText('Snapshot 2 applied')).toBeVisible()
  expect(scope.values()[MAIL]).toMatchObject({ smtpPort: 2525 })
})

test('no frame shows the old value between the save and its snapshot', async () => {
  let isAway = true
  const scope = await reviewPort('2525')
  const configuration = { ...scope.configuration(), snapshotVersion: 1 }
  scope.api.answer({
    [CONFIGURATION]: () => (isAway ? configuration : scope.configuration()),
  })
  const shown = new Set<string>()
  const sample = () => {
    shown.add((port.query() as HTMLInputElement | null)?.value ?? 'none')
    frame = requestAnimationFrame(sample)
  }
  let frame = requestAnimationFrame(sample)
  await saveButton.click()
  await expect.element(page.getByText('Snapshot 2 applied')).toBeVisible()
  // the response that the page got after the save was of an older snapshot
  await expect.poll(() => scope.api.requests(CONFIGURATION).length).toBeGreaterThan(1)
  await expect.element(port).toHaveValue('2525')
  isAway = false
  await scope.saveAsColleague({ [MAIL]: { smtpUser: 'mira' } })
  await expect.element(bar).not.toBeInTheDocument()
  cancelAnimationFrame(frame)
  expect([...shown]).toEqual(['2525'])
})

test('in 50 saves of two people, no frame after a save shows an older value', async () => {
  const scope = await serveScope()
  await renderConsole(scope.address(MAIL))
  await expect.element(port).toHaveValue('587')
  // the values that the field shows, frame by frame; each save has a larger one
  const shown: number[] = []
  const sample = () => {
    const value = Number((port.query() as HTMLInputElement | null)?.value)
    if (value !== shown.at(-1)) shown.push(value)
    frame = requestAnimationFrame(sample)
  }
  let frame = requestAnimationFrame(sample)
  for (let round = 0; round < 5; round++) {
    const old = scope.configuration()
    const version = scope.snapshotVersion() + 1
    const value = 1_000 + version
    await port.fill(String(value))
    await bar.getByRole('button', { name: 'Review' }).click()
    await expect.element(saveButton).toBeEnabled()
    // in every other round, the reads before the event of the save return the older snapshot
    const isLate = round % 2 === 0
    if (isLate) scope.api.answer({ [CONFIGURATION]: () => old })
    const reads = scope.api.requests(CONFIGURATION).length
    await saveButton.click()
    if (isLate) {
      await expect.poll(() => scope.api.requests(CONFIGURATION).length).toBeGreaterThan(reads)
      scope.api.answer({ [CONFIGURATION]: scope.configuration })
      await scope.announce()
    }
    await expect.element(page.getByText(`Snapshot ${version} applied`)).toBeVisible()
    await expect.element(bar).not.toBeInTheDocument()
    // a colleague saves nine times in a row, without a pause between the reads
    for (let step = 1; step <= 9; step++) await scope.saveAsColleague({ [MAIL]: { smtpPort: value + step } })
    await expect.element(port).toHaveValue(String(value + 9))
  }
  cancelAnimationFrame(frame)
  expect(scope.snapshotVersion()).toBe(51)
  expect(shown).toEqual(shown.toSorted((one, other) => one - other))
}, 90_000)

test('a save whose page is left before the response drops its edits', async () => {
  let answer: () => void = () => undefined
  const isAnswered = new Promise<void>((resolve) => (answer = resolve))
  const scope = await reviewPort('41231')
  scope.api.answer({ [SAVE]: (request) => isAnswered.then(() => scope.save(request)) })
  await saveButton.click()
  await expect.poll(() => scope.saveRequests().length).toBe(1)
  await scope.leave()
  expect(storedDrafts()).toContain('41231')
  answer()
  await expect.poll(storedDrafts).not.toContain('41231')
})

test('a save whose page is left before the new snapshot is shown drops its edits', async () => {
  const scope = await reviewPort('41232')
  const old = scope.configuration()
  scope.api.answer({ [CONFIGURATION]: () => old })
  await saveButton.click()
  await expect.element(page.getByText('Snapshot 2 applied')).toBeVisible()
  expect(storedDrafts()).toContain('41232')
  await scope.leave()
  expect(storedDrafts()).not.toContain('41232')
})

test('the review shows the changes at once, and says when the server does not answer', async () => {
  const scope = await serveScope({ [PLAN]: () => new Promise(() => undefined) })
  await renderConsole(scope.address(MAIL))
  await port.fill('2525')
  await bar.getByRole('button', { name: 'Review' }).click()
  await expect.element(review.getByText('2525')).toBeVisible()
  await expect.element(saveButton).toHaveAccessibleDescription('Still checking what the save would do.')
  await expect.element(review.getByText('The server is not responding'), { timeout: 5_000 }).toBeVisible()
  scope.api.answer({ [PLAN]: scope.plan })
  await review.getByRole('button', { name: 'Try again' }).click()
  await expect.element(saveButton).toBeEnabled()
})

test('of several saves the newest is shown, and the earlier ones on request', async () => {
  await reviewPort('2525')
  await saveButton.click()
  await expect.element(page.getByText('Snapshot 2 applied')).toBeVisible()
  for (const [value, version] of [
    ['2526', 3],
    ['2527', 4],
  ] as const) {
    await port.fill(value)
    await bar.getByRole('button', { name: 'Review' }).click()
    await saveButton.click()
    await expect.element(page.getByText(`Snapshot ${version} applied`)).toBeVisible()
  }
  const applied = page.getByText(/^Snapshot \d applied$/)
  await expect.element(applied).toHaveLength(1)
  const earlier = page.getByRole('button', { name: '2 earlier saves' })
  await earlier.click()
  await expect.element(applied).toHaveLength(3)
  await expect.element(earlier).toHaveAttribute('aria-expanded', 'true')
  await earlier.click()
  await expect.element(applied).toHaveLength(1)
  await page
    .getByRole('complementary', { name: 'Changes and saves' })
    .getByRole('button', { name: 'Close' })
    .click()
  await expect.element(applied).not.toBeInTheDocument()
})
