import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '../../../../contract/json-schema/json.ts'
import type { Profile } from '../profile.ts'
import type { Installation, Trial } from '../run/trial.ts'
import { countState } from '../run/state.ts'
import { describeAnswer, isDone } from '../wire/read-answer.ts'
import { prepare } from './repeats.ts'
import { caseGroup, type Case } from './case.ts'
import { short } from './read-response.ts'

const isolation = caseGroup('isolation', { rule: 'installations-are-separate', kind: 'behaviour' })

/** Values of issued properties among the writes of a response: `locator name` → value. */
export function issuedIn({ resources }: Profile, written: JsonObject): Map<string, JsonValue> {
  const values = new Map<string, JsonValue>()
  for (const [locator, { writes }] of Object.entries(resources))
    for (const [name, { isIssued }] of Object.entries(writes)) {
      const properties = written[locator] ?? null
      const data = isJsonObject(properties) ? properties[name] : undefined
      if (isIssued && data !== undefined)
        values.set(`${locator} ${name}`, isJsonObject(data) ? (data['value'] ?? null) : data)
    }
  return values
}

/** Values of issued properties that INSTALL writes. */
export async function issuedValues(
  trial: Trial,
  installation: Installation,
): Promise<Map<string, JsonValue>> {
  const values = new Map<string, JsonValue>()
  const operation = installation.operation('INSTALL', 1)
  for (const call of [operation.before, operation.after]) {
    const { answer } = await trial.finish(call)
    for (const [where, value] of issuedIn(trial.profile, answer.writes)) values.set(where, value)
  }
  trial.requires(values.size > 0, 'INSTALL wrote none of the issued properties')
  return values
}

/** No issued value is the same in both. */
export function checkDifferent(trial: Trial, one: Map<string, JsonValue>, two: Map<string, JsonValue>): void {
  for (const [where, value] of one)
    trial.check(!isDeepStrictEqual(value, two.get(where)), `${where} has the same value twice`)
}

/** What a response does not write stays as it was. */
export function checkIssuedStays(
  trial: Trial,
  issued: ReadonlyMap<string, JsonValue>,
  written: JsonObject,
): void {
  for (const [where, value] of issuedIn(trial.profile, written))
    trial.check(!issued.has(where) || isDeepStrictEqual(value, issued.get(where)), `${where} has changed`)
}

