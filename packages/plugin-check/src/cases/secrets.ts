import type { JsonValue } from '../../../../contract/json-schema/json.ts'
import { encodingsOf } from '../wire/encodings.ts'
import type { Operation, Sent, Trial } from '../run/trial.ts'
import { isDone } from '../wire/read-answer.ts'
import { prepare } from './repeats.ts'
import { replaceIn } from '../wire/build-call.ts'
import { caseGroup, type Case } from './case.ts'
import { issuedIn } from './installations.ts'
import { once } from './read-response.ts'

const secret = caseGroup('secret', { rule: 'secrets-in-responses', kind: 'behaviour' })

interface Secret {
  /** What it is, for the person who looks for the place. */
  of: string
  text: string
}

const secretsOf = (of: string, texts: readonly string[]): Secret[] => texts.map((text) => ({ of, text }))

/** The values of properties, by locator and name. */
const secretsIn = (values: Readonly<Record<string, Readonly<Record<string, string>>>>): Secret[] =>
  Object.entries(values).flatMap(([locator, named]) =>
    Object.entries(named).map(([name, text]) => ({ of: `${name} of ${locator}`, text })),
  )

/** A value that occurs nowhere else for each sensitive text property of the profile, by locator and name. */
function canaries(trial: Trial): Record<string, Record<string, string>> {
  const canary = (): string => `canary-${trial.random.bytes(12).toString('hex')}`
  return replaceIn(trial.profile, ({ sensitive, properties }) =>
    sensitive.filter((name) => typeof properties[name] === 'string').map((name) => [name, canary()] as const),
  )
}

function checkAbsent(trial: Trial, sent: readonly Sent[], secrets: readonly Secret[], what: string): void {
  for (const { exchange } of sent) {
    const { response } = exchange
    if (response === null) continue
    const text = `${JSON.stringify(response.headers)}\n${response.body.toString()}`
    checkText(trial, text, secrets, what)
  }
}

function checkText(trial: Trial, text: string, secrets: readonly Secret[], what: string): void {
  for (const { of, text: value } of secrets)
    for (const [encoding, encoded] of encodingsOf(value))
      trial.check(!text.includes(encoded), `${what} contains a secret: ${of} (${encoding})`)
}

/** What the plugin printed lately contains none of the last of these. */
function checkLog({ host, check }: Trial, secrets: readonly Secret[]): void {
  const printed: string = host?.output().slice(-LOG_MAX) ?? ''
  const found = secrets.slice(-LOGGED_MAX).find(({ text }) => printed.includes(text))
  check(found === undefined, `The output of the plugin contains a secret: ${found?.of}`)
}

const tokensOf = (sent: readonly Sent[]): Secret[] =>
  sent.flatMap(({ exchange }) => {
    const token = exchange.request.headers['authorization']?.split(' ')[1]
    return token === undefined ? [] : secretsOf('the token of a call', [token])
  })

const credentialOf = ({ profile }: Trial): Secret[] =>
  secretsOf('the credential of the plugin', [profile.credential])

async function sendOtherBytes(trial: Trial, { variant }: Operation): Promise<void> {
  const other = variant('BEFORE_RESOURCES', { targetVersion: '1.0.9' })
  await trial.sendBytes(other.bytes, other)
}

/** Calls of every kind with canaries as the sensitive values, including calls that the plugin must refuse: made once. */
const provoke = (trial: Trial): Promise<{ secrets: Secret[]; sent: readonly Sent[] }> =>
  once(trial, 'secrets', () => provokeOnce(trial))

async function provokeOnce(trial: Trial): Promise<{ secrets: Secret[]; sent: readonly Sent[] }> {
  const replace = canaries(trial)
  const installation = trial.install()
  const operation = installation.operation('INSTALL', 1, { replace })
  await trial.settle(operation.before)
  await sendOtherBytes(trial, operation)
  await trial.settle(operation.after)
  await trial.settle(installation.operation('CONFIGURE', 2, { replace, values: 'changed' }).before)
  await trial.send(installation.operation('CONFIGURE', 1, { replace }).before)
  await trial.settle(installation.operation('UPGRADE', 3, { replace, values: 'invalid' }).before)
  await trial.settle(installation.operation('DETACH', 4, { replace }).before)
  if (trial.profile.provoke.temporaryFailure !== undefined)
    await trial.provoke('temporaryFailure', async () => {
      const failing = trial.install().operation('INSTALL', 1, { replace })
      const { answer } = await trial.settle(failing.before, { withinMs: FAILING_MS })
      if (isDone(answer)) await trial.settle(failing.after, { withinMs: FAILING_MS })
    })
  return { secrets: secretsIn(replace), sent: trial.sent }
}

/** A text with fewer random characters can be in a response by chance. */
const RANDOM_MIN = 8
const SHORT_LENGTH = 6
const LONG_LENGTH = 4_000
/** A message may quote a part of a long text. */
const PART_LENGTH = 16

