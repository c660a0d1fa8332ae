import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CASES } from '../../../packages/plugin-check/src/cases/all-cases.ts'
import { check } from '../../../packages/plugin-check/src/commands/check.ts'
import { parseProfile } from '../../../packages/plugin-check/src/profile.ts'
import { isFinding } from '../../../packages/plugin-check/src/report/report.ts'
import { freePort } from '#database/free-port.ts'
import type { Violation } from '../suite.ts'

const EXAMPLES = fileURLToPath(new URL('../../../plugin/examples/', import.meta.url))
const LOCATOR = 'production/crm-suite/MODULE/crm-core'
const SDK = new URL('../../../packages/plugin-sdk/', import.meta.url)
/** In the quick form every so many-th case is run. */
const QUICK_STRIDE = 16

interface Example {
  name: string
  path: string
  /** The profile of a plugin on this port whose data is in this folder. */
  profile(port: number, folder: string): object
}

/** Writes the starter of the SDK to a folder, on the source of the SDK instead of the installed package. */
function templateIn(folder: string): string {
  const path = join(folder, 'plugin.mjs')
  const text = readFileSync(new URL('template/javascript/plugin.mjs', SDK), 'utf8')
  const source = new URL('src/index.ts', SDK).href
  writeFileSync(path, text.replace("'@bundle-console/plugin-sdk'", `'${source}'`))
  return path
}

const TENANTS = {
  properties: { displayName: 'Northwind', plan: 'team', seats: 7 },
  changed: { displayName: 'Northwind Sales', plan: 'enterprise', seats: 90 },
  invalid: { seats: 'many' },
  sensitive: ['displayName'],
  writes: { tenantId: {}, accessToken: { isSensitive: true, isIssued: true } },
}

export const TENANT_PROVISIONER: Example = {
  name: 'tenant-provisioner',
  path: '/lifecycle',
  profile: (port, folder) => ({
    pluginId: 'tenant-provisioner',
    resources: { [LOCATOR]: TENANTS },
    state: `http://127.0.0.1:${port}/tenants`,
    start: {
      command: [
        process.execPath,
        join(EXAMPLES, 'tenant-provisioner/main.ts'),
        '--data-dir',
        folder,
        '--port',
        String(port),
        '--platform-api-base',
        '{platform}',
      ],
    },
  }),
}

const SHIPPED: readonly Example[] = [
  {
    name: 'template',
    path: '/',
    profile: (port, folder) => ({
      pluginId: 'mailbox-maker',
      verifiesTokens: false,
      resources: {
        [LOCATOR]: {
          properties: { displayName: 'Northwind' },
          changed: { displayName: 'Northwind Sales' },
          sensitive: [],
          writes: { mailbox: {} },
        },
      },
      start: {
        command: [process.execPath, templateIn(folder)],
        env: { PORT: String(port), DATA_FILE: join(folder, 'mailboxes.sqlite') },
      },
    }),
  },
  TENANT_PROVISIONER,
]

const PYTHON: Example = {
  name: 'python',
  path: '/lifecycle',
  /** The one in the documentation, with another port and places of the program and its data. */
  profile(port, folder) {
    const text = readFileSync(join(EXAMPLES, 'python/plugin-check.json'), 'utf8')
    return JSON.parse(
      text
        .replaceAll('8092', String(port))
        .replace('plugin/examples/', EXAMPLES)
        .replace('data/mailboxes.sqlite', join(folder, 'mailboxes.sqlite')),
    ) as object
  },
}

const GO: Example = {
  name: 'go',
  path: '/lifecycle',
  profile(port, folder) {
    const program = join(folder, 'bucket-maker')
    execFileSync('go', ['build', '-o', program, join(EXAMPLES, 'go/main.go')], {
      env: { ...process.env, GO111MODULE: 'off' },
    })
    const text = readFileSync(join(EXAMPLES, 'go/plugin-check.json'), 'utf8')
    return JSON.parse(
      text
        .replaceAll('8093', String(port))
        .replace('data/bucket-maker', program)
        .replace('data/buckets.json', join(folder, 'buckets.json')),
    ) as object
  },
}

const isInstalled = (command: string, option: string): boolean => spawnSync(command, [option]).status === 0

/** The examples have no findings. Those in Python and Go are left out, and the report says so, where these are not installed. */
export async function checkExamples({
  seed,
  isFull,
}: {
  seed: number
  isFull: boolean
}): Promise<{ lines: string[]; violations: Violation[] }> {
  const lines: string[] = []
  const violations: Violation[] = []
  const cases = isFull ? CASES : CASES.filter((_, index) => index % QUICK_STRIDE === seed % QUICK_STRIDE)
  const examples = [...SHIPPED]
  if (isInstalled('python3', '--version')) examples.push(PYTHON)
  else lines.push('python: not tested, because python3 is not installed')
  if (isInstalled('go', 'version')) examples.push(GO)
  else lines.push('go: not tested, because go is not installed')
  for (const { name, path, profile } of examples) {
    const folder = mkdtempSync(join(tmpdir(), 'plugin-check-'))
    try {
      const port = await freePort()
      const report = await check({
        url: `http://127.0.0.1:${port}${path}`,
        profile: parseProfile(profile(port, folder), `of ${name}`),
        seed,
        platformPort: 0,
        cases,
      })
      const { PASSED, NOT_TESTED } = report.totals
      lines.push(
        `${name}: ${PASSED} passed, ${NOT_TESTED} not tested in ${(report.durationMs / 1000).toFixed(1)} s`,
      )
      for (const { id, problem } of report.cases.filter(isFinding))
        violations.push({ promise: 'plugin-check', seen: `${name}: ${id}: ${problem}`, seed })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return { lines, violations }
}
