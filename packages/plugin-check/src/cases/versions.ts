import { callOf } from '../wire/build-call.ts'
import { sideBySide } from '../run/side-by-side.ts'
import type { Trial } from '../run/trial.ts'
import { describeAnswer, isDone, isUndecided } from '../wire/read-answer.ts'
import { prepare } from './repeats.ts'
import { replaceIn } from '../wire/build-call.ts'
import { caseGroup, type Case } from './case.ts'
import { keepsValues } from './values.ts'
import { checkApplied, short } from './read-response.ts'

const UNICODE = ' Ünï 東京'
/** The second one is lower than the first: as versions, as numbers, as texts or as dates. */
const LOWER_VERSIONS = [
  ['2.0.0', '1.9.0'],
  ['10', '9'],
  ['1.9.0', '1.10.0'],
  ['2026-01-01', '2025-12-31'],
] as const

/** Equal as numbers, without zeros at the end, or in lower case. */
const SIMILAR_VERSIONS = [
  ['1.1', '1.10'],
  ['2.0', '2.0.0'],
  ['release', 'Release'],
] as const
const version = caseGroup('version', { rule: 'versions-in-a-call', kind: 'behaviour' })

async function refusesContract(trial: Trial, contractVersion: string): Promise<void> {
  const installation = trial.install()
  const { before } = installation.operation('INSTALL', 1)
  const body = Buffer.from(JSON.stringify({ ...before.request, contractVersion }))
  trial.checkRejected(await trial.settleBytes(body, before), `contractVersion ${contractVersion}`)
  trial.check(isDone((await trial.settle(before)).answer), 'The right version was refused afterwards')
}

/** The plugin must understand the request; whether it can do it is its own business. */
function checkDefinite(trial: Trial, answer: Parameters<typeof describeAnswer>[0], what: string): void {
  const isDefinite = (answer.kind === 'success' || answer.kind === 'failure') && !isUndecided(answer)
  trial.check(isDefinite, `${what} got ${describeAnswer(answer)}`)
}

