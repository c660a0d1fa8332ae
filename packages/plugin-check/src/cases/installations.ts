import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '../../../../contract/json-schema/json.ts'
import type { Profile } from '../profile.ts'
import type { Installation, Trial } from '../run/trial.ts'
import { countState } from '../run/state.ts'
import { describeAnswer, isDone } from '../wire/read-answer.ts'
import { startCall } from './late-calls.ts'
import { prepare } from './repeats.ts'
import { caseGroup, type Case } from './case.ts'
import { short } from './read-response.ts'

const detach = caseGroup('detach', { rule: 'detach', kind: 'behaviour' })
const isolation = caseGroup('isolation', { rule: 'installations-are-separate', kind: 'behaviour' })
const TOMBSTONE = 'Keep the highest executionSequence after a DETACH, and refuse what is lower.'

async function detached(trial: Trial): Promise<Installation> {
  const { installation, operation } = await prepare(trial, 'DETACH')
  await trial.complete(operation)
  return installation
}

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
async function issuedValues(trial: Trial, installation: Installation): Promise<Map<string, JsonValue>> {
  const values = new Map<string, JsonValue>()
  const operation = installation.operation('INSTALL', 1)
  for (const call of [operation.before, operation.after]) {
    const { answer } = await trial.finish(call)
    for (const [where, value] of issuedIn(trial.profile, answer.writes)) values.set(where, value)
  }
  trial.requires(values.size > 0, 'INSTALL wrote none of the issued properties')
  return values
}

