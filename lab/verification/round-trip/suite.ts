import { openBrowser, signIn } from '../console-browser.ts'
import { World } from '../public/world.ts'
import type { Suite, SuiteOptions, SuiteReport, Violation } from '../suite.ts'
import { runBatch, type Scopes } from './batch.ts'
import { PROPERTIES, SLOTS } from './slots.ts'

const VALUES = { quick: 150, full: 10_000 }
const CONCURRENT_BROWSERS = 2
const VERSION = '3.0.0'

/** Needs the built console in `dist/web`, and `CHROMIUM_PATH` where Playwright's own browser is not installed. */
export const ROUND_TRIP: Suite = {
  name: 'round-trip',
  title:
    'values through API, page in Chromium, JSON and YAML file to the plugin: each arrives as it was meant',
  run: runRoundTrip,
}

/** The seed of a batch is its number; `count` is the number of batches. */
async function runRoundTrip({
  size,
  seed,
  count,
  isBailing,
  databaseUrl,
}: SuiteOptions): Promise<SuiteReport> {
  const first = size === 'quick' ? 1 : Math.floor(Math.random() * 1_000_000)
  const batches = count ?? Math.ceil(VALUES[size] / SLOTS.length)
  // a seed repeats all of its batch
  const isQuick = size === 'quick' && seed === null
  const seeds = seed === null ? Array.from({ length: batches }, (_, index) => first + index) : [seed]
  const world = await World.start(databaseUrl)
  const violations: Violation[] = []
  let tried = 0
  const waiting = [...seeds]
  /** Each works in a separate browser, because a clipboard belongs to a browser. */
  const work = async (): Promise<void> => {
    const browser = await openBrowser()
    try {
      const context = await signIn(browser, world.system, {
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        // new ones for each batch: a person may try only a few values for one sensitive property within an hour
        const scopes: Scopes = {
          edited: await world.install(VERSION, PROPERTIES),
          JSON: await world.install(VERSION, PROPERTIES),
          YAML: await world.install(VERSION, PROPERTIES),
        }
        violations.push(...(await runBatch(world, context, scopes, { seed: next, isQuick })))
        tried += SLOTS.length
        if (isBailing && violations.length > 0) return
      }
    } finally {
      await browser.close()
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(CONCURRENT_BROWSERS, seeds.length) }, work))
  } finally {
    await world.stop()
  }
  return {
    lines: [
      `seeds ${seeds[0]} to ${seeds.at(-1)}: ${tried} values, each by API, page, JSON file and YAML file`,
    ],
    trials: { 'values by API, page and files': tried },
    violations,
  }
}
