import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { Trial } from '../run/trial.ts'
import type { ResolveMode } from '../wire/platform.ts'
import { describeAnswer, isDone, isRepeated } from '../wire/read-answer.ts'
import { encodingsOf } from '../wire/encodings.ts'
import { caseGroup, type Case } from './case.ts'

const reference = caseGroup('reference', {
  rule: 'resolving-references',
  kind: 'behaviour',
  needs: ['references', 'resolves'],
})
const RESOLVE_PATH = '/module-plugin-manager/api/bundle-plugin/service-reference/resolve'

/** INSTALL while resolve responds in this way. */
async function installWhile(trial: Trial, mode: ResolveMode) {
  trial.platform.setResolveMode(mode)
  try {
    const operation = trial.install().operation('INSTALL', 1)
    const before = await trial.send(operation.before)
    const after = isDone(before.answer) ? await trial.send(operation.after) : before
    return { operation, last: after }
  } finally {
    trial.platform.setResolveMode('grant')
  }
}

const notDone = (name: string, title: string, mode: ResolveMode, fix: string): Case =>
  reference(name, { title, fix }, async (trial) => {
    const { last } = await installWhile(trial, mode)
    trial.check(!isDone(last.answer), `INSTALL succeeded with ${describeAnswer(last.answer)}`)
  })

export const REFERENCE_CASES: readonly Case[] = [
  reference(
    'request',
    {
      title: 'A resolve request has exactly the four documented fields',
      fix: 'Send contractVersion 4.0.0, installation, resource and propertyKey, and nothing else.',
    },
    async (trial) => {
      const from = trial.platform.calls.length
      await trial.complete(trial.install().operation('INSTALL', 1))
      const calls = trial.platform.calls.slice(from).filter(({ path }) => path.endsWith('/resolve'))
      trial.check(calls.length > 0, 'The plugin did not call resolve')
      for (const { body } of calls) {
        const names = Object.keys(isJsonObject(body) ? body : {})
          .sort()
          .join(', ')
        trial.check(names === 'contractVersion, installation, propertyKey, resource', `It has ${names}`)
      }
    },
  ),
  reference(
    'path',
    {
      title: 'Resolve is called at its documented path',
      fix: `Call {platform_api_base}${RESOLVE_PATH}, not an older alias.`,
    },
    async (trial) => {
      const from = trial.platform.calls.length
      await trial.complete(trial.install().operation('INSTALL', 1))
      for (const { path } of trial.platform.calls.slice(from))
        trial.check(path === RESOLVE_PATH || path.endsWith('/read'), `It was called at ${path}`)
    },
  ),
  reference(
    'credential',
    {
      title: 'Resolve is called with the credential of the plugin',
      fix: 'Send Authorization: Bearer with the credential of the plugin, never a lifecycle token.',
    },
    async (trial) => {
      const from = trial.platform.calls.length
      await trial.complete(trial.install().operation('INSTALL', 1))
      for (const { authorization } of trial.platform.calls.slice(from))
        trial.check(
          authorization === `Bearer ${trial.profile.credential}`,
          'It was called with something else',
        )
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
    'other-installation',
    'Access for another installation is not used',
    'other-installation',
    'Compare installation, resource and propertyKey of the response with the request.',
  ),
  reference(
    'down',
    {
      title: 'If resolve is unavailable, the call is repeated',
      level: 'SHOULD',
      fix: 'Return a retryable failure or UNKNOWN if resolve responds with 5xx or not at all.',
    },
    async (trial) => {
      const { last } = await installWhile(trial, 'down')
      trial.check(isRepeated(last.answer), `INSTALL got ${describeAnswer(last.answer)}`)
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
      await trial.complete(trial.install().operation('INSTALL', 1))
      const once = trial.platform.calls.length - from
      await trial.complete(trial.install().operation('INSTALL', 1))
      const twice = trial.platform.calls.length - from
      trial.check(twice > once, 'The second INSTALL did not resolve')
    },
  ),
  reference(
    'not-written-back',
    {
      title: 'No resolved address or token is written back',
      rule: 'writes-of-a-plugin',
      fix: 'Write only your own values.',
    },
    async (trial) => {
      await trial.complete(trial.install().operation('INSTALL', 1))
      for (const { exchange } of trial.sent)
        for (const material of trial.platform.material)
          for (const [encoding, encoded] of encodingsOf(material))
            trial.check(
              !(exchange.response?.body ?? '').toString().includes(encoded),
              `A response contains it (${encoding})`,
            )
    },
  ),
]
