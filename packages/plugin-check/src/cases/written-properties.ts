import { getOwn, isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonObject } from '../../../../contract/json-schema/json.ts'
import { checkValue } from '../../../../contract/json-schema/json-schema.ts'
import { findMasks } from '../../../../contract/protocol/data.ts'
import type { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import { INSTANCE_REF_PROPERTY } from '../../../../contract/protocol/limits.ts'
import type { Profile } from '../profile.ts'
import type { Trial } from '../run/trial.ts'
import { likeFirst, twinsOf, withTwins } from '../wire/build-call.ts'
import { isDone } from '../wire/read-answer.ts'
import { caseGroup, type Case } from './case.ts'
import { ofEverySuccess, short, wholeLife } from './read-response.ts'

const writes = caseGroup('writes', { rule: 'writes-of-a-plugin', kind: 'shape' })

interface Written {
  locator: string
  name: string
  value: unknown
  /** The Modules of the request, by locator. */
  requested: LifecycleRequest['resources']
  /** The Module in the profile or in one of its scenarios, or the one of which it is a twin; undefined for any other. */
  resource: Pick<Resource, 'references'> | undefined
  /** What they say about the property: an upgrade may change it, so that what one of them allows is right. */
  declared: readonly Resource['writes'][string][]
}
type Resource = Profile['resources'][string]

/** Judges each property that a plugin writes with an outcome whose writes count. */
const forEachWrite = (judge: (trial: Trial, write: Written) => void): Pick<Case, 'run' | 'judge'> =>
  ofEverySuccess((trial, sent) => {
    const { answer } = sent
    if (answer.kind !== 'success' || !isDone(answer)) return
    const requested = sent.call?.request.resources ?? {}
    for (const [locator, properties] of Object.entries(answer.writes))
      for (const [name, value] of Object.entries(isJsonObject(properties) ? properties : {}))
        judge(trial, { locator, name, value, requested, ...moduleOf(trial.profile, locator, name) })
  })

function moduleOf(profile: Profile, locator: string, name: string): Pick<Written, 'resource' | 'declared'> {
  const all = [
    withTwins(profile).resources,
    ...profile.scenarios.flatMap(({ steps }) => steps.map(({ resources = {} }) => resources)),
  ]
  const found = all.flatMap((modules) => modules[locator] ?? [])
  const references = Object.assign({}, ...found.map((one) => one.references)) as Resource['references']
  return {
    resource: found.length === 0 ? undefined : { references },
    declared: found.flatMap((one) => getOwn(one.writes, name) ?? []),
  }
}

export const WRITE_CASES: readonly Case[] = [
  writes(
    'wrapped',
    {
      title: 'Every written value is wrapped as Data',
      rule: 'values',
      fix: 'Write {"@type": "Data", "value": …}, exactly once around the business value.',
    },
    forEachWrite((trial, { name, value }) =>
      trial.check(
        isJsonObject(value) && typeof value['@type'] === 'string' && 'value' in value,
        `${name} is not wrapped`,
      ),
    ),
  ),
  writes(
    'wrapped-once',
    {
      title: 'No written value is wrapped twice',
      rule: 'values',
      fix: 'Give the plain business value to whatever wraps it.',
    },
    forEachWrite((trial, { name, value, requested }) => {
      // business values may look like a wrapper; then the profile or the request has some
      if (JSON.stringify(trial.profile.resources).includes('"@type":"Data"')) return
      if (JSON.stringify(requested).includes('"value":{"@type":"Data"')) return
      const inner = isJsonObject(value) ? value['value'] : null
      trial.check(
        !(isJsonObject(inner) && inner['@type'] === 'Data' && 'value' in inner),
        `${name} is itself wrapped as Data`,
      )
    }),
  ),
  writes(
    'no-extra-fields',
    {
      title: 'Data has only @type, value and isSensitive',
      rule: 'values',
      fix: 'Remove other members from the wrapper.',
    },
    forEachWrite((trial, { name, value }) => {
      const extra = Object.keys(isJsonObject(value) ? value : {}).filter(
        (key) => !['@type', 'value', 'isSensitive'].includes(key),
      )
      trial.check(extra.length === 0, `${name} has ${extra.join(', ')}`)
    }),
  ),
  writes(
    'declared',
    {
      title: 'Only properties that the plugin may write are written',
      fix: 'Write only what the bundle lists in writeProperties, and name it in the profile.',
    },
    forEachWrite((trial, { locator, name, resource, declared }) => {
      const isReference = resource?.references[name] !== undefined || name === INSTANCE_REF_PROPERTY
      trial.check(
        resource === undefined || isReference || declared.length > 0,
        `${name} of ${locator} is written, but not in writes of the profile`,
      )
    }),
  ),
  writes(
    'own-resources',
    {
      title: 'Only resources of the request are written',
      fix: 'Use the locators of the request as keys, byte for byte, and no other locators of the installation.',
    },
    {
      ...forEachWrite((trial, { locator, requested }) =>
        trial.check(
          Object.keys(requested).length === 0 || requested[locator] !== undefined,
          `${short(locator)} is not in the request`,
        ),
      ),
      async run(trial) {
        await wholeLife(trial)
        const { first, other } = twinsOf(trial.profile)
        const modules = likeFirst(trial.profile, [first, other])
        const installation = trial.install()
        const fewer = { modules, locators: [first] }
        for (const { before, after } of [
          installation.operation('INSTALL', 1, { modules }),
          installation.operation('CONFIGURE', 2, fewer),
          installation.operation('UPGRADE', 3, fewer),
        ])
          for (const call of [before, after])
            // a plugin may refuse a second Module
            if (!isDone((await trial.settle(call)).answer)) return
      },
    },
  ),
  writes(
    'sensitive-marked',
    {
      title: 'A sensitive property carries isSensitive: true',
      rule: 'writes-of-a-plugin',
      needs: ['writes'],
      fix: 'Add "isSensitive": true to the Data of a property that the bundle defines as sensitive.',
    },
    forEachWrite((trial, { name, value, declared }) => {
      const isSensitive = declared.length > 0 && declared.every((one) => one.isSensitive)
      trial.check(
        !isSensitive || (isJsonObject(value) && value['isSensitive'] === true),
        `${name} is sensitive and has no mark`,
      )
    }),
  ),
  writes(
    'plain-unmarked',
    {
      title: 'Any other property carries no isSensitive',
      fix: 'Omit isSensitive, also "isSensitive": false, unless the bundle defines the property as sensitive.',
    },
    forEachWrite((trial, { name, value, declared }) => {
      const isMarked = isJsonObject(value) && 'isSensitive' in value
      trial.check(
        declared.length === 0 || declared.some((one) => one.isSensitive) || !isMarked,
        `${name} is not sensitive, but isSensitive is set`,
      )
    }),
  ),
  writes(
    'valid',
    {
      title: 'Every written value satisfies the schema of its property',
      needs: ['schemas'],
      fix: 'Write a value that the schema in the manifest allows, or correct the manifest and the profile.',
    },
    forEachWrite((trial, { name, value, declared }) => {
      const data = isJsonObject(value) ? value['value'] : undefined
      if (data === undefined) return
      const found = declared.flatMap(({ schema }) => (schema === undefined ? [] : [checkValue(schema, data)]))
      const [problem] = found[0] ?? []
      trial.check(
        found.length < declared.length ||
          found.length === 0 ||
          found.some((problems) => problems.length === 0),
        `${name}${problem?.path ?? ''} does not satisfy its schema: ${problem?.message ?? ''}`,
      )
    }),
  ),
  writes(
    'no-reference',
    {
      title: 'No reference property is written',
      fix: 'Never write a property that the request has in references, and no value of a reference type.',
    },
    forEachWrite((trial, { name, value, resource }) => {
      const type = isJsonObject(value) ? String(value['@type']) : ''
      const isReference = resource?.references[name] !== undefined
      trial.check(!isReference && !type.startsWith('ServiceReference'), `${name} is a reference`)
    }),
  ),
  writes(
    'no-protected-property',
    {
      title: 'The protected property is not written',
      rule: 'the-protected-property',
      fix: 'Only the runtime writes the protected property: leave it out.',
    },
    forEachWrite((trial, { name }) =>
      trial.check(name !== INSTANCE_REF_PROPERTY, 'The protected property is written'),
    ),
  ),
  writes(
    'no-mask',
    {
      title: 'No written value is a mask',
      rule: 'sensitive-values',
      fix: 'Write the value itself. A text of mask characters is not accepted as a sensitive value.',
    },
    forEachWrite((trial, { name, value }) => {
      const data = isJsonObject(value) && value['value'] !== undefined ? value['value'] : null
      trial.check(findMasks(data).length === 0, `${name} contains a mask`)
    }),
  ),
  writes(
    'happen',
    {
      title: 'INSTALL writes every property that the profile lists as issued',
      needs: ['issued'],
      fix: 'Write the property in one of the stages of INSTALL, or correct the profile.',
    },
    async (trial) => {
      const answers = (await wholeLife(trial)).filter(
        ({ call }) => call?.request.operation.operationType === 'INSTALL',
      )
      for (const [locator, { writes: declared }] of Object.entries(trial.profile.resources))
        for (const [name, { isIssued }] of Object.entries(declared)) {
          const isWritten = answers.some(({ answer }) => {
            const properties = answer.kind === 'success' ? answer.writes[locator] : null
            return isJsonObject(properties ?? null) && name in (properties as JsonObject)
          })
          trial.check(!isIssued || isWritten, `${name} of ${locator} is not written`)
        }
    },
  ),
]
