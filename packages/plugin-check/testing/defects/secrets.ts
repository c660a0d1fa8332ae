import { breaks } from './defect.ts'
import { CREDENTIAL, type Change } from '../reference-parts.ts'
import { Refusal } from '../refusal.ts'

// What is wrong with secrets in responses and logs.

const logging =
  (textOf: (body: string, answer: string, header: string) => string): Change =>
  (parts) => {
    parts.log = (body, answer, incoming) =>
      console.log(textOf(body.toString(), answer, incoming.headers.authorization ?? ''))
  }

/** Refuses plans, which are sensitive, with a message that quotes them. */
const refusingPlan =
  (isWrong: (plan: unknown) => boolean, textOf: (plan: string) => string = (plan) => plan): Change =>
  (parts) => {
    const { apply } = parts
    parts.apply = (request) => {
      for (const { properties } of Object.values(request.resources)) {
        const plan = properties['plan']?.value
        if (isWrong(plan)) throw new Refusal('PLAN_INVALID', `There is no plan ${textOf(String(plan))}`)
      }
      return apply(request)
    }
  }

const messaging =
  (textOf: (request: string, header: string) => string): Change =>
  (parts) => {
    const { answer, otherBytes, once } = parts
    let header = ''
    let body = ''
    parts.answer = (incoming) => {
      header = incoming.headers.authorization ?? ''
      return answer(incoming)
    }
    parts.once = (request, hash) => {
      body = JSON.stringify(request.resources)
      return once(request, hash)
    }
    parts.otherBytes = (request) => {
      try {
        return otherBytes(request)
      } catch {
        throw new Refusal('REQUEST_CHANGED', textOf(body, header))
      }
    }
  }

export const SECRET_DEFECTS = {
  'secret-in-message': breaks(
    'secret.sensitive-input',
    'copies sensitive values into a failure message',
    messaging((body) => `The request has changed: ${body}`),
  ),
  'secret-in-base64': breaks(
    'secret.sensitive-input',
    'copies sensitive values in base64 into a failure message',
    messaging(
      (body) =>
        `Changed: ${[...body.matchAll(/canary-[0-9a-f]+/g)].map(([value]) => Buffer.from(value).toString('base64')).join(' ')}`,
    ),
  ),
  'secret-in-log': breaks(
    'secret.sensitive-input-in-log',
    'logs request bodies',
    logging((body) => body),
    ['secret.sensitive-refused'],
  ),
  'short-secret-in-message': breaks(
    'secret.sensitive-refused',
    'quotes a sensitive text that is too short',
    refusingPlan((plan) => typeof plan === 'string' && plan.length > 4 && plan.length < 8),
  ),
  'login-in-message': breaks(
    'secret.sensitive-refused',
    'shows the log-in with a sensitive text in Base64',
    refusingPlan(
      (plan) => typeof plan === 'string' && plan.includes(' '),
      (plan) => Buffer.from(`mailer:${plan}`).toString('base64'),
    ),
    ['secret.sensitive-input'],
  ),
  'secret-number-in-message': breaks(
    'secret.sensitive-refused',
    'quotes a sensitive value that is not a text',
    refusingPlan((plan) => plan !== undefined && typeof plan !== 'string'),
  ),
  'token-in-message': breaks(
    'secret.lifecycle-token',
    'copies the authorization header into a failure message',
    messaging((_, header) => `Changed under ${header}`),
    ['failure'],
  ),
  'token-in-log': breaks(
    'secret.lifecycle-token-in-log',
    'logs the authorization header',
    logging((_body, _answer, header) => header),
  ),
  'issued-in-log': breaks(
    'secret.issued-in-log',
    'logs its responses',
    logging((_, answer) => answer),
  ),
  'credential-in-message': breaks(
    'secret.credential',
    'writes its credential into a failure message',
    messaging(() => `Refused for ${CREDENTIAL}`),
  ),
  'issued-in-message': breaks(
    'secret.issued-in-failure',
    'writes what it has issued into a failure message',
    (parts, { state }) => {
      parts.otherBytes = ({ installation }) => {
        const tokens = Object.values(state.tenants)
          .filter(({ bundleInstallId }) => bundleInstallId === installation.bundleInstallId)
          .map(({ accessToken }) => accessToken)
        throw new Refusal('REQUEST_CHANGED', `Another request has issued ${tokens.join(' ')}`)
      }
    },
  ),
  'stack-in-message': breaks(
    'secret.no-internals',
    'sends a stack trace as the failure message',
    messaging(() => new Error('changed').stack ?? ''),
  ),
  'sql-in-message': breaks(
    'secret.no-internals',
    'sends SQL as the failure message',
    messaging(() => 'INSERT INTO tenants failed: duplicate key'),
  ),
  'path-in-message': breaks(
    'secret.no-internals',
    'sends a path of a file as the failure message',
    messaging(() => 'Cannot read /var/lib/tenants/7.json'),
  ),
  'address-in-message': breaks(
    'secret.no-internals',
    'sends an internal address as the failure message',
    messaging(() => 'No answer of http://tenants.internal/v1'),
  ),
}
