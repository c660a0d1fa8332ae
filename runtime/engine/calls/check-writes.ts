import { newCheckBudget, type CheckBudget } from '#contract/json-schema/check-work.ts'
import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { checkTypedValue } from '#contract/protocol/business-value.ts'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { isReferenceKind } from '#contract/protocol/property-kinds.ts'
import type { Data } from '#contract/protocol/typed-value.ts'
import type { Writes } from '../../model/plan.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { holdsPlatformMaterial } from './platform-material.ts'
import type { PlatformMaterial } from './platform-material.ts'

/** The definitions of the plugin's resources: locator → property name → definition. */
export type Definitions = Record<string, Record<string, PropertyDefinition>>

export interface WriteScope extends PlatformMaterial {
  authorization: CompiledAuthorization
  definitions: Definitions
}

export type CheckedWrites = { ok: true; writes: Writes } | RefusedWrites

/** A write without permission, or a value that does not fit its definition. */
export type RefusedWrites = { ok: false } & ({ problem: string } | { refused: ForbiddenWrite })

/** What was written without permission. Names that only the plugin knows are left out. */
export type ForbiddenWrite =
  | { reason: 'callWriteNotAllowed'; property: string; locator: string }
  | { reason: 'callWriteNoResource' | 'callWritePropertyUnknown' | 'callWriteProtected'; locator: string }
  | { reason: 'callWriteResourceUnknown' }

/**
 * Checks the writes of a plugin against its frozen authorization and the property definitions. Returns them with the
 * sensitive flag exactly where the definition sets it. A problem never contains a value or a name that only the plugin
 * knows.
 */
export function checkWrites(
  resources: Readonly<Record<string, Readonly<Record<string, Data>>>>,
  scope: WriteScope,
): CheckedWrites {
  const writes: Writes = {}
  const budget = newCheckBudget()
  const authorizedAt = new Map(scope.authorization.resources.map((one) => [one.resource, one]))
  for (const [locator, properties] of Object.entries(resources)) {
    const authorized = authorizedAt.get(locator)
    const definitions = getOwn(scope.definitions, locator)
    if (definitions === undefined) return forbid({ reason: 'callWriteResourceUnknown' })
    if (authorized === undefined) {
      const property = Object.keys(properties).find(
        (name) => name !== INSTANCE_REF_PROPERTY && getOwn(definitions, name) !== undefined,
      )
      return forbid(
        property === undefined
          ? { reason: 'callWriteNoResource', locator }
          : { reason: 'callWriteNotAllowed', property, locator },
      )
    }
    const allowed = new Set(authorized.writeProperties)
    const written: Writes[string] = {}
    for (const [name, data] of Object.entries(properties)) {
      if (name === INSTANCE_REF_PROPERTY) return forbid({ reason: 'callWriteProtected', locator })
      const definition = getOwn(definitions, name)
      if (definition === undefined) return forbid({ reason: 'callWritePropertyUnknown', locator })
      if (!allowed.has(name)) return forbid({ reason: 'callWriteNotAllowed', property: name, locator })
      const problem = problemOf(definition, data, { scope, budget })
      if (problem !== null) return { ok: false, problem: `${name} of ${locator} ${problem}` }
      const isSensitive = definition.isSensitive === true
      written[name] = { '@type': 'Data', value: data.value, ...(isSensitive && { isSensitive }) }
    }
    if (Object.keys(written).length > 0) writes[locator] = written
  }
  return { ok: true, writes }
}

function problemOf(
  definition: PropertyDefinition,
  data: Data,
  { scope, budget }: { scope: WriteScope; budget: CheckBudget },
): string | null {
  if (isReferenceKind(definition.kind)) return 'is a reference, which a plugin must not write'
  if (data.isSensitive === true && definition.isSensitive !== true) {
    return 'carries isSensitive, but its definition is not sensitive'
  }
  const [problem] = checkTypedValue(definition, data, budget)
  // without the path inside the value: its keys may be business data
  if (problem !== undefined) return `does not satisfy its definition: ${problem.message}`
  if (holdsPlatformMaterial(data.value, scope)) {
    return 'holds a token of the platform, the credential of a plugin or the address of a registered service'
  }
  return null
}

const forbid = (refused: ForbiddenWrite): RefusedWrites => ({ ok: false, refused })
