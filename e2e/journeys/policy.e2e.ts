import { expect, test } from '../world/test.ts'

test('a page that breaks its content policy, or leaves an error uncaught, fails its journey', async ({
  signIn,
  complaints,
}) => {
  const page = await signIn('vera')
  await page.evaluate(() => {
    const image = document.createElement('img')
    image.src = 'http://elsewhere.invalid/pixel.png'
    document.body.append(image)
  })
  await expect.poll(() => complaints.join()).toContain('img-src')
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error('nobody catches this')
    })
  })
  await expect.poll(() => complaints.join()).toContain('nobody catches this')
  await expect(
    page.evaluate(() => {
      document.body.innerHTML = '<b>markup</b>'
    }),
  ).rejects.toThrow('TrustedHTML')
  await expect.poll(() => complaints.join()).toContain('require-trusted-types-for')
  // the image is told twice, as an event and in the console
  await expect.poll(() => complaints.length).toBe(4)
  // they were meant: this journey has seen all of them
  complaints.length = 0
})
