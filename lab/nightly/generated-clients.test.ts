import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { startSystem, type System } from '../../e2e/harness/system.ts'
import { users } from '../../e2e/harness/users.ts'
import { sessionCookie } from '#bff/testing-browser.ts'
import { buildConsole } from '../../scripts/console-build.ts'
import { root } from '../../scripts/process.ts'

// What other programs make of the OpenAPI documents: clients of three generators compile, and call a real console.

const GENERATORS = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.99.0',
  'swagger-typescript-api@13.13.0',
  'typescript@5.9.3',
  '@types/node@24.19.2',
]
const DOCUMENTS = ['console-api', 'runtime-api', 'plugin-manager-api']

const folder = mkdtempSync(join(tmpdir(), 'generated-clients-'))
const document = (name: string): string => join(root, 'docs/openapi', `${name}.json`)
let system: System
let token: string

before(async () => {
  await buildConsole()
  system = await startSystem(0)
  token = await newToken()
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  await run('npm', ['install', '--no-audit', '--no-fund', ...GENERATORS])
})
after(async () => {
  await system.stop()
  rmSync(folder, { recursive: true })
})

/** Runs a program in the folder; throws with its output. */
async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, ...env } }
  try {
    return (await promisify(execFile)(program, args, options)).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error })
  }
}

/** The token of a service account that may read everything. */
async function newToken(): Promise<string> {
  const cookie = await sessionCookie(system.url, users.admin)
  const create = async (path: string, body: object): Promise<Record<string, string>> => {
    const response = await fetch(`${system.url}/api${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        cookie,
        origin: new URL(system.url).origin,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
        'x-requested-by': 'console',
      },
    })
    const json = (await response.json()) as Record<string, string>
    assert.equal(response.status, 200, JSON.stringify(json))
    return json
  }
  const roles = [{ role: 'operator', scope: null }]
  const { accountId = '' } = await create('/service-accounts', { name: 'generated-client', roles })
  return (await create(`/service-accounts/${accountId}/tokens`, { days: 1 }))['token'] ?? ''
}

/** What each client does: read a list and a problem, and make a write that is refused. */
const CLIENTS = {
  'openapi-fetch': `
import createClient from 'openapi-fetch'
import type { components, paths } from './console-api'

const client = createClient<paths>({
  baseUrl: \`\${process.env.CONSOLE}/api\`,
  headers: { authorization: \`Bearer \${process.env.TOKEN}\` },
})
async function main() {
  const { data } = await client.GET('/bundles', { params: { query: { limit: 2 } } })
  const bundles: components['schemas']['Bundle'][] = data?.items ?? []
  const { error } = await client.GET('/operations/{operationId}', { params: { path: { operationId: process.env.NOBODY ?? '' } } })
  const problem: components['schemas']['Problem'] | undefined = error
  const refused = await client.PUT('/plugins/{pluginId}', {
    params: { path: { pluginId: 'p' }, header: { 'Idempotency-Key': crypto.randomUUID() } },
    body: { title: 'P', endpoint: 'http://127.0.0.1:1/', enabled: true },
  })
  console.log(bundles.length, problem?.code, refused.error?.code)
}
void main()
`,
  'openapi-ts': `
import { client } from './client/client.gen'
import { getOperation, listBundles, putPlugin } from './client/sdk.gen'
import type { Bundle, Problem } from './client/types.gen'

client.setConfig({ baseUrl: \`\${process.env.CONSOLE}/api\`, auth: ({ scheme }) => scheme === 'bearer' ? process.env.TOKEN : undefined })
async function main() {
  const { data } = await listBundles({ query: { limit: 2 } })
  const bundles: Bundle[] = data?.items ?? []
  const { error } = await getOperation({ path: { operationId: process.env.NOBODY ?? '' } })
  const problem = error as Problem | undefined
  const refused = await putPlugin({
    path: { pluginId: 'p' },
    headers: { 'Idempotency-Key': crypto.randomUUID() },
    body: { title: 'P', endpoint: 'http://127.0.0.1:1/', enabled: true },
  })
  console.log(bundles.length, problem?.code, (refused.error as Problem | undefined)?.code)
}
void main()
`,
  'swagger-typescript-api': `
import { Api, type Bundle, type HttpResponse, type Problem } from './classes/console-api'

const api = new Api({
  baseUrl: \`\${process.env.CONSOLE}/api\`,
  securityWorker: () => ({ headers: { authorization: \`Bearer \${process.env.TOKEN}\` } }),
})
// this client throws what is no success
const problemOf = (failed: HttpResponse<unknown, Problem>) => failed.error
async function main() {
  const { data } = await api.bundles.listBundles({ limit: 2 })
  const bundles: Bundle[] = data.items
  const problem = await api.operations.getOperation(process.env.NOBODY ?? '').catch(problemOf)
  const body = { title: 'P', endpoint: 'http://127.0.0.1:1/', enabled: true }
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const refused = await api.plugins.putPlugin('p', body, { headers }).catch(problemOf)
  console.log(bundles.length, 'code' in problem && problem.code, 'code' in refused && refused.code)
}
void main()
`,
}
const OPTIONS = ['--strict', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--types', 'node']
const compile = (...args: string[]): Promise<string> =>
  run('npx', ['tsc', ...OPTIONS, '--module', 'commonjs', '--moduleResolution', 'node10', ...args])

describe('a generated client', () => {
  it('compiles for each document', async () => {
    for (const name of DOCUMENTS) {
      await run('npx', ['openapi-typescript', document(name), '-o', `${name}.d.ts`])
      const output = name === 'console-api' ? 'client' : name
      await run('npx', ['openapi-ts', '-i', document(name), '-o', output])
      const classes = ['-o', 'classes', '-n', `${name}.ts`, '--silent']
      await run('npx', ['swagger-typescript-api', 'generate', '-p', document(name), ...classes])
      await compile('--noEmit', `${name}.d.ts`, `${output}/sdk.gen.ts`, `classes/${name}.ts`)
    }
  })

  for (const [name, source] of Object.entries(CLIENTS))
    it(`of ${name} calls the console`, async () => {
      writeFileSync(join(folder, `${name}.ts`), source)
      await compile('--outDir', 'out', `${name}.ts`)
      const printed = await run(process.execPath, [`out/${name}.js`], {
        CONSOLE: system.url,
        TOKEN: token,
        NOBODY: crypto.randomUUID(),
      })
      assert.equal(printed.trim(), '2 NOT_FOUND PERMISSION_DENIED')
    })
})
