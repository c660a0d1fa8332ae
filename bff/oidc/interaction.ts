import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors } from 'oidc-provider'
import type { Provider } from 'oidc-provider'
import type { Log } from '#http-kit/log.ts'
import type { Recorder } from '../audit/recorder.ts'
import { isSameOrigin } from '../middleware/provenance.ts'
import { findUser } from '../store/idp-users.ts'
import type { BffDb } from '../store/tables.ts'
import { languageOf } from './page-texts.ts'
import type { SignInLimiter } from './limiter.ts'
import { noticePage, sendPage, signInPage } from './pages.ts'
import type { SignInProblem } from './pages.ts'
import { verifyPassword } from './passwords.ts'
import { interactionPath } from './provider.ts'

export interface InteractionOptions {
  provider: Provider
  db: BffDb
  limiter: SignInLimiter
  publicOrigin: string
  /** The address that a request is limited by, which for IPv6 is a whole network. */
  addressOf: (incoming: IncomingMessage) => string
  /** The address of the client itself, for the audit. */
  clientAddressOf: (incoming: IncomingMessage) => string
  recorder: Pick<Recorder, 'signInFailed'>
  log: Log
}

const MAX_FORM_BYTES = 4096

/**
 * The sign-in form of the embedded identity provider, its only interaction. GET shows the form, POST checks it;
 * `idp-front.ts` admits no other method. A sign-in that has expired or belongs to another browser gets a notice
 * page.
 */
export async function handleInteraction(
  options: InteractionOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { provider } = options
  const language = languageOf(incoming.headers['accept-language'])
  let uid: string
  try {
    uid = (await provider.interactionDetails(incoming, outgoing)).uid
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error
    return sendPage(outgoing, 400, noticePage({ language, notice: 'expired' }))
  }
  const form = (status: number, username: string, problem: SignInProblem | null): void =>
    sendPage(outgoing, status, signInPage({ language, action: interactionPath(uid), username, problem }))

  if (incoming.method === 'GET') return form(200, '', null)
  const { 'sec-fetch-site': site, origin } = incoming.headers
  if (!isSameOrigin({ site: site?.toString(), origin }, options.publicOrigin)) {
    return sendPage(outgoing, 403, noticePage({ language, notice: 'failed' }))
  }
  let fields: URLSearchParams | null
  try {
    fields = await readForm(incoming)
  } catch {
    // there is nobody to respond to
    options.log.debug('a client closed the connection while it sent the sign-in form')
    outgoing.destroy()
    return
  }
  if (fields === null) {
    // the rest of the form is not read, so another request on this connection might wait for it in vain
    outgoing.setHeader('connection', 'close')
    return sendPage(outgoing, 413, noticePage({ language, notice: 'failed' }))
  }
  const username = fields.get('username')?.trim() ?? ''
  const password = fields.get('password') ?? ''
  if (username === '' || password === '') return form(422, username, 'incomplete')

  const checked = await checkPassword(options, { username, password, address: options.addressOf(incoming) })
  if ('problem' in checked) {
    const { problem, waitSeconds } = checked
    const isLimited = problem === 'limited'
    const origin = { clientAddress: options.clientAddressOf(incoming), requestId: randomUUID() }
    const errorCode = isLimited ? 'RATE_LIMITED' : 'SIGN_IN_FAILED'
    await options.recorder.signInFailed({ username: checked.knownUser }, errorCode, origin)
    if (waitSeconds !== undefined) outgoing.setHeader('retry-after', String(waitSeconds))
    return form(isLimited ? 429 : 401, username, problem)
  }
  // not remembered: every sign-in asks for the password, so that signing out of the console is effective
  await provider.interactionFinished(
    incoming,
    outgoing,
    { login: { accountId: checked.sub, remember: false, amr: ['pwd'] } },
    { mergeWithLastSubmission: false },
  )
}

async function checkPassword(
  { db, limiter, log }: InteractionOptions,
  { username, password, address }: { username: string; password: string; address: string },
): Promise<
  { sub: string } | { problem: 'wrong' | 'limited'; knownUser: string | null; waitSeconds?: number }
> {
  const guess = await limiter.guess({ username, address })
  if (!guess.isAllowed) {
    // without the username: no user was looked up, and an unknown username may be a password
    log.warn('sign-in refused after too many wrong passwords', { address })
    return { problem: 'limited', knownUser: null, waitSeconds: guess.waitSeconds }
  }
  const user = await findUser(db, { username })
  const isRight = await verifyPassword(password, user?.passwordHash ?? null)
  if (user === null || !isRight) {
    // an unknown username may be a password typed into the wrong field
    const knownUser = user?.name ?? null
    log.warn('sign-in with a wrong username or password', { username: knownUser, address })
    return { problem: 'wrong', knownUser }
  }
  await guess.wasRight()
  return { sub: user.sub }
}

/** The fields of a submitted form; null if it is too large. */
async function readForm(incoming: IncomingMessage): Promise<URLSearchParams | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  // as documented, leaving the loop would otherwise destroy the request, and with it the socket for the response
  const body: AsyncIterable<Buffer> = incoming.iterator({ destroyOnReturn: false })
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MAX_FORM_BYTES) return null
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
