import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { root, runNode } from '../../scripts/process.ts'
import { typeCheckArgs } from '../../scripts/type-check.ts'

// Forbidden imports, planted as files; the way of importing must not matter.
// What is planted in one project must not load the types of Node, because its other files would then see them.
const PLANTED: Record<string, string> = {
  'contract/protocol/planted.ts': `import { runtimeApi } from '#contract/runtime-api/rows.ts'\nexport const planted = runtimeApi\n`,
  'contract/runtime-api/planted.ts': `import { consoleApi } from '#contract/console-api/rows.ts'\nexport const planted = consoleApi\n`,
  'contract/endpoint/planted.ts': `export const planted = process.env\n`,
  'database/planted.ts': `import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'\nexport const planted = INSTANCE_REF_PROPERTY\n`,
  'http-kit/planted.ts': `import type { Actor } from '#runtime/model/actor.ts'\nexport type Planted = Actor\n`,
  'packages/plugin-sdk/src/planted.ts': `import { runtimeApi } from '../../../contract/runtime-api/rows.ts'\nexport const planted = runtimeApi\n`,
  'plugin/planted.ts': `import { runtimeApi } from '../contract/runtime-api/rows.ts'\nexport const planted = runtimeApi\n`,
  'packages/plugin-check/src/planted.ts': `import { definePlugin } from '../../plugin-sdk/src/define-plugin.ts'\nexport const planted = definePlugin\n`,
  'http-kit/text/planted.ts': `import { createOutbound } from '../outbound.ts'\nexport const planted = createOutbound\n`,
  'runtime/planted.ts': `export const planted = () => import('#bff/failure.ts')\n`,
  'runtime/model/planted.ts': `import { nextStep } from '../engine/steps/next-step.ts'\nexport const planted = nextStep\n`,
  'runtime/engine/planted.ts': `import { containing } from '../store/text-search.ts'\nexport const planted = containing\n`,
  'runtime/engine/steps/planted.ts': `import type { Signer } from '../../deps/signer.ts'\nexport type Planted = Signer\n`,
  'runtime/engine/calls/planted.ts': `import { systemClock } from '#http-kit/clock.ts'\nexport const planted = systemClock\n`,
  'runtime/engine/plans/planted.ts': `export const planted = process.env\n`,
  'runtime/sealing/planted.ts': `import { readPlan } from '../store/operations/plans.ts'\nexport const planted = readPlan\n`,
  'runtime/store/planted.ts': `import { nextStep } from '../engine/steps/next-step.ts'\nexport const planted = nextStep\n`,
  'runtime/deps/planted.ts': `import { readPlan } from '../store/operations/plans.ts'\nexport const planted = readPlan\n`,
  'runtime/worker/planted.ts': `import { notFound } from '../use-cases/authorize.ts'\nexport const planted = notFound\n`,
  'runtime/use-cases/planted.ts': `import { startWorker } from '../worker/worker.ts'\nexport const planted = startWorker\n`,
  'runtime/events/planted.ts': `import type { HttpApp } from '../http/http-app.ts'\nexport type Planted = HttpApp\n`,
  'runtime/keys/planted.ts': `import { notFound } from '../use-cases/authorize.ts'\nexport const planted = notFound\n`,
  'runtime/http/planted.ts': `import { startWorker } from '../worker/worker.ts'\nexport const planted = startWorker\n`,
  'bff/planted.ts': `import type { RuntimeDeps } from '#runtime/deps/runtime-deps.ts'\nexport type Planted = RuntimeDeps\n`,
  'web/base/planted.ts': `import type { Actor } from '#runtime/model/actor.ts'\nexport type Planted = Actor\n`,
  'web/api/planted.ts': `import { paths } from '../addresses/paths.ts'\nexport const planted = paths\n`,
  'web/addresses/planted.ts': `import { useText } from '../i18n/use-text.ts'\nexport const planted = useText\n`,
  'web/i18n/planted.ts': `export const planted = () => import('../ui/class-names.ts')\n`,
  'web/ui/planted.ts': `import { isAddress } from '../forms/fields/address.ts'\nexport const planted = isAddress\n`,
  'web/forms/planted.ts': `import type { StoredDraft } from '../subjects/drafts/stored-drafts.ts'\nexport type Planted = StoredDraft\n`,
  'web/subjects/planted.ts': `export const planted = async () => (await import('../layouts/Page.tsx')).Page\n`,
  'web/layouts/planted.ts': `export const planted = () => import('../pages/overview/OverviewPage.tsx')\n`,
  'web/pages/planted.ts': `import { router } from '../app/router.ts'\nexport const planted = router\n`,
  'web/app/planted.ts': `export const planted = () => import('#bff/failure.ts')\n`,
}

mkdirSync(join(root, '.cache'), { recursive: true })
const copy = mkdtempSync(join(root, '.cache', 'boundaries-'))
after(() => rmSync(copy, { recursive: true, force: true }))

test('the compiler rejects every forbidden import', async () => {
  const left = new Set(['node_modules', '.git', '.cache', 'dist', 'data'])
  for (const name of readdirSync(root).filter((entry) => !left.has(entry)))
    cpSync(join(root, name), join(copy, name), { recursive: true })
  linkFiles(join(root, 'node_modules'), join(copy, 'node_modules'))
  // with the results of the last compilation only the planted files are compiled
  const known = join(root, '.cache', 'types')
  if (existsSync(known)) cpSync(known, join(copy, '.cache', 'types'), { recursive: true })
  for (const [file, text] of Object.entries(PLANTED)) writeFileSync(join(copy, file), text)
  const { code, output } = await runNode(typeCheckArgs(join(copy, 'tsconfig.json')), {
    quiet: true,
  })
  assert.notEqual(code, 0)
  for (const file of Object.keys(PLANTED)) {
    assert.match(
      output,
      new RegExp(`${file.replaceAll('.', '\\.')}\\(\\d+,\\d+\\): error TS(6307|2591|2580)`),
      `${file} was not rejected`,
    )
  }
})

/** Makes a copy of a folder whose files are hard links: through a symbolic link the compiler would see other paths. */
function linkFiles(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkFiles(source, target)
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else linkSync(source, target)
  }
}
