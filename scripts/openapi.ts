import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { isPlan, LISTS } from '#bff/runtime/unknown-entries.ts'
import { Problem } from '#contract/console-api/console-problem.ts'
import { catalogue, describeCode } from '#contract/console-api/catalogue.ts'
import { consoleApi } from '#contract/console-api/rows.ts'
import { isWrite } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import { openApiDocument } from '#contract/endpoint/openapi.ts'
import { RUNTIME_ERROR_CODES } from '#contract/protocol/error-codes.ts'
import { auditRecordApi } from '#contract/runtime-api/audit.ts'
import { pluginManagerApi } from '#contract/runtime-api/plugin-manager.ts'
import { OperationReceipt } from '#contract/runtime-api/receipts.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { TRANSPORT_CODES } from '#http-kit/problem-response.ts'
import { manifestSchema } from './manifest-schema.ts'
import { singleTypes } from './wire-kit/schemas.ts'
import { root } from './process.ts'

// Writes the published API descriptions, and the schemas of a receipt and of a manifest, from the schemas that validate them; with --check
// verifies that they are up to date.

/** Kinds of types that readers of a document know by a name; texts and numbers are shown as what they are. */
const NAMED = new Set(['object', 'union', 'enum', 'array', 'record', 'intersection'])

/**
 * The types of the contract with the names under which they are exported, for the components of a document. Of two types with one name, the
 * first in the order of the files has it.
 */
async function namedTypes(): Promise<Map<z.ZodType, string>> {
  const files = globSync('contract/{protocol,endpoint,runtime-api,console-api}/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
  const names = new Map<z.ZodType, string>()
  const taken = new Set<string>()
  for (const file of files) {
    const module = (await import(join(root, file))) as Record<string, unknown>
    for (const [name, value] of Object.entries(module)) {
      const isNamed = value instanceof z.ZodType && /^[A-Z][A-Za-z]*$/.test(name) && NAMED.has(value.def.type)
      if (!isNamed || taken.has(name) || names.has(value)) continue
      names.set(value, name)
      taken.add(name)
    }
  }
  return names
}

const FOLDER = new URL('../', import.meta.url)

const names = await namedTypes()

/** A request that the transport refused; it has no envelope. */
const TransportProblem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  code: z.enum(TRANSPORT_CODES),
  message: z.string(),
  requestId: z.string(),
})

const UNKNOWN_ENTRIES = {
  unknownEntries: {
    type: 'integer',
    minimum: 1,
    description:
      'How many entries and counts are left out, because the runtime is newer and names something in them that the console does not know; absent if none are.',
  },
}

/** Whether the console leaves out what it does not know of this row, instead of refusing the whole response. */
function mayLackEntries(name: EndpointName, row: EndpointRow): boolean {
  const { answer, answers } = row
  if (!(name in runtimeApi) || isWrite(name, row) || isPlan(answer) || answers === 'events') return false
  const hasList = answer instanceof z.ZodObject && Object.keys(answer.shape).some((key) => LISTS.has(key))
  return hasList || COUNTS_BY_NAME.test(JSON.stringify(z.toJSONSchema(answer, { unrepresentable: 'any' })))
}
const COUNTS_BY_NAME = /"propertyNames":\{[^{}]*"enum":/

/** A description that ends with what each failure code means. */
const withCodes = (text: string, codes: readonly string[]): string =>
  [
    text,
    '## Failure codes',
    codes
      .map((code) => {
        const { title, message } = describeCode(code)
        return `- \`${code}\`: ${title}. ${message}`
      })
      .join('\n'),
  ].join('\n\n')

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description })

const documents = {
  'docs/openapi/runtime-api.json': openApiDocument(
    { ...runtimeApi, ...auditRecordApi },
    {
      title: 'Runtime API',
      version: '1.0.0',
      description: withCodes(
        'Controls a bundle lifecycle runtime. It is called by the BFF, for the person in the assertion.',
        [...new Set([...RUNTIME_ERROR_CODES, ...TRANSPORT_CODES])],
      ),
      basePath: '/bundle-runtime/api',
      failures: 'envelope',
      names: new Map([...names, [TransportProblem, 'TransportProblem']]),
      problem: TransportProblem,
      securitySchemes: {
        serviceCredential: bearer('The credential of the BFF.'),
        actorAssertion: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Runtime-Actor-Assertion',
          description: 'Who acts: a JWT that the BFF signs for each request.',
        },
      },
      securityOf: (needs) => (needs === 'nothing' ? [] : [{ serviceCredential: [], actorAssertion: [] }]),
    },
  ),
  'docs/openapi/plugin-manager-api.json': openApiDocument(pluginManagerApi, {
    title: 'Plugin manager API',
    version: '1.0.0',
    description: withCodes('Called by plugins with their own platform credential.', [
      ...new Set([
        'REQUEST_INVALID',
        ...Object.values(pluginManagerApi).flatMap(({ codes }) => codes),
        ...TRANSPORT_CODES,
      ]),
    ]),
    basePath: '/module-plugin-manager/api',
    failures: 'envelope',
    names: new Map([...names, [TransportProblem, 'TransportProblem']]),
    problem: TransportProblem,
    securitySchemes: {
      pluginCredential: bearer('The secret that was shown when the credential of the plugin was created.'),
    },
    securityOf: () => [{ pluginCredential: [] }],
  }),
  'docs/openapi/console-api.json': openApiDocument(consoleApi, {
    title: 'Console API',
    version: '1.0.0',
    description: withCodes(
      'Called by programs with the token of a service account, and by the browser with its session cookie and the header X-Requested-By.',
      Object.keys(catalogue),
    ),
    basePath: '/api',
    failures: 'problem',
    names,
    problem: Problem,
    addedTo: (name, row) => (mayLackEntries(name, row) ? UNKNOWN_ENTRIES : {}),
    securitySchemes: {
      serviceAccount: bearer('The token of a service account: docs/operating/service-accounts.md.'),
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: '__Host-Http-console_session',
        description: 'The session of a browser; over http, its name is console_PORT_session.',
      },
      requestedBy: {
        type: 'apiKey',
        in: 'header',
        name: 'X-Requested-By',
        description: 'Always `console`: a page of another origin cannot send it.',
      },
    },
    securityOf: (needs) =>
      needs === 'nothing' ? [] : [{ serviceAccount: [] }, { session: [], requestedBy: [] }],
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
