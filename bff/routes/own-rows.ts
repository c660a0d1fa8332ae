import type { Context, Hono } from 'hono'
import { splitName } from '#contract/endpoint/endpoint.ts'
import type { BodyOf, EndpointName, EndpointRow, ParamsOf, QueryOf } from '#contract/endpoint/endpoint.ts'
import { isRecentSignIn } from '#contract/endpoint/permission.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { AuditAction } from '#contract/runtime-api/vocabulary.ts'
import { knownPerson } from '../audit/recorder.ts'
import type { Origin, Recorder } from '../audit/recorder.ts'
import { ConsoleFailure } from '../failure.ts'
import type { Person, SessionVariables } from '../session/sessions.ts'
import { honoPath, permit } from './endpoints.ts'
import { parseReceived, receive } from './receive.ts'

/** A valid request of a row that the console serves itself. */
export interface OwnRequest<Row> {
  person: Person
  params: ParamsOf<Row>
  query: QueryOf<Row>
  body: BodyOf<Row>
  /** Empty for a read. */
  idempotencyKey: string
  origin: Origin
}

type OwnContext = Context<{ Variables: SessionVariables }>

/**
 * Mounts a row that the console serves itself. Checks the permission, the recent sign-in and the request, in this order;
 * a refusal for lack of a permission or of a sign-in is recorded.
 */
export function addOwnRow<Row extends EndpointRow>(
  app: Hono<{ Variables: SessionVariables }>,
  { name, row }: { name: EndpointName; row: Row },
  handle: (request: OwnRequest<Row>) => Promise<object>,
  options: { recorder: Pick<Recorder, 'refused'>; recentSignInSeconds: number },
): void {
  const { method, path } = splitName(name)
  app.on(method, honoPath(path), async (c) => {
    c.set('endpoint', name)
    const { person } = c.var
    try {
      permit(person.grants, row, c.req.param(), undefined)
      requireRecentSignIn(row, person, options.recentSignInSeconds)
    } catch (error) {
      if (!(error instanceof ConsoleFailure)) throw error
      const target = { scope: null, bundleInstallId: null, operationId: null }
      // the row names an action of the audit, or reads
      const action = (row.audit ?? 'data.read') as AuditAction
      const request = { action, subject: path, errorCode: error.code, ...target }
      await options.recorder.refused(knownPerson(person), request, originOf(c))
      throw error
    }
    const received = await receive(c, name, row)
    const request = { ...parseReceived(row, received), idempotencyKey: received.idempotencyKey ?? '' }
    return c.json(await handle({ ...request, person, origin: originOf(c) }))
  })
}

function requireRecentSignIn(
  { recentSignIn }: EndpointRow,
  { authenticatedSeconds }: Person,
  recentSignInSeconds: number,
): void {
  if (recentSignIn === 'always' && !isRecentSignIn(authenticatedSeconds, recentSignInSeconds))
    throw new ConsoleFailure('RECENT_SIGN_IN_REQUIRED', platformMessage('recentSignInRequired'))
}

const originOf = ({ var: { clientAddress, requestId } }: OwnContext): Origin => ({ clientAddress, requestId })