function checkDifferent(trial: Trial, one: Map<string, JsonValue>, two: Map<string, JsonValue>): void {
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
  detach(
    'unknown-installation',
    {
      title: 'A DETACH of an unknown installation succeeds with NOT_APPLIED or APPLIED',
      fix: 'Finding nothing to remove is a success: return NOT_APPLIED.',
    },
    async (trial) => {
      const operation = trial.install().operation('DETACH', 1)
      for (const call of [operation.before, operation.after]) {
        const { answer } = await trial.settle(call)
        trial.check(isDone(answer), `DETACH of an unknown installation failed in ${call.request.stage}`)
      }
    },
  ),
  detach(
    'twice',
    {
      title: 'A second DETACH operation succeeds',
      fix: 'Finding nothing to remove is a success: return NOT_APPLIED.',
    },
    async (trial) => {
      const installation = await detached(trial)
      const again = installation.operation('DETACH', 3)
      for (const call of [again.before, again.after])
        trial.check(
          isDone((await trial.settle(call)).answer),
          `The second DETACH failed in ${call.request.stage}`,
        )
    },
  ),
  detach(
    'takes-over-install',
    {
      title: 'A DETACH succeeds over an INSTALL that did not reach AFTER_RESOURCES',
      fix: 'Remove whatever exists for the installation; do not require a complete INSTALL.',
    },
    async (trial) => {
      const { installation, operation } = await prepare(trial, 'INSTALL')
      await trial.finish(operation.before)
      const takeover = installation.operation('DETACH', 2)
      for (const call of [takeover.before, takeover.after])
        trial.check(isDone((await trial.settle(call)).answer), `The DETACH failed in ${call.request.stage}`)
    },
  ),
  detach(
    'takes-over-configure',
    {
      title: 'A DETACH succeeds over a CONFIGURE between its stages',
      fix: 'Do not require that the operation before a DETACH was completed.',
    },
    async (trial) => {
      const { installation, operation } = await prepare(trial, 'CONFIGURE')
      await trial.finish(operation.before)
      const takeover = installation.operation('DETACH', 3)
      for (const call of [takeover.before, takeover.after])
        trial.check(isDone((await trial.settle(call)).answer), `The DETACH failed in ${call.request.stage}`)
    },
  ),
  detach(
    'while-running',
    {
      title: 'An INSTALL that a DETACH overtakes while it runs brings nothing back',
      needs: ['slow', 'state'],
      rule: 'late-calls',
      fix: 'Compare the sequence again in the transaction of the effect.',
    },
    async (trial) => {
      const installation = trial.install()
      const { before } = installation.operation('INSTALL', 1)
      const [running] = await trial.provoke('slow', () => startCall(trial, before))
      await trial.complete(installation.operation('DETACH', 2))
      const state = await trial.state(installation)
      await running
      await trial.checkSameState(installation, state, 'The INSTALL changed the state after the DETACH')
    },
  ),
  detach(
    'late-configure',
    { title: 'A late CONFIGURE after a DETACH is refused', rule: 'late-calls', fix: TOMBSTONE },
    async (trial) => {
      const { installation, operation } = await prepare(trial, 'CONFIGURE')
      await trial.complete(installation.operation('DETACH', 3))
      trial.checkRefused(await trial.settle(operation.before), 'The late CONFIGURE')
    },
  ),
  detach(
    'late-upgrade',
    { title: 'A late UPGRADE after a DETACH is refused', rule: 'late-calls', fix: TOMBSTONE },
    async (trial) => {
      const { installation, operation } = await prepare(trial, 'UPGRADE')
      await trial.complete(installation.operation('DETACH', 3))
      trial.checkRefused(await trial.settle(operation.before), 'The late UPGRADE')
    },
  ),
  detach(
    'late-repeat-of-install',
    {
      title: 'A repeat of the INSTALL after the DETACH does not bring anything back',
      needs: ['state'],
      fix: TOMBSTONE,
    },
    async (trial) => {
      const { installation, operation } = await prepare(trial, 'INSTALL')
      await trial.complete(operation)
      await trial.complete(installation.operation('DETACH', 2))
      const state = await trial.state(installation)
      await trial.send(operation.before)
      await trial.checkSameState(installation, state, 'The repeat changed the state')
    },
  ),
  detach(
    'later-configure',
    {
      title: 'A CONFIGURE with a higher sequence after a DETACH is refused',
      level: 'SHOULD',
      fix: 'Remember that the installation was detached; only an INSTALL or a DETACH may follow.',
    },
    async (trial) => {
      const installation = await detached(trial)
      const { answer } = await trial.settle(installation.operation('CONFIGURE', 3).before)
      trial.check(answer.kind === 'failure', 'The CONFIGURE was accepted')
    },
  ),
  detach(
    'removes',
    {
      title: 'A DETACH changes the business state',
      level: 'SHOULD',
      needs: ['state'],
      fix: 'Remove or end what INSTALL made.',
    },
    async (trial) => {
      const { installation, operation } = await prepare(trial, 'DETACH')
      const state = await trial.state(installation)
      await trial.complete(operation)
      trial.check(!isDeepStrictEqual(state, await trial.state(installation)), 'The state is as before')
    },
  ),
  detach(
    'after-upgrade',
    {
      title: 'A DETACH leaves no more behind after an UPGRADE than after an INSTALL',
      needs: ['state'],
      fix: 'Remove by bundleInstallId alone, not by version: an object of an earlier version belongs to the installation, too.',
    },
    async (trial) => {
      const [one, two] = [trial.install(), trial.install()]
      await trial.complete(one.operation('INSTALL', 1))
      await trial.complete(one.operation('DETACH', 2))
      await trial.complete(two.operation('INSTALL', 1))
      await trial.complete(two.operation('UPGRADE', 2))
      await trial.complete(two.operation('DETACH', 3, { currentVersion: '1.1.0', targetVersion: '1.1.0' }))
      const [expected, found] = [countState(await trial.state(one)), countState(await trial.state(two))]
      trial.check(found === expected, `${found} entries are left in the state instead of ${expected}`)
    },
  ),
  detach(
    'install-again',
    {
      title: 'After a DETACH, the same bundle can be installed again',
      rule: 'installations-are-separate',
      fix: 'Identify an installation by bundleInstallId alone; each INSTALL has a new one.',
    },
    async (trial) => {
      await detached(trial)
      const operation = trial.install().operation('INSTALL', 1)
      for (const call of [operation.before, operation.after])
        trial.check(
          isDone((await trial.settle(call)).answer),
          `The new INSTALL failed in ${call.request.stage}`,
        )
    },
  ),
  detach(
    'new-token-after-reinstall',
    {
      title: 'An INSTALL after a DETACH issues new tokens',
      rule: 'installations-are-separate',
      needs: ['issued'],
      fix: 'Derive nothing that is issued from bundle or workspace.',
    },
    async (trial) => {
      const first = trial.install()
      const before = await issuedValues(trial, first)
      await trial.complete(first.operation('DETACH', 2))
      checkDifferent(trial, before, await issuedValues(trial, trial.install()))
    },
  ),
  isolation(
    'issued-values-differ',
    {
      title: 'Issued tokens differ between installations',
      needs: ['issued'],
      fix: 'Generate a token for each bundleInstallId.',
    },
    async (trial) => {
      const one = await issuedValues(trial, trial.install())
      checkDifferent(trial, one, await issuedValues(trial, trial.install()))
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
      await detached(trial)
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
