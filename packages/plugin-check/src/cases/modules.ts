import { sideBySide } from '../run/side-by-side.ts'
import type { Installation, Trial } from '../run/trial.ts'
import { countState, countUnchanged, seenIn } from '../run/state.ts'
import { INSTALLED_VERSION, likeFirst, twinsOf, type CallOptions } from '../wire/build-call.ts'
import { describeAnswer, isDone } from '../wire/read-answer.ts'
import { checkIssuedStays, issuedIn } from './installations.ts'
import { prepare } from './repeats.ts'
import { caseGroup, type Case } from './case.ts'

const module = caseGroup('module', { rule: 'request-fields', kind: 'behaviour', needs: ['state'] })

/** Both stages of an operation; false if the plugin does not do it, which is its own business. */
async function isCompleted(
  trial: Trial,
  installation: Installation,
  type: CallOptions['type'],
  sequence: number,
  options: Partial<CallOptions>,
): Promise<boolean> {
  const { before, after } = installation.operation(type, sequence, options)
  for (const call of [before, after]) if (!isDone((await trial.settle(call)).answer)) return false
  return true
}

/** How many things an INSTALL of each of these Modules makes; null if the plugin refuses them. */
const countsOf = <const All extends readonly (readonly string[])[]>(trial: Trial, all: All) =>
  sideBySide(all, async (locators) => {
    const installation = trial.install()
    const modules = likeFirst(trial.profile, locators)
    const isInstalled = await isCompleted(trial, installation, 'INSTALL', 1, { modules })
    return isInstalled ? countState(await trial.state(installation)) : null
  })

const NEXT = '1.1.0'
const LAST = '1.2.0'

