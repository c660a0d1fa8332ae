import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { isJsonObject, getOwn } from '#contract/json-schema/json.ts'
import { parseLocator } from '#contract/protocol/locator.ts'
import { valueSchema } from '#contract/protocol/property-kinds.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { DomainHolder, DomainUse, PlannedChange, PlannedResource } from '../../model/plan.ts'
import type { Problem } from '../refusals.ts'
import type { ResourceFacts } from './full-changes.ts'

/** The domains that changes set. */
export function domainsOfChanges(
  changes: readonly PlannedChange[],
  facts: ReadonlyMap<string, ResourceFacts>,
): DomainUse[] {
  return changes.flatMap(({ locator, property, after }) =>
    useOf(locator, property, getOwn(facts.get(locator)?.definitions ?? {}, property), after),
  )
}

/** The domains of the gateways in a plan. */
export function domainsOfPlan(resources: readonly PlannedResource[]): DomainUse[] {
  return resources
    .filter(({ action }) => action !== 'DETACH')
    .flatMap(({ locator, properties, definitions }) =>
      Object.entries(properties).flatMap(([property, value]) =>
        useOf(locator, property, getOwn(definitions, property), value),
      ),
    )
}

function useOf(
  locator: string,
  property: string,
  definition: PropertyDefinition | undefined,
  value: TypedValue | null,
): DomainUse[] {
  const schema = definition === undefined ? null : valueSchema(definition)
  const isDomain =
    parseLocator(locator)?.kind === 'GATEWAY' &&
    definition?.isSensitive !== true &&
    isJsonObject(schema) &&
    schema['format'] === 'hostname'
  if (!isDomain || value?.['@type'] !== 'Data' || typeof value.value !== 'string') return []
  return [{ locator, property, domain: value.value.toLowerCase() }]
}

/**
 * Each use of a domain that another gateway of the environment has, or that two of the uses share: PROPERTY_INVALID.
 *
 * @param holders Uses of these domains by other properties.
 * @param mayRead Whether the person may see the holder.
 */
export function domainProblems(
  uses: readonly DomainUse[],
  holders: readonly DomainHolder[],
  mayRead: (scope: Scope) => boolean,
): Problem[] {
  const holderOf = new Map(holders.map((holder) => [holder.domain, holder]))
  const known = new Set<string>()
  return uses.flatMap(({ locator, property, domain }) => {
    const holder = holderOf.get(domain)
    const isFirst = known.size < known.add(domain).size
    if (holder === undefined && isFirst) return []
    const message =
      holder === undefined
        ? platformMessage('domainTwice', { domain })
        : mayRead(holder.scope)
          ? platformMessage('domainTaken', {
              domain,
              locator: holder.locator,
              scope: scopeText(holder.scope),
            })
          : platformMessage('domainTakenElsewhere', { domain })
    return [{ locator, property, errorCode: 'PROPERTY_INVALID' as const, ...message }]
  })
}
