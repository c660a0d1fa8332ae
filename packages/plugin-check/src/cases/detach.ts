import { isDeepStrictEqual } from 'node:util'
import type { Installation, Operation, Trial } from '../run/trial.ts'
import { countState } from '../run/state.ts'
import { isDone } from '../wire/read-answer.ts'
import { checkDifferent, issuedValues } from './installations.ts'
import { startCall } from './late-calls.ts'
import { prepare } from './repeats.ts'
import { caseGroup, type Case } from './case.ts'

const detach = caseGroup('detach', { rule: 'detach', kind: 'behaviour' })

/** As the runtime sends it over an INSTALL that did not succeed: no version is installed. */
const OVER_INSTALL = { currentVersion: null } as const

async function detached(trial: Trial): Promise<Installation> {
  const { installation, operation } = await prepare(trial, 'DETACH')
  await trial.complete(operation)
  return installation
}

/** Both stages succeed, with repeats as the platform makes them. */
async function checkSucceeds(trial: Trial, { before, after }: Operation, name: string): Promise<void> {
  for (const call of [before, after])
    trial.check(isDone((await trial.settle(call)).answer), `${name} failed in ${call.request.stage}`)
}

/** It succeeds, and leaves no more behind than one over an installation that nothing else happens to. */
async function checkRemovesAsUsual(
  trial: Trial,
  installation: Installation,
  operation: Operation,
): Promise<void> {
  const usual = await detached(trial)
  await checkSucceeds(trial, operation, 'The DETACH')
  const [expected, found] = [
    countState(await trial.state(usual)),
    countState(await trial.state(installation)),
  ]
  trial.check(found <= expected, `${found} entries are left in the state instead of ${expected}`)
}

export const DETACH_CASES: readonly Case[] = [
  detach(
    'unknown-installation',
    {
      title: 'A DETACH of an unknown installation succeeds with NOT_APPLIED or APPLIED',
      fix: 'Finding nothing to remove is a success: return NOT_APPLIED.',
    },
    async (trial) => {
      const operation = trial.install().operation('DETACH', 1, OVER_INSTALL)
      await checkSucceeds(trial, operation, 'DETACH of an unknown installation')
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
      await checkSucceeds(trial, installation.operation('DETACH', 3), 'The second DETACH')
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
      await checkRemovesAsUsual(trial, installation, installation.operation('DETACH', 2, OVER_INSTALL))
    },
  ),
  detach(
    'takes-over-upgrade',
    {
      title: 'A DETACH over an UPGRADE between its stages leaves no more behind than one after it',
      fix: 'Remove by bundleInstallId alone, whatever came before.',
    },
    async (trial) => {
      const { installation, operation } = await prepare(trial, 'UPGRADE')
      await trial.finish(operation.before)
      await checkRemovesAsUsual(trial, installation, installation.operation('DETACH', 3))
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
      await checkSucceeds(trial, installation.operation('DETACH', 3), 'The DETACH')
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
      await trial.complete(installation.operation('DETACH', 2, OVER_INSTALL))
      const state = await trial.state(installation)
      await running
      await trial.checkSameState(installation, state, 'The INSTALL changed the state after the DETACH')
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
      await checkSucceeds(trial, trial.install().operation('INSTALL', 1), 'The new INSTALL')
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
]
