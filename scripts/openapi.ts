import * as z from 'zod'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { consoleApi } from '#contract/console-api/rows.ts'
import { openApiDocument } from '#contract/endpoint/openapi.ts'
import { auditRecordApi } from '#contract/runtime-api/audit.ts'
import { pluginManagerApi } from '#contract/runtime-api/plugin-manager.ts'
import { OperationReceipt } from '#contract/runtime-api/receipts.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { manifestSchema } from './manifest-schema.ts'
import { singleTypes } from './wire-kit/schemas.ts'

// Writes the published API descriptions, and the schemas of a receipt and of a manifest, from the schemas that validate them; with --check
// verifies that they are up to date.

const FOLDER = new URL('../', import.meta.url)

const documents = {
  'docs/openapi/runtime-api.json': openApiDocument(
    { ...runtimeApi, ...auditRecordApi },
    {
      title: 'Runtime API',
      version: '1.0.0',
      description:
        'Controls a bundle lifecycle runtime: a service credential as bearer token, and the acting person in X-Runtime-Actor-Assertion.',
      basePath: '/bundle-runtime/api',
      failures: 'envelope',
    },
  ),
  'docs/openapi/plugin-manager-api.json': openApiDocument(pluginManagerApi, {
    title: 'Plugin manager API',
    version: '1.0.0',
    description: 'Called by plugins with their own platform credential as bearer token.',
    basePath: '/module-plugin-manager/api',
    failures: 'envelope',
  }),
  'docs/openapi/console-api.json': openApiDocument(consoleApi, {
    title: 'Console API',
    version: '1.0.0',
    description: 'Called by the browser with the session cookie and the header X-Requested-By.',
    basePath: '/api',
    failures: 'problem',
  }),
  'docs/schemas/operation-receipt.json': singleTypes(
    z.toJSONSchema(OperationReceipt, { unrepresentable: 'any', target: 'draft-2020-12' }),
  ),
  // in the package, so that an editor finds it beside the manifest
  'packages/plugin-sdk/schemas/author-manifest.json': manifestSchema(),
}

const stale: string[] = []
for (const [name, document] of Object.entries(documents)) {
  const file = new URL(name, FOLDER)
  const text = `${JSON.stringify(document, null, 2)}\n`
  if (process.argv.includes('--check')) {
    if ((await readFile(file, 'utf8').catch(() => '')) !== text) stale.push(name)
  } else {
    await mkdir(new URL('.', file), { recursive: true })
    await writeFile(file, text)
  }
}
if (stale.length > 0) {
  console.error(`${stale.join(', ')}: out of date: run "node scripts/openapi.ts"`)
  process.exit(1)
}
