import { expect, fillSignIn, test } from '../harness/test.ts'

test('a person signs in, reaches the requested page, and signs out', async ({ visit }) => {
  const page = await visit('/installations')
  await fillSignIn(page, 'olivia')
  await expect(page.getByRole('heading', { level: 1, name: 'Installations' })).toBeVisible()
  const cookies = await page.context().cookies()

  await page.getByRole('button', { name: /olivia/i }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByText(/signed out/i).first()).toBeVisible()

  // the old cookie is no longer valid
  await page.context().addCookies(cookies)
  const answer = await page.request.get('/api/session', { headers: { 'x-requested-by': 'console' } })
  expect(answer.status()).toBe(401)
})

test('a wrong password is rejected without saying which part is wrong, and the right one still works', async ({
  visit,
}) => {
  const page = await visit('/auth/login')
  await fillSignIn(page, 'olivia', 'not her password')
  await expect(page.getByRole('alert')).toHaveText('Incorrect username or password.')
  await expect(page.getByLabel('Username')).toHaveValue('olivia')
  await expect(page.getByLabel('Password')).toHaveValue('')

  await fillSignIn(page, 'olivia')
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
})

test('a deep link leads straight to the sign-in and to its page, including filters', async ({ visit }) => {
  const page = await visit('/operations?state=FAILED&operationType=DETACH&q=nothing&utm_source=tickets')
  await fillSignIn(page, 'sam')
  await expect(page.getByRole('heading', { level: 1, name: 'Operations' })).toBeVisible()
  await expect(page.getByText('No matches')).toBeVisible()
  await expect(page).toHaveURL('/operations?operationType=DETACH&state=FAILED&q=nothing')
})

test('a tab that was led to the sign-in a moment ago asks before it goes there again', async ({ visit }) => {
  const page = await visit('/operations')
  await expect(page.getByLabel('Username')).toBeVisible()
  await page.goto('/installations')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await fillSignIn(page, 'sam')
  await expect(page.getByRole('heading', { level: 1, name: 'Installations' })).toBeVisible()
})

test('an idle page reports that the session has ended', async ({ system, signIn }) => {
  const page = await signIn('sam', '/operations')
  await expect(page.getByRole('heading', { level: 1, name: 'Operations' })).toBeVisible()
  const elsewhere = await page.context().newPage()
  await elsewhere.goto('/')
  await elsewhere.getByRole('button', { name: /sam/i }).click()
  await elsewhere.getByRole('button', { name: 'Sign out' }).click()
  await expect(elsewhere.getByText('You are signed out')).toBeVisible()

  // the event stream reconnects, and its session no longer exists
  system.proxy.down()
  system.proxy.up()
  await expect(page.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible({ timeout: 20_000 })
})