export const MODULE_CASES: readonly Case[] = [
  module(
    'added',
    {
      title: 'An UPGRADE makes for a Module that it adds what an INSTALL makes',
      fix: 'Decide by the action of each Module, not by the type of the operation.',
    },
    async (trial) => {
      const { first, other } = twinsOf(trial.profile)
      const [single, both] = await countsOf(trial, [[first], [first, other]])
      if (single === null || both === null || both <= single)
        trial.untested('the state does not show a second Module')
      const installation = trial.install()
      await trial.complete(installation.operation('INSTALL', 1, { locators: [first] }))
      const modules = likeFirst(trial.profile, [first, other])
      const adds = { modules, actions: { [other]: 'INSTALL' }, targetVersion: NEXT } as const
      await trial.complete(installation.operation('UPGRADE', 2, adds))
      const found = countState(await trial.state(installation))
      trial.check(found === both, `Afterwards there are ${found} entries in the state instead of ${both}`)
    },
  ),
  module(
    'detached',
    {
      title: 'A DETACH removes what the plugin made for every Module',
      rule: 'detach',
      fix: 'Remove everything that belongs to the bundleInstallId.',
    },
    async (trial) => {
      const { first, other } = twinsOf(trial.profile)
      const [count, twice] = await countsOf(trial, [[first], [first, other]])
      if (count === null || twice === null || twice <= count)
        return trial.untested('the state does not show a second Module')
      const [one, two] = await sideBySide([[first], [first, other]], async (locators) => {
        const modules = likeFirst(trial.profile, locators)
        const installation = trial.install()
        const install = installation.operation('INSTALL', 1, { modules })
        const detach = installation.operation('DETACH', 2, { modules })
        await trial.complete(install)
        const before = await trial.state(installation)
        await trial.complete(detach)
        const after = await trial.state(installation)
        return { left: countState(after), unchanged: countUnchanged(before, after) }
      })
      // a plugin may keep what it removed, marked as such
      const [single, both] = one.left < count ? [one.left, two.left] : [one.unchanged, two.unchanged]
      trial.check(single === both, `It leaves ${single} entries in the state, and of two Modules ${both}`)
    },
  ),
  module(
    'dropped',
    {
      title: 'An UPGRADE removes what the plugin made for a Module that it drops',
      fix: 'Remove what belongs to a Module whose action is DETACH, also in an UPGRADE.',
    },
    async (trial) => {
      const { first, other } = twinsOf(trial.profile)
      const installation = trial.install()
      await trial.complete(installation.operation('INSTALL', 1, { locators: [first] }))
      const one = countState(await trial.state(installation))
      const modules = likeFirst(trial.profile, [first, other])
      const adds = { modules, actions: { [other]: 'INSTALL' }, targetVersion: NEXT } as const
      if (!(await isCompleted(trial, installation, 'UPGRADE', 2, adds)))
        trial.untested('the plugin refuses a second Module')
      const both = await trial.state(installation)
      if (countState(both) <= one) trial.untested('the state does not show a second Module')
      const drops = {
        modules,
        actions: { [other]: 'DETACH' },
        currentVersion: NEXT,
        targetVersion: LAST,
      } as const
      for (const call of Object.values(callsOf(installation, drops))) await trial.finish(call)
      const left = await trial.state(installation)
      // a plugin may keep what it removed, marked as such
      const isMarked =
        JSON.stringify(left).replaceAll(LAST, NEXT) !== JSON.stringify(both).replaceAll(LAST, NEXT)
      trial.check(
        countState(left) < countState(both) || isMarked,
        'What it made for the Module that was dropped is still in the state',
      )
    },
  ),
  module(
    'unchanged-stays',
    {
      title: 'A Module with action NONE stays as it is',
      fix: 'Change nothing for a Module whose action is NONE, and remove nothing.',
    },
    async (trial) => {
      const { installation } = await prepare(trial, 'CONFIGURE')
      const installed = [...trial.sent]
      const before = await trial.state(installation)
      const { answer } = await trial.settle(installation.operation('CONFIGURE', 2, { action: 'NONE' }).before)
      if (!isDone(answer)) trial.untested('the plugin refuses a Module with action NONE')
      const issued = new Map(
        installed.flatMap((sent) =>
          sent.answer.kind === 'success' ? [...issuedIn(trial.profile, sent.answer.writes)] : [],
        ),
      )
      if (answer.kind === 'success') checkIssuedStays(trial, issued, answer.writes)
      const after = await trial.state(installation)
      trial.check(countState(after) >= countState(before), 'Something of it is no longer in the state')
      for (const { properties } of Object.values(trial.profile.resources))
        for (const [name, value] of Object.entries(properties))
          trial.check(
            !seenIn(before, value) || seenIn(after, value),
            `The state no longer shows the value of ${name}`,
          )
    },
  ),
  module(
    'value-removed',
    {
      title: 'A value that is no longer set is no longer used',
      needs: ['optional'],
      fix: 'Take the properties of each call as they are: one that is absent is not set. Do not merge them with earlier ones.',
    },
    async (trial) => {
      const installation = trial.install()
      await trial.complete(installation.operation('INSTALL', 1))
      const before = await trial.state(installation)
      const optional = Object.values(trial.profile.resources).flatMap((resource) =>
        resource.optional.map((name) => [name, resource.properties[name]] as const),
      )
      const shown = optional.filter(([, value]) => value !== undefined && seenIn(before, value))
      if (shown.length === 0) trial.untested('the state shows none of the optional properties')
      const without = optional.map(([name]) => name)
      await trial.complete(installation.operation('CONFIGURE', 2, { without }))
      const after = await trial.state(installation)
      for (const [name, value] of shown)
        trial.check(!seenIn(after, value), `The state still shows the value of ${name}`)
    },
  ),
  module(
    'spelling',
    {
      title: 'Two Modules whose names differ in upper and lower case are two',
      rule: 'names-and-numbers',
      fix: 'Compare locators byte for byte, also in the database: no folding of case.',
    },
    async (trial) => {
      const { first, other, respelled } = twinsOf(trial.profile)
      if (respelled === null) return trial.untested('the name of the Module has no letter')
      const [single, usual, found] = await countsOf(trial, [[first], [first, other], [first, respelled]])
      if (usual === null || single === null || usual <= single)
        trial.untested('the state does not show a second Module')
      trial.check(found === usual, `They have ${found ?? 'no'} entries in the state instead of ${usual}`)
    },
  ),
  module(
    'detached-unnamed',
    {
      title: 'A DETACH removes what the plugin made for Modules that it does not name',
      rule: 'detach',
      fix: 'Remove what belongs to the bundleInstallId, not what the call names: a later version may grant you fewer Modules.',
    },
    async (trial) => {
      const { first, other } = twinsOf(trial.profile)
      const modules = likeFirst(trial.profile, [first, other])
      const detached = async (locators: readonly string[]) => {
        const installation = trial.install()
        const detach = callsOf(installation, { modules, locators }, 'DETACH')
        if (!(await isCompleted(trial, installation, 'INSTALL', 1, { modules })))
          return trial.untested('the plugin refuses two Modules')
        const before = await trial.state(installation)
        for (const call of Object.values(detach)) {
          const { answer } = await trial.settle(call)
          trial.check(isDone(answer), `A DETACH of ${locators.length} Modules got ${describeAnswer(answer)}`)
        }
        const after = await trial.state(installation)
        return { locators, unchanged: countUnchanged(before, after), left: countState(after) }
      }
      const [all, ...some] = await sideBySide([[first, other], [], [first]], detached)
      for (const { locators, unchanged, left } of some) {
        const what = `of two Modules that names ${locators.length === 0 ? 'none' : 'one'}`
        trial.check(
          unchanged <= all.unchanged,
          `A DETACH ${what} leaves ${unchanged} entries of the state as before instead of ${all.unchanged}`,
        )
        trial.check(left <= all.left, `A DETACH ${what} leaves ${left} entries instead of ${all.left}`)
      }
    },
  ),
]

function callsOf(
  installation: Installation,
  options: Partial<CallOptions>,
  type: 'UPGRADE' | 'DETACH' = 'UPGRADE',
) {
  const { before, after } = installation.operation(type, 3, {
    currentVersion: INSTALLED_VERSION,
    ...options,
  })
  return { before, after }
}
