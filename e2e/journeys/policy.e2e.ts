import { expect, test } from '../harness/test.ts'

test('a page that violates its content policy or leaves an error uncaught fails its journey (C01)', async ({
  signIn,
  browserErrors,
}) => {
  const page = await signIn('vera')
  await page.evaluate(() => {
    const image = document.createElement('img')
    image.src = 'http://elsewhere.invalid/pixel.png'
    document.body.append(image)
  })
  await expect.poll(() => browserErrors.join()).toContain('img-src')
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error('left uncaught on purpose')
    })
  })
  await expect.poll(() => browserErrors.join()).toContain('left uncaught on purpose')
  await expect(
    page.evaluate(() => {
      document.body.innerHTML = '<b>markup</b>'
    }),
  ).rejects.toThrow('TrustedHTML')
  await expect.poll(() => browserErrors.join()).toContain('require-trusted-types-for')
  // the image is reported twice, as an event and in the console
  await expect.poll(() => browserErrors.length).toBe(4)
  // expected here: this journey has checked all of them
  browserErrors.length = 0
})
