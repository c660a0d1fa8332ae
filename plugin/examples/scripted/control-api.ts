import type { SqliteStore } from '#plugin-sdk/src/sqlite-store.ts'
import { clearLog, listCalls, listEffects, listRules, prependRules, removeRules } from './script-store.ts'
import { Script } from './script.ts'

/** The HTTP interface for scripting the plugin and reading its log; null for other paths. */
export async function handleControlRequest(request: Request, store: SqliteStore): Promise<Response | null> {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname === '/script') return script(request, store, searchParams.get('ruleId'))
  if (pathname === '/log') return log(request, store, searchParams)
  return null
}

async function script(request: Request, store: SqliteStore, ruleId: string | null): Promise<Response> {
  if (request.method === 'GET') return Response.json({ rules: await store.transaction(listRules) })
  if (request.method === 'DELETE') {
    await store.transaction((tx) => removeRules(tx, ruleId))
    return new Response(null, { status: 204 })
  }
  if (request.method !== 'PUT' && request.method !== 'POST') return new Response(null, { status: 405 })
  const reading = Script.safeParse(await request.json().catch(() => null))
  if (!reading.success)
    return Response.json(
      { problems: reading.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) },
      { status: 400 },
    )
  const ruleIds = await store.transaction((tx) => {
    if (request.method === 'PUT') removeRules(tx, null)
    return prependRules(tx, reading.data.rules)
  })
  return Response.json({ ruleIds })
}

async function log(request: Request, store: SqliteStore, search: URLSearchParams): Promise<Response> {
  if (request.method === 'DELETE') {
    await store.transaction(clearLog)
    return new Response(null, { status: 204 })
  }
  if (request.method !== 'GET') return new Response(null, { status: 405 })
  const filter = { operationId: search.get('operationId'), bundleInstallId: search.get('bundleInstallId') }
  return Response.json(
    await store.transaction((tx) => ({ calls: listCalls(tx, filter), effects: listEffects(tx, filter) })),
  )
}
