import type { Browser } from '@playwright/test'
import { wrapData } from '#contract/protocol/data.ts'
import { formatLocator } from '#contract/protocol/locator.ts'
import { data } from '#plugin/examples/bundles/definitions.ts'
import { mira, platform } from '../../../demo/people.ts'
import { median } from '../report.ts'
import type { Result } from '../report.ts'
import type { BenchSystem } from '../system.ts'
import { launchBrowser, openPage, pressUntilPainted } from './browser.ts'
import type { OpenConsole } from './browser.ts'

const ROUNDS = 5
const SIZES = [200, 5] as const
type Size = (typeof SIZES)[number]
const CONFIGURATION = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const

/** From the press on "Review" to the paint of a conflict with many leaves, beside one with few. */
export async function measureConflict(system: OpenConsole): Promise<Result[]> {
  const times: Record<Size, number[]> = { 200: [], 5: [] }
  for (const size of SIZES) await install(system, size)
  const browser = await launchBrowser()
  // the first visit fills the caches of the servers
  for (let round = 0; round <= ROUNDS; round++)
    for (const size of SIZES) {
      const opened = await openConflict(browser, system, { size, round })
      if (round > 0) times[size].push(opened)
    }
  await browser.close()
  const rows = SIZES.map((size) => ({ leaves: size, 'press to paint, ms': Math.round(median(times[size])) }))
  return [
    {
      name: 'conflict',
      rows,
      figure: median(times[200]) - median(times[5]),
      goal: 200,
      meaning: `Milliseconds that a conflict of ${SIZES[0]} leaves opens later than one of ${SIZES[1]}.`,
    },
  ]
}

const scopeOf = (size: Size) => ({
  environmentKey: 'staging',
  applicationRuntimeId: 'conflict',
  workspaceId: size,
})
const bundle = { environmentKey: 'staging', bundleId: 'conflict' }
const versionOf = (size: Size) => `${size}.0.0`
const resource = { kind: 'MODULE' as const, name: 'large' }
const LOCATOR = formatLocator({ ...bundle, ...resource })

const valuesOf = (size: Size, of: string) =>
  Object.fromEntries(Array.from({ length: size }, (_, n) => [`member${n}`, `${of} ${n}`]))

/** Publishes and installs a bundle whose only property is an object with so many members. */
async function install({ call }: BenchSystem, size: Size): Promise<void> {
  if (call === null) throw new Error('The system has no runtime')
  const members = Array.from({ length: size }, (_, n): [string, { type: 'string'; title: string }] => [
    `member${n}`,
    { type: 'string', title: `Member number ${n}` },
  ])
  const version = versionOf(size)
  await call(
    platform,
    'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
    {
      params: { ...bundle, version },
      body: {
        bundle,
        version,
        title: 'Conflict',
        resources: [
          {
            ...resource,
            title: 'Large object',
            moduleId: 'module-large',
            properties: {
              members: data(
                { type: 'object', title: 'Members', properties: Object.fromEntries(members) },
                { default: valuesOf(size, 'first') },
              ),
            },
          },
        ],
        plugins: [],
      },
    },
    `publish-conflict-${size}`,
  )
  await call(
    platform,
    'POST /installations',
    { body: { scope: scopeOf(size), bundle, targetVersion: version, properties: {} } },
    `install-conflict-${size}`,
  )
}

async function openConflict(
  browser: Browser,
  system: OpenConsole,
  { size, round }: { size: Size; round: number },
): Promise<number> {
  const { call, url } = system
  if (call === null) throw new Error('The system has no runtime')
  const scope = scopeOf(size)
  const page = await openPage(browser, system, { slowdown: 1 })
  const path = `/scopes/${scope.environmentKey}/${scope.applicationRuntimeId}/${scope.workspaceId}/configuration`
  await page.goto(`${url}${path}?resource=${encodeURIComponent(LOCATOR)}`)
  await page.getByRole('button', { name: /^Edit JSON/ }).click()
  await page.getByRole('textbox', { name: /^Members/ }).click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(JSON.stringify(valuesOf(size, `mine ${round}`)))
  await page.keyboard.press('Tab')
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor()
  const { snapshotVersion } = await call(mira, `GET ${CONFIGURATION}`, { params: scope })
  const changes = { [LOCATOR]: { members: wrapData(valuesOf(size, `theirs ${round}`)) } }
  await call(
    mira,
    `PATCH ${CONFIGURATION}`,
    { params: scope, body: { snapshotVersion, changes } },
    crypto.randomUUID(),
  )
  await page
    .getByText(/overlaps with theirs/)
    .first()
    .waitFor()
  // what the page loads once it is idle is not part of the opening
  await page.waitForTimeout(2_000)
  const review = page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Review' })
  const { pressedAt, paintedAt } = await pressUntilPainted(review, 'dialog [type="radio"]')
  await page.context().close()
  return paintedAt - pressedAt
}
