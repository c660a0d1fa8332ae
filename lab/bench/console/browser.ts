import { chromium } from '@playwright/test'
import type { Browser } from '@playwright/test'
import { ensureBrowser } from '../../../scripts/browser.ts'

export async function launchBrowser(): Promise<Browser> {
  const executablePath = ensureBrowser()
  return chromium.launch({
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    ...(executablePath !== undefined && { executablePath }),
  })
}