export const INSTALLATION_CASES: readonly Case[] = [
  isolation(
    'issued-values-differ',
    {
      title: 'Issued tokens differ between installations',
      needs: ['issued'],
      fix: 'Generate a token for each bundleInstallId.',
    },
    {
      async run(trial) {
        const one = await issuedValues(trial, trial.install())
        checkDifferent(trial, one, await issuedValues(trial, trial.install()))
      },
      judge(trial, { call, answer }) {
        if (call === null || answer.kind !== 'success') return
        const { bundleInstallId } = call.request.installation
        for (const [where, value] of issuedIn(trial.profile, answer.writes)) {
          const key = `${where} ${JSON.stringify(value)}`
          const owner = trial.issued.get(key) ?? bundleInstallId
          trial.issued.set(key, owner)
          trial.check(owner === bundleInstallId, `${where} has the value that another installation has`)
        }
      },
    },
  ),
  isolation(
    'issued-values-differ-between-workspaces',
    {
      title: 'Issued tokens differ between workspaces',
      needs: ['issued'],
      fix: 'Generate a token for each bundleInstallId.',
    },
    async (trial) => {
      const one = await issuedValues(trial, trial.install({ workspaceId: 7 }))
      checkDifferent(trial, one, await issuedValues(trial, trial.install({ workspaceId: 8 })))
    },
  ),
  isolation(
    'issued-value-stays',
    {
      title: 'A CONFIGURE keeps the issued tokens',
      level: 'SHOULD',
      needs: ['issued'],
      fix: 'Issue a token once, in INSTALL, and write the same one later.',
    },
    async (trial) => {
      const installation = trial.install()
      const issued = await issuedValues(trial, installation)
      const { answer } = await trial.finish(
        installation.operation('CONFIGURE', 2, { values: 'changed' }).before,
      )
      checkIssuedStays(trial, issued, answer.writes)
    },
  ),
  isolation(
    'detach-leaves-others',
    {
      title: 'A DETACH of one installation leaves another one usable',
      fix: 'Remove only what belongs to the bundleInstallId.',
    },
    async (trial) => {
      const other = trial.install()
      const operation = other.operation('INSTALL', 1)
      await trial.finish(operation.before)
      const state = await trial.state(other)
      await trial.complete((await prepare(trial, 'DETACH')).operation)
      await trial.checkSameState(other, state, 'The state of the other installation changed')
      trial.check(
        isDone((await trial.settle(operation.after)).answer),
        'AFTER_RESOURCES of the other installation failed',
      )
    },
  ),
  isolation(
    'same-scope',
    {
      title: 'Two installations in one workspace have separate effects',
      needs: ['state'],
      fix: 'Use bundleInstallId in the key of every object that the plugin makes.',
    },
    async (trial) => {
      const [one, two] = [trial.install(), trial.install()]
      await trial.complete(one.operation('INSTALL', 1))
      await trial.complete(two.operation('INSTALL', 1))
      const counts = [countState(await trial.state(one)), countState(await trial.state(two))]
      trial.check(
        counts[0] === counts[1] && counts[0] !== 0,
        `They have ${counts.join(' and ')} entries in the state`,
      )
    },
  ),
  isolation(
    'similar-ids',
    {
      title: 'Installations whose bundleInstallId differs in one character are separate',
      fix: 'Compare bundleInstallId as a whole: do not cut it, also not for a name that is derived from it.',
    },
    async (trial) => {
      // no other id of this run begins alike
      const id = trial.random.uuid(trial.idTime - 100 * trial.random.integer(2 ** 31))
      const one = trial.install({ bundleInstallId: id })
      await trial.complete(one.operation('INSTALL', 3))
      const state = await trial.state(one)
      for (const at of [0, id.length - 1]) {
        const digit = (Number.parseInt(id.charAt(at), 16) ^ 1).toString(16)
        const other = trial.install({ bundleInstallId: id.slice(0, at) + digit + id.slice(at + 1) })
        const install = other.operation('INSTALL', 1)
        for (const call of [install.before, install.after]) {
          const { answer } = await trial.settle(call)
          trial.check(isDone(answer), `The INSTALL of the other one got ${describeAnswer(answer)}`)
        }
        const found = countState(await trial.state(other))
        trial.check(found === countState(state), `The other one has ${found} entries in the state`)
        await trial.complete(other.operation('DETACH', 2))
        await trial.checkSameState(one, state, 'The DETACH of the other one changed the state of the first')
      }
    },
  ),
  isolation(
    'workspace-numbers',
    {
      title: 'Every workspaceId from 0 to 2^53 - 1 is accepted and echoed',
      rule: 'request-fields',
      fix: 'Store workspaceId in 64 bits, and do not take 0 for a missing one.',
    },
    async (trial) => {
      for (const workspaceId of [0, Number.MAX_SAFE_INTEGER]) {
        const { answer } = await trial.settle(trial.install({ workspaceId }).operation('INSTALL', 1).before)
        trial.check(isDone(answer), `An INSTALL in workspace ${workspaceId} got ${describeAnswer(answer)}`)
        const echoed = answer.kind === 'success' ? answer.data['installation'] : undefined
        trial.check(
          !isJsonObject(echoed) || echoed['workspaceId'] === workspaceId,
          `The response repeats ${short(isJsonObject(echoed) && echoed['workspaceId'])} instead of ${workspaceId}`,
        )
      }
    },
  ),
  isolation(
    'same-operation-id',
    {
      title: 'The same operationId of another installation does not get the remembered response',
      rule: 'other-bytes',
      fix: 'Compare the whole request with that of the remembered call, also its installation.',
    },
    async (trial) => {
      const [one, two] = [trial.install(), trial.install()]
      const first = one.operation('INSTALL', 1)
      await trial.finish(first.before)
      const { operationId } = first.before.request.operation
      const sent = await trial.settle(two.operation('INSTALL', 1, { operationId }).before)
      const { answer } = sent
      if (isDone(answer)) {
        const identity = answer.kind === 'success' ? answer.data['installation'] : null
        trial.check(
          isDeepStrictEqual(identity, two.identity),
          'The second installation got the response of the first',
        )
      } else trial.checkRefused(sent, 'The same operationId of another installation')
    },
  ),
  isolation(
    'remembered-by-operation',
    {
      title: 'The same sequence in two installations is two calls',
      fix: 'Use operationId and stage as the key of a remembered call, not the sequence.',
    },
    async (trial) => {
      const [one, two] = [trial.install(), trial.install()]
      await trial.finish(one.operation('INSTALL', 1).before)
      const { answer } = await trial.settle(two.operation('INSTALL', 1).before)
      const identity = answer.kind === 'success' ? JSON.stringify(answer.data['installation'] ?? null) : ''
      trial.check(
        answer.kind !== 'success' || !identity.includes(one.identity.bundleInstallId),
        'The second installation got the response of the first',
      )
    },
  ),
]
