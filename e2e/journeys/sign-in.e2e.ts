import { expect, test } from '../world/test.ts'

test('a person signs in, comes to the page that was asked for, and signs out for good', async ({
  signIn,
}) => {
  const page = await signIn('olivia', '/installations')
  await expect(page.getByRole('heading', { level: 1, name: 'Installations' })).toBeVisible()
  const cookies = await page.context().cookies()

  await page.getByRole('button', { name: /olivia/i }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByText(/signed out/i).first()).toBeVisible()

  // the old cookie is worth nothing any more
  await page.context().addCookies(cookies)
  const answer = await page.request.get('/api/session', { headers: { 'x-requested-by': 'console' } })
  expect(answer.status()).toBe(401)
})
