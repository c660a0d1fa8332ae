import { consoleApi } from '#contract/console-api/rows.ts'
import { fillPath, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import { SAMPLE_BODIES, SAMPLE_PARAMS, SAMPLE_QUERIES } from '#runtime/testing/rows.ts'
import { notRefused, PEOPLE } from './attack.ts'
import type { Answer, Attack, Person, Target } from './attack.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE2']
const REFUSED = [400, 401, 403, 404, 405, 409, 422]

/** Every endpoint, for every person, in a scope that only the administrator may see; and with every method that it lacks. */
export function matrixAttacks(target: Target): Attack[] {
  const rows = Object.entries(consoleApi) as [EndpointName, EndpointRow][]
  return rows.flatMap(([name, row]) => [
    ...PEOPLE.filter((person) => person !== 'admin').map((person) => foreignCall(target, name, row, person)),
    ...otherMethods(target, name),
  ])
}

function foreignCall(target: Target, name: EndpointName, row: EndpointRow, person: Person): Attack {
  const { method, path } = splitName(name)
  const params: Record<string, string | number> = {
    ...SAMPLE_PARAMS,
    accountId: crypto.randomUUID(),
    viewId: crypto.randomUUID(),
    sessionId: crypto.randomUUID(),
    tokenId: crypto.randomUUID(),
    ...target.foreign,
    ...target.foreignIds,
  }
  const sample = SAMPLE_BODIES[name]
  const body = sample === undefined ? undefined : JSON.stringify(inForeign(sample, target))
  const query = method === 'GET' ? (SAMPLE_QUERIES[name] ?? '') : ''
  return {
    name: `${name} as ${person} in a foreign scope`,
    async run() {
      const request = { method, path: `/api${fillPath(path, params)}${query}`, as: person }
      const isStream = row.answers === 'events'
      if (isStream) return person === 'nobody' ? notRefused(await target.send(request), [401]) : null
      const sent = body ?? (row.body === undefined ? undefined : '{}')
      const answer = await target.send({ ...request, ...(sent !== undefined && { body: sent }) })
      if (person === 'nobody') return notRefused(answer, [401])
      const seen = judge(answer, target, row, method === 'GET')
      if (seen !== null || answer.status < 400) return seen
      const nothing = Object.fromEntries(Object.keys(target.foreignIds).map((id) => [id, missing(id)]))
      const other = await target.send({
        ...request,
        path: `/api${fillPath(path, { ...params, ...nothing })}${query}`,
        ...(sent !== undefined && { body: replaced(sent, target.foreignIds, nothing) }),
      })
      const [known, unknown] = [answer, other].map(refusalIn)
      return known === unknown ? null : `tells that it exists: ${known} and not ${unknown}`
    },
  }
}

const missing = (id: string): string => (id === 'name' ? 'nothing' : crypto.randomUUID())

function replaced(
  text: string,
  ids: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>>,
): string {
  return Object.entries(ids).reduce((body, [id, value]) => body.replaceAll(value, others[id] ?? ''), text)
}

/** What a refusal says: neither the request that it is of, nor the object. */
function refusalIn({ status, text }: Answer): string {
  const { code, message } = JSON.parse(text) as { code?: string; message?: string }
  return `${status} ${code} ${message}`
}

/** A list is filtered and the own things of a person are served; everything else is refused, and nothing is shown. */
function judge(
  answer: Answer,
  { foreignTexts, foreignIds }: Target,
  row: EndpointRow,
  isRead: boolean,
): string | null {
  const { access, ownState } = row
  // what a write returns repeats the ids of the request
  const hidden = [...foreignTexts, ...(isRead ? Object.values(foreignIds) : [])]
  const shown = hidden.find((text) => answer.text.includes(text))
  if (answer.status < 300 && shown !== undefined) return `status ${answer.status} shows ${shown}`
  // a write of many objects says which of them it refused
  if (answer.status === 200 && answer.text.includes('"assigned":0')) return null
  const where = 'where' in access ? access.where : null
  const isServed =
    where === null ||
    where === 'list' ||
    ownState === true ||
    (isRead && (where === 'anywhere' || where === 'environment'))
  return notRefused(answer, isServed ? [...REFUSED, 200, 201, 204] : REFUSED)
}

function inForeign(body: object, { foreign, foreignIds }: Target): object {
  const own = body as Record<string, unknown>
  return {
    ...own,
    ...('scope' in own && own['scope'] !== null && { scope: foreign }),
    ...('input' in own && { input: { bundleInstallId: foreignIds['bundleInstallId'] } }),
    ...('targets' in own && { targets: [foreignIds['bundleInstallId']] }),
    ...('operationIds' in own && { operationIds: [foreignIds['operationId']] }),
    ...('subject' in own && { subject: { kind: 'operation', operationId: foreignIds['operationId'] } }),
  }
}

function otherMethods(target: Target, name: EndpointName): Attack[] {
  const { path } = splitName(name)
  const has = new Set<string>(
    (Object.keys(consoleApi) as EndpointName[])
      .map(splitName)
      .filter((other) => sameShape(other.path, path))
      .map(({ method }) => method),
  )
  return METHODS.filter((method) => !has.has(method)).map((method) => ({
    name: `${method} ${path} as the administrator`,
    run: async () =>
      notRefused(
        await target.send({
          method,
          path: `/api${fillPath(path, { ...SAMPLE_PARAMS, accountId: 'a', viewId: 'a', sessionId: 'a', tokenId: 'a', ...target.foreignIds })}`,
          as: 'admin',
        }),
        [400, 403, 404, 405, 501],
      ),
  }))
}

const sameShape = (one: string, other: string): boolean => {
  const parts = other.split('/')
  return (
    one.split('/').length === parts.length &&
    one
      .split('/')
      .every((part, at) => part === parts[at] || part.startsWith('{') || parts[at]?.startsWith('{') === true)
  )
}