export const VERSION_CASES: readonly Case[] = [
  version(
    'next-contract',
    {
      title: 'contractVersion 7.0.0 is refused, and 60.0.0, too',
      fix: 'Accept only contractVersion 6.0.0. Compare the whole major version, not its first digit.',
    },
    async (trial) => {
      await refusesContract(trial, '7.0.0')
      await refusesContract(trial, '60.0.0')
    },
  ),
  version(
    'earlier-contract',
    { title: 'contractVersion 5.0.0 is refused', fix: 'Accept only contractVersion 6.0.0.' },
    (trial) => refusesContract(trial, '5.0.0'),
  ),
  version(
    'opaque',
    {
      title: 'Bundle versions are opaque',
      fix: 'Do not parse or order versions: compare them for equality only.',
    },
    async (trial) => {
      const installation = trial.install()
      const install = installation.operation('INSTALL', 1, { targetVersion: 'v2-beta~1' })
      for (const call of [install.before, install.after]) {
        const { answer: first } = await trial.settle(call)
        trial.check(isDone(first), `An INSTALL of v2-beta~1 got ${describeAnswer(first)}`)
      }
      const upgrade = installation.operation('UPGRADE', 2, {
        currentVersion: 'v2-beta~1',
        targetVersion: '0.0.1',
      })
      const { answer } = await trial.settle(upgrade.before)
      trial.check(isDone(answer), `An UPGRADE from v2-beta~1 to 0.0.1 got ${describeAnswer(answer)}`)
    },
  ),
  version(
    'no-order',
    {
      title: 'An UPGRADE to a version that looks lower succeeds',
      fix: 'Do not order versions: which version may follow another one is decided before the plugin is called.',
    },
    async (trial) => {
      await sideBySide(LOWER_VERSIONS, async ([currentVersion, targetVersion]) => {
        const installation = trial.install()
        const install = installation.operation('INSTALL', 1, { targetVersion: currentVersion })
        const { before, after } = installation.operation('UPGRADE', 2, { currentVersion, targetVersion })
        await trial.complete(install)
        for (const call of [before, after]) {
          const { answer } = await trial.settle(call)
          trial.check(
            isDone(answer),
            `An UPGRADE from ${currentVersion} to ${targetVersion} got ${describeAnswer(answer)}`,
          )
        }
      })
    },
  ),
  version(
    'similar',
    {
      title: 'Two versions that are equal as numbers or in lower case are different',
      needs: ['state', 'changed'],
      fix: 'Compare versions byte for byte, or not at all: apply what each UPGRADE sends.',
    },
    async (trial) => {
      await sideBySide(SIMILAR_VERSIONS, async ([currentVersion, targetVersion]) => {
        const installation = trial.install()
        const install = installation.operation('INSTALL', 1, { targetVersion: currentVersion })
        const versions = { currentVersion, targetVersion }
        const upgrade = installation.operation('UPGRADE', 2, { ...versions, values: 'changed' })
        await trial.complete(install)
        const before = await trial.state(installation)
        const what = `An UPGRADE from ${currentVersion} to ${targetVersion}`
        for (const call of [upgrade.before, upgrade.after]) {
          const { answer } = await trial.settle(call)
          trial.check(isDone(answer), `${what} got ${describeAnswer(answer)}`)
        }
        checkApplied(trial, before, await trial.state(installation), what)
      })
    },
  ),
  version(
    'schema-version',
    {
      title:
        'Another configuration.schemaVersion gets a definite response, and each success repeats the contractVersion of its request',
      fix: 'schemaVersion belongs to your own configuration: accept it, or refuse it with your own failure.',
    },
    async (trial) => {
      const { answer } = await trial.settle(
        trial.install().operation('INSTALL', 1, { schemaVersion: '9.0.0' }).before,
      )
      checkDefinite(trial, answer, 'schemaVersion 9.0.0')
      const { before } = trial.install().operation('INSTALL', 1)
      const minor = Buffer.from(JSON.stringify({ ...before.request, contractVersion: '6.1.0' }))
      for (const [sent, one] of [
        ['6.0.0', answer],
        ['6.1.0', (await trial.settleBytes(minor, before)).answer],
      ] as const) {
        const echoed = one.kind === 'success' ? one.data.contractVersion : sent
        trial.check(echoed === sent, `contractVersion is ${short(echoed)} instead of "${sent}"`)
      }
    },
  ),
  version(
    'no-resources',
    {
      title: 'A call with empty resources gets a definite response',
      rule: 'request-fields',
      fix: 'Return NOT_APPLIED if there is nothing to do.',
    },
    async (trial) => {
      const { answer } = await trial.settle(trial.install().operation('INSTALL', 1, { locators: [] }).before)
      checkDefinite(trial, answer, 'An INSTALL without resources')
    },
  ),
  version(
    'no-properties',
    {
      title: 'A Module without properties gets a definite response',
      rule: 'request-fields',
      fix: 'Treat every property as optional, and say what is missing.',
    },
    async (trial) => {
      const { request } = trial.install().operation('INSTALL', 1).before
      const resources = Object.fromEntries(
        Object.entries(request.resources).map(([locator, entry]) => [
          locator,
          { ...entry, properties: {}, references: {} },
        ]),
      )
      const { answer } = await trial.settle(callOf({ ...request, resources }))
      checkDefinite(trial, answer, 'A Module without properties')
    },
  ),
  version(
    'added-resource',
    {
      title: 'An UPGRADE that adds a Module succeeds',
      rule: 'request-fields',
      fix: 'Handle action INSTALL inside an UPGRADE.',
    },
    async (trial) => {
      const installation = trial.install()
      const empty = installation.operation('INSTALL', 1, { locators: [] })
      // whether an INSTALL of nothing succeeds is the plugin's own business
      await trial.settle(empty.before)
      await trial.settle(empty.after)
      const { answer } = await trial.settle(
        installation.operation('UPGRADE', 2, { action: 'INSTALL' }).before,
      )
      trial.check(isDone(answer), `The UPGRADE got ${describeAnswer(answer)}`)
    },
  ),
  version(
    'removed-resource',
    {
      title: 'An UPGRADE that removes a Module succeeds',
      rule: 'request-fields',
      fix: 'Handle action DETACH inside an UPGRADE.',
    },
    async (trial) => {
      const { installation } = await prepare(trial, 'UPGRADE')
      const { answer } = await trial.settle(installation.operation('UPGRADE', 2, { action: 'DETACH' }).before)
      trial.check(isDone(answer), `The UPGRADE got ${describeAnswer(answer)}`)
    },
  ),
  version(
    'unchanged-resource',
    {
      title: 'A Module with action NONE is accepted',
      rule: 'request-fields',
      fix: 'Leave a Module with action NONE as it is.',
    },
    async (trial) => {
      const { installation } = await prepare(trial, 'UPGRADE')
      const { answer } = await trial.settle(installation.operation('CONFIGURE', 2, { action: 'NONE' }).before)
      trial.check(isDone(answer), `The CONFIGURE got ${describeAnswer(answer)}`)
    },
  ),
  version(
    'unicode-kept',
    {
      title: 'Unicode in property values is stored unchanged',
      rule: 'lifecycle-call',
      needs: ['state'],
      fix: 'Read and store UTF-8; do not assume ASCII.',
    },
    (trial) =>
      keepsValues(trial, (value) => (typeof value === 'string' ? [value, `${value}${UNICODE}`] : null)),
  ),
  version(
    'unicode',
    {
      title: 'Unicode in property values gets a definite response',
      rule: 'lifecycle-call',
      fix: 'Read and write UTF-8; do not assume ASCII.',
    },
    async (trial) => {
      const replace = replaceIn(trial.profile, ({ properties, sensitive }) =>
        Object.entries(properties)
          .filter(([name, value]) => typeof value === 'string' && !sensitive.includes(name))
          .slice(0, 1)
          .map(([name, value]) => [name, `${String(value)} Ünï 東京 \u{1F680} \u2028`] as const),
      )
      const { answer } = await trial.settle(trial.install().operation('INSTALL', 1, { replace }).before)
      checkDefinite(trial, answer, 'An INSTALL with Unicode values')
    },
  ),
]