/** A random text of the same form: what is wrong with the form of the given one is wrong with it, too. */
function alike({ random }: Trial, text: string): string {
  const one = (characters: string): string => characters.charAt(random.integer(characters.length))
  return text
    .replaceAll(/[a-z]/g, () => one('abcdefghijklmnopqrstuvwxyz'))
    .replaceAll(/[A-Z]/g, () => one('ABCDEFGHIJKLMNOPQRSTUVWXYZ'))
    .replaceAll(/[0-9]/g, () => one('0123456789'))
}

interface Unusual {
  value: JsonValue
  /** What a response must not contain. */
  secrets: readonly string[]
}

/** Values that a plugin may have reason to refuse: short, long, with other characters, of another type, or as in `invalid`. */
function unusualValues(trial: Trial, invalid: JsonValue | undefined): Unusual[] {
  const text = alike(trial, 'a'.repeat(LONG_LENGTH))
  const [part, short] = [text.slice(0, PART_LENGTH), text.slice(-SHORT_LENGTH)]
  const number = 100_000_000_000 + trial.random.integer(2 ** 31)
  const wrong = typeof invalid === 'string' ? alike(trial, invalid) : ''
  const wrongPart = wrong.slice(0, PART_LENGTH)
  const isTelling = wrongPart.replaceAll(/[^a-z0-9]/gi, '').length >= RANDOM_MIN
  return [
    { value: short, secrets: [short] },
    { value: text, secrets: [part] },
    { value: `${part} "é"`, secrets: [part] },
    { value: number, secrets: [String(number)] },
    { value: [part], secrets: [part] },
    ...(isTelling ? [{ value: wrong, secrets: [wrongPart] }] : []),
  ]
}

/** How much of the output is searched after each case, and for how many secrets of it. */
const LOG_MAX = 64 * 1024
const LOGGED_MAX = 40
/** Time for several attempts. */
const FAILING_MS = 200
/** A shorter text can be in a response by chance. */
const TELLING_MIN = 12

/** The sensitive texts of a request that cannot be in a response by chance. */
const sensitiveIn = ({ call }: Sent): Secret[] =>
  Object.entries(call?.request.resources ?? {}).flatMap(([locator, { properties }]) =>
    Object.entries(properties).flatMap(([name, data]) =>
      data.isSensitive === true && typeof data.value === 'string' && data.value.length >= TELLING_MIN
        ? secretsIn({ [locator]: { [name]: data.value } })
        : [],
    ),
  )

