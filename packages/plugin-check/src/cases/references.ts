import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { SettleOptions, Trial } from '../run/trial.ts'
import type { ResolveMode } from '../wire/platform.ts'
import { describeAnswer, isDone, isRepeated } from '../wire/read-answer.ts'
import { encodingsOf } from '../wire/encodings.ts'
import { caseGroup, type Case } from './case.ts'
import { once } from './read-response.ts'

const reference = caseGroup('reference', {
  rule: 'resolving-references',
  kind: 'behaviour',
  needs: ['references', 'resolves'],
})
const MATCH = 'Compare installation, resource and propertyKey of the response with the request.'
const RESOLVE_PATH = '/module-plugin-manager/api/bundle-plugin/service-reference/resolve'

/** The last addresses and tokens of a case that are searched for in its responses. */
const MATERIAL_MAX = 8

/** Long enough for a plugin that answers UNKNOWN at first. */
const WHILE_MS = 400

/** Both stages of an INSTALL, as far as they succeed: what the plugin asked the platform is judged in any case. */
async function tryInstall(trial: Trial): Promise<void> {
  const { before, after } = trial.install().operation('INSTALL', 1)
  if (isDone((await trial.settle(before)).answer)) await trial.settle(after)
}

/** What the plugin asked the platform during a case. */
const callsOf = ({ platform, from }: Trial) => platform.calls.slice(from.calls)

/** INSTALL while resolve is unavailable. */
const unresolved = (trial: Trial) => once(trial, 'unresolved', () => installWhile(trial, 'down'))

/** INSTALL while resolve responds in this way. */
async function installWhile(
  trial: Trial,
  mode: ResolveMode,
  options: SettleOptions = { withinMs: WHILE_MS },
) {
  const operation = trial.install().operation('INSTALL', 1)
  const from = trial.platform.services.calls.length
  trial.platform.setResolveMode(mode)
  try {
    const before = await trial.settle(operation.before, options)
    const last = isDone(before.answer) ? await trial.settle(operation.after, options) : before
    return { operation, last, serviceCalls: trial.platform.services.calls.slice(from) }
  } finally {
    trial.platform.setResolveMode('grant')
  }
}

const notDone = (name: string, title: string, mode: ResolveMode, fix: string): Case =>
  reference(name, { title, fix }, async (trial) => {
    const { last, serviceCalls } = await installWhile(trial, mode)
    trial.check(!isDone(last.answer), `INSTALL succeeded with ${describeAnswer(last.answer)}`)
    trial.check(
      serviceCalls.every(({ problem }) => problem !== 'wrong-response' && problem !== 'expired'),
      'The plugin called a service with such access',
    )
  })

