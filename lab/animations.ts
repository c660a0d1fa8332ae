import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import * as z from 'zod'
import { sessionCookie } from '#bff/testing-browser.ts'
import { launchBrowser } from './bench/console/browser.ts'

/** Draws the animations of the README from a new demo: see the README of this folder. It changes the data of the demo. */

const WIDTH = 1240
const HEIGHT = 780
/** Of img2webp: texts stay sharp. */
const QUALITY = 60

const [url = ''] = process.argv.slice(2)
const Users = z.array(z.object({ username: z.string(), password: z.string() }))
if (url === '' || process.env.CONSOLE_USERS === undefined) {
  console.error('node lab/animations.ts URL, with the CONSOLE_USERS with which the demo was started')
  process.exit(2)
}
const users = Users.parse(JSON.parse(process.env.CONSOLE_USERS))

/** The console of a new demo as one person. */
async function consoleOf(browser: Browser, username: string): Promise<Page> {
  const user = users.find((one) => one.username === username)
  if (user === undefined) throw new Error(`CONSOLE_USERS has no ${username}`)
  const cookie = await sessionCookie(url, user)
  const [name = '', value = ''] = cookie.split(/=(.*)/s)
  const context = await browser.newContext({
    viewport: { width: WIDTH, height: HEIGHT },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
  })
  await context.addCookies([{ name, value, url }])
  return context.newPage()
}

/** The pictures of one animation, in their order. */
function film(name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'animation-'))
  const frames: string[] = []
  return {
    /** Adds what the page shows once nothing loads, for so many milliseconds. */
    async show(page: Page, ms: number): Promise<void> {
      await page.locator('[aria-busy="true"]').waitFor({ state: 'hidden' })
      // a page that has just loaded still moves
      await page.waitForTimeout(800)
      const path = join(folder, `${frames.length}.png`)
      await page.screenshot({ path })
      frames.push('-d', String(ms), path)
    },
    /** Writes the file with `img2webp`, of the package `webp` of Debian. */
    write(): void {
      const file = join(import.meta.dirname, '../docs/images', `${name}.webp`)
      const options = ['-loop', '0', '-lossy', '-q', String(QUALITY), '-m', '6']
      execFileSync('img2webp', [...options, ...frames, '-o', file], { stdio: 'inherit' })
    },
  }
}

/** A failed operation: why, a retry that fails in the same way, and what a takeover would do. */
async function drawFailure(browser: Browser): Promise<void> {
  const { show, write } = film('failure')
  const page = await consoleOf(browser, 'support')
  await page.goto(url)
  const failed = page.getByRole('link', { name: 'Install Support desk' }).first()
  await failed.hover()
  await show(page, 2000)
  await failed.click()
  await page.getByRole('heading', { name: 'The mail server refused' }).first().waitFor()
  await show(page, 3500)
  await page.getByRole('button', { name: 'Retry' }).click()
  const retry = page.getByRole('dialog')
  await retry.getByLabel('Reason').fill('The password of the inbox was renewed')
  await show(page, 2400)
  await retry.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('The failure is the same as before.').waitFor()
  await page.mouse.move(WIDTH / 2, HEIGHT - 1)
  await show(page, 3200)
  await page.getByRole('button', { name: 'Take over and detach' }).click()
  await page.getByText('Reachable').last().waitFor()
  await show(page, 3500)
  write()
}

const fieldOf = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

const ISSUER =
  '/scopes/production/us-east/2/configuration?resource=' +
  encodeURIComponent('production/billing/MODULE/invoice-engine')

/** Two people edit one object: the operator chooses for the leaf that both changed, and everything else is kept. */
async function drawConflict(browser: Browser): Promise<void> {
  const { show, write } = film('conflict')
  const [mine, theirs] = [await consoleOf(browser, 'operator'), await consoleOf(browser, 'admin')]
  for (const page of [mine, theirs]) await page.goto(`${url}${ISSUER}`)
  await fieldOf(mine, 'Legal name').scrollIntoViewIfNeeded()
  await show(mine, 1600)
  await fieldOf(mine, 'Legal name').fill('Northwind GmbH')
  await fieldOf(mine, 'City').fill('Kiel')
  await show(mine, 1800)
  await fieldOf(theirs, 'City').fill('Lübeck')
  await fieldOf(theirs, 'Street').fill('An der Trave 5')
  await theirs.keyboard.press('Control+s')
  await theirs.getByRole('button', { name: /^Save and start/ }).click()
  await mine.getByText('overlaps with theirs').first().waitFor()
  await show(mine, 2400)
  await mine.keyboard.press('Control+s')
  const dialog = mine.getByRole('dialog')
  await dialog.getByRole('radio').first().waitFor()
  await show(mine, 3400)
  await dialog.getByRole('radio', { name: 'Keep mine' }).first().check()
  await show(mine, 1800)
  await dialog.getByRole('button', { name: 'Continue on top of theirs' }).click()
  await dialog.getByRole('button', { name: /^Save and start/ }).waitFor()
  await show(mine, 3400)
  await dialog.getByRole('button', { name: /^Save and start/ }).click()
  await mine.getByText(/Snapshot \d+ applied/).waitFor()
  await show(mine, 2600)
  write()
}

const browser = await launchBrowser()
await drawFailure(browser)
await drawConflict(browser)
await browser.close()