const INTERNALS: readonly (readonly [string, RegExp])[] = [
  ['a stack trace', /\n\s+at |\bat \S+ \(|Traceback \(most recent/],
  [
    'a file path',
    /(?:^|[\s("'])(?:\/(?:usr|home|var|opt|srv|app|tmp|work|root|etc)\/\S+|[A-Z]:\\\S+)|node_modules/,
  ],
  ['SQL', /\b(?:SELECT .+ FROM|INSERT INTO|UPDATE .+ SET|DELETE FROM)\b/],
  ['an address', /\bhttps?:\/\/|\b(?:\d{1,3}\.){3}\d{1,3}:\d+/],
]

export const SECRET_CASES: readonly Case[] = [
  secret(
    'sensitive-input',
    {
      title: 'No response contains a sensitive value of a request, in any encoding',
      needs: ['sensitive'],
      fix: 'Never copy request values into messages, and do not echo properties.',
    },
    {
      async run(trial) {
        const { secrets, sent } = await provoke(trial)
        checkAbsent(trial, sent, secrets, 'A response')
      },
      judge: (trial, sent) => checkAbsent(trial, [sent], sensitiveIn(sent), 'A response'),
    },
  ),
  secret(
    'sensitive-refused',
    {
      title: 'No response or log contains a sensitive value that is too short, too long or otherwise unusual',
      needs: ['sensitive'],
      fix: 'Say what is wrong with a sensitive value without the value.',
    },
    async (trial) => {
      for (const [locator, { sensitive, properties, invalid }] of Object.entries(trial.profile.resources))
        for (const name of sensitive.filter((one) => typeof properties[one] === 'string'))
          for (const { value, secrets } of unusualValues(trial, invalid?.[name])) {
            const { before, after } = trial
              .install()
              .operation('INSTALL', 1, { replace: { [locator]: { [name]: value } } })
            const sent = await trial.settle(before, { withinMs: FAILING_MS })
            if (isDone(sent.answer)) await trial.settle(after, { withinMs: FAILING_MS })
            const named = secretsOf(`${name} of ${locator}`, secrets)
            checkAbsent(trial, trial.sent, named, 'A response')
            checkLog(trial, named)
          }
    },
  ),
  secret(
    'sensitive-input-in-log',
    {
      title: 'Sensitive values of a request are not logged',
      needs: ['sensitive', 'start'],
      fix: 'Do not log bodies; log operationId and stage.',
    },
    {
      async run(trial) {
        const { secrets } = await provoke(trial)
        checkText(trial, trial.host?.output() ?? '', secrets, 'The output of the plugin')
      },
      review: (trial) => checkLog(trial, trial.sent.flatMap(sensitiveIn)),
    },
  ),
  secret(
    'lifecycle-token',
    { title: 'No response contains the lifecycle token', fix: 'Never copy headers into a response.' },
    {
      async run(trial) {
        const { operation } = await prepare(trial, 'INSTALL')
        await trial.settle(operation.before)
        await sendOtherBytes(trial, operation)
        await trial.send(operation.after, {}, { claims: { stage: 'BEFORE_RESOURCES' } })
        checkAbsent(trial, trial.sent, tokensOf(trial.sent), 'A response')
      },
      judge: (trial, sent) => checkAbsent(trial, [sent], tokensOf([sent]), 'A response'),
    },
  ),
  secret(
    'lifecycle-token-in-log',
    { title: 'The lifecycle token is not logged', needs: ['start'], fix: 'Do not log headers.' },
    {
      async run(trial) {
        const { operation } = await prepare(trial, 'INSTALL')
        await trial.settle(operation.before)
        await trial.send(operation.after, {}, { claims: { stage: 'BEFORE_RESOURCES' } })
        checkText(trial, trial.host?.output() ?? '', tokensOf(trial.sent), 'The output of the plugin')
      },
      review: (trial) => checkLog(trial, tokensOf(trial.sent)),
    },
  ),
  secret(
    'credential',
    {
      title: 'No response contains the credential of the plugin',
      fix: 'Never write or report the credential of the plugin.',
    },
    {
      run: async (trial) => void (await provoke(trial)),
      judge: (trial, sent) => checkAbsent(trial, [sent], credentialOf(trial), 'A response'),
    },
  ),
  secret(
    'access-in-log',
    {
      title: 'The credential, and the addresses and tokens of resolved references, are not logged',
      needs: ['start', 'references', 'resolves'],
      fix: 'Do not log requests to the platform or to services, nor their responses.',
    },
    {
      run: async (trial) => trial.complete(trial.install().operation('INSTALL', 1)),
      review(trial) {
        const access = trial.platform.material.slice(trial.from.material)
        checkLog(trial, [
          ...secretsOf('an address or a token of a resolved reference', access),
          ...credentialOf(trial),
        ])
      },
    },
  ),
  secret(
    'issued-in-log',
    {
      title: 'Issued tokens are not logged',
      needs: ['issued', 'start'],
      fix: 'Do not log responses.',
    },
    async (trial) => {
      const { operation } = await prepare(trial, 'INSTALL')
      const { answer } = await trial.finish(operation.before)
      const issued = Object.entries(trial.profile.resources).flatMap(([locator, { writes }]) =>
        Object.entries(writes).flatMap(([name, { isIssued, isSensitive }]) => {
          const text = JSON.stringify(answer.writes[locator] ?? {})
          const value = new RegExp(`"${name}":\\{[^}]*"value":"([^"]{8,})"`).exec(text)?.[1]
          return isIssued && isSensitive && value !== undefined
            ? secretsIn({ [locator]: { [name]: value } })
            : []
        }),
      )
      checkText(trial, trial.host?.output() ?? '', issued, 'The output of the plugin')
    },
  ),
  secret(
    'no-internals',
    {
      title: 'Failure messages contain no stack trace, path, address or SQL',
      rule: 'failure-data',
      fix: 'Write messages for people, and log the details.',
    },
    {
      run: async (trial) => void (await provoke(trial)),
      judge(trial, { answer }) {
        if (answer.kind !== 'failure') return
        for (const [what, pattern] of INTERNALS)
          trial.check(!pattern.test(answer.message), `The message of ${answer.errorCode} contains ${what}`)
      },
    },
  ),
  secret(
    'issued-in-failure',
    {
      title: 'No failure contains an issued token',
      needs: ['issued'],
      fix: 'Never copy what you have issued into a message.',
    },
    {
      run: async (trial) => void (await provoke(trial)),
      review(trial) {
        const issued = trial.sent.flatMap(({ answer }) =>
          answer.kind === 'success' ? [...issuedIn(trial.profile, answer.writes)] : [],
        )
        const secrets = issued.flatMap(([where, value]) =>
          typeof value === 'string' && value.length >= TELLING_MIN ? secretsOf(where, [value]) : [],
        )
        const failures = trial.sent.filter(({ answer }) => answer.kind === 'failure')
        checkAbsent(trial, failures, secrets, 'A failure')
      },
    },
  ),
]
