// Debian's Chromium has no sandbox when it runs as root, and its background requests would reach no network.
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
]
const executablePath = process.env['CHROMIUM_PATH']

/** How every browser test starts Chromium; `CHROMIUM_PATH` is set where it is not Playwright's own. */
export const chromiumLaunch = { args: FLAGS, ...(executablePath !== undefined && { executablePath }) }

/** What every browser test sees, wherever it runs. */
export const chromiumContext = {
  locale: 'en-GB',
  timezoneId: 'Europe/Berlin',
  reducedMotion: 'reduce',
} as const
