import * as z from 'zod'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { consoleApi } from '#contract/console-api/rows.ts'
import { openApiDocument } from '#contract/endpoint/openapi.ts'
import { auditRecordApi } from '#contract/runtime-api/audit.ts'
import { pluginManagerApi } from '#contract/runtime-api/plugin-manager.ts'
import { OperationReceipt } from '#contract/runtime-api/operations.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'

// Writes the published API descriptions, and the schema of a receipt, from the rows that serve them; with --check verifies that they are up to date.

const FOLDER = new URL('../docs/', import.meta.url)

const documents = {
  'openapi/runtime-api.json': openApiDocument(
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
  'openapi/plugin-manager-api.json': openApiDocument(pluginManagerApi, {
    title: 'Plugin manager API',
    version: '1.0.0',
    description: 'Called by plugins with their own platform credential as bearer token.',
    basePath: '/module-plugin-manager/api',
    failures: 'envelope',
  }),
  'openapi/console-api.json': openApiDocument(consoleApi, {
    title: 'Console API',
    version: '1.0.0',
    description: 'Called by the browser with the session cookie and the header X-Requested-By.',
    basePath: '/api',
    failures: 'problem',
  }),
  'schemas/operation-receipt.json': z.toJSONSchema(OperationReceipt, {
    unrepresentable: 'any',
    target: 'draft-2020-12',
  }),
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
  console.error(`docs is out of date (${stale.join(', ')}): run "node scripts/openapi.ts"`)
  process.exit(1)
}