export const REFERENCE_CASES: readonly Case[] = [
  reference(
    'request',
    {
      title: 'A resolve request has exactly the four documented fields',
      fix: 'Send contractVersion 4.0.0, installation, resource and propertyKey, and nothing else.',
    },
    {
      async run(trial) {
        await tryInstall(trial)
        const isResolved = callsOf(trial).some(({ path }) => path.endsWith('/resolve'))
        trial.check(isResolved, 'The plugin did not call resolve')
      },
      review(trial) {
        for (const { path, body } of callsOf(trial)) {
          if (!path.endsWith('/resolve')) continue
          const names = Object.keys(isJsonObject(body) ? body : {})
            .sort()
            .join(', ')
          trial.check(names === 'contractVersion, installation, propertyKey, resource', `It has ${names}`)
        }
      },
    },
  ),
  reference(
    'path',
    {
      title: 'Resolve is called at its documented path',
      fix: `Call {platform_api_base}${RESOLVE_PATH}, not an older alias.`,
    },
    {
      async run(trial) {
        await tryInstall(trial)
        const paths = callsOf(trial).map(({ path }) => path)
        trial.check(paths.includes(RESOLVE_PATH), `The plugin called ${paths.join(', ') || 'nothing'}`)
      },
      review(trial) {
        for (const { path } of callsOf(trial))
          trial.check(path === RESOLVE_PATH || path.endsWith('/read'), `It was called at ${path}`)
      },
    },
  ),
  reference(
    'unknown-field',
    {
      title: 'A field of the envelope that the plugin does not know does not disturb a resolution',
      rule: 'envelope',
      fix: 'Read the fields of the envelope that you need, and ignore the others.',
    },
    async (trial) => {
      const { answer } = (await installWhile(trial, 'unknown-field', {})).last
      trial.check(isDone(answer), `INSTALL got ${describeAnswer(answer)}`)
    },
  ),
  reference(
    'credential',
    {
      title: 'Resolve is called with the credential of the plugin',
      fix: 'Send Authorization: Bearer with the credential of the plugin, never a lifecycle token.',
    },
    {
      run: tryInstall,
      review(trial) {
        for (const { authorization } of callsOf(trial))
          trial.check(
            authorization === `Bearer ${trial.profile.credential}`,
            'It was called with something else',
          )
      },
    },
  ),
  notDone(
    'refused',
    'A refused resolution is no success',
    'refuse',
    'Fail the call if resolve responds with a failure.',
  ),
  notDone(
    'expired',
    'Expired access is not used',
    'expired',
    'Compare expiresAt with the clock before you use the access.',
  ),
  notDone(
    'expired-elsewhere',
    'Access that expired is not used, whatever the offset of its time',
    'expired-elsewhere',
    'Read expiresAt with its offset: 12:00 in +02:00 is 10:00 in UTC. Do not compare times as texts.',
  ),
  notDone('other-installation', 'Access for another installation is not used', 'other-installation', MATCH),
  notDone('other-workspace', 'Access for another workspace is not used', 'other-workspace', MATCH),
  notDone('other-resource', 'Access for another resource is not used', 'other-resource', MATCH),
  notDone('other-property', 'Access for another property is not used', 'other-property', MATCH),
  notDone(
    'revoked',
    'A revoked credential is no success',
    'revoked',
    'Fail the call if resolve responds with a failure.',
  ),
  notDone(
    'no-answer',
    'A response of resolve that is no envelope is no success',
    'garbage',
    'Read errorCode first, and fail the call unless it is "0".',
  ),
  notDone(
    'no-access',
    'A resolution without access to the service is no success',
    'no-access',
    'Require an entry of access for every serviceId of the reference.',
  ),
  reference(
    'no-expiry',
    {
      title: 'Access without an expiry is used',
      fix: 'Accept null as expiresAt.',
    },
    async (trial) => {
      const { last } = await installWhile(trial, 'no-expiry')
      trial.check(isDone(last.answer), `INSTALL got ${describeAnswer(last.answer)}`)
    },
  ),
  reference(
    'not-too-early',
    {
      title: 'Nothing is resolved in BEFORE_RESOURCES of an INSTALL',
      rule: 'when-references-resolve',
      fix: 'Resolve in AFTER_RESOURCES: before that, the installation is not active.',
    },
    async (trial) => {
      const installation = trial.install()
      await trial.finish(installation.operation('INSTALL', 1).before)
      trial.check(
        !trial.platform.wasEarly(installation.identity.bundleInstallId),
        'The plugin called resolve in BEFORE_RESOURCES',
      )
    },
  ),
  reference(
    'down',
    {
      title: 'If resolve is unavailable, the call is repeated',
      level: 'SHOULD',
      fix: 'Return a retryable failure or UNKNOWN if resolve responds with 5xx or not at all.',
    },
    async (trial) => {
      const { last } = await unresolved(trial)
      trial.check(isRepeated(last.answer), `INSTALL got ${describeAnswer(last.answer)}`)
    },
  ),
  reference(
    'failure-not-remembered',
    {
      title: 'Once resolve responds again, the same bytes succeed',
      rule: 'repeated-calls',
      fix: 'Do not remember failures: run the call again, and resolve again.',
    },
    async (trial) => {
      for (const [words, install] of [
        ['was unavailable', unresolved],
        ['refused', () => installWhile(trial, 'refuse')],
      ] as const) {
        const { operation, last } = await install(trial)
        // the case "refused" is about that
        if (isDone(last.answer)) continue
        for (const call of [operation.before, operation.after]) {
          const { answer } = await trial.settle(call)
          trial.check(
            isDone(answer),
            `After resolve ${words}, ${call.request.stage} still gets ${describeAnswer(answer)}`,
          )
        }
      }
    },
  ),
  reference(
    'resolved-again',
    {
      title: 'Every installation is resolved for itself',
      fix: 'Do not keep access material: resolve for every business call.',
    },
    async (trial) => {
      const from = trial.platform.calls.length
      await tryInstall(trial)
      const single = trial.platform.calls.length - from
      await tryInstall(trial)
      const both = trial.platform.calls.length - from
      trial.check(both > single, 'The second INSTALL did not resolve')
    },
  ),
  reference(
    'not-written-back',
    {
      title: 'No resolved address or token is written back, or kept',
      rule: 'writes-of-a-plugin',
      fix: 'Write only your own values.',
    },
    {
      async run(trial) {
        const installation = trial.install()
        await trial.complete(installation.operation('INSTALL', 1))
        const state = JSON.stringify(await trial.state(installation))
        for (const material of trial.platform.material.slice(trial.from.material))
          trial.check(!state.includes(material), 'The state contains it')
      },
      judge(trial, { exchange }) {
        const text = (exchange.response?.body ?? '').toString()
        const given = trial.platform.material.slice(trial.from.material).slice(-MATERIAL_MAX)
        for (const material of text === '' ? [] : given)
          for (const [encoding, encoded] of encodingsOf(material))
            trial.check(!text.includes(encoded), `A response contains it (${encoding})`)
      },
    },
  ),
]
