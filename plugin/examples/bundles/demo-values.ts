import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { formatLocator, type ResourceKind } from '#contract/protocol/locator.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'

const SERVICE = (serviceId: string): TypedValue => ({ '@type': 'ServiceReference', serviceId })

type Values = Record<string, JsonValue>

// By bundle, then `KIND/name`: values that have no default, for all versions.
const VALUES: Record<string, Record<string, Values>> = {
  'crm-suite': {
    'MODULE/crm-core': { displayName: 'Northwind Sales', dataRegion: 'eu-central' },
    'MODULE/crm-mail': { smtpUser: 'crm', smtpPassword: 'correct horse battery' },
    'GATEWAY/crm-web': { domain: 'crm.example' },
  },
  billing: {
    'MODULE/invoice-engine': {
      displayName: 'Northwind Billing',
      costCentre: '4711',
      issuer: { name: 'Northwind Ltd', address: { city: 'Hamburg', country: 'DE' } },
    },
    'GATEWAY/billing-portal': { domain: 'billing.example' },
  },
  storefront: {
    'MODULE/shop': { shopName: 'Northwind Shop' },
    'MODULE/checkout': { webhookSecret: 'a webhook secret of some length' },
    'GATEWAY/shop-web': { domain: 'shop.example' },
    'GATEWAY/partner-web': { domain: 'partners.example' },
  },
  'support-desk': {
    'MODULE/desk': { displayName: 'Northwind Support', queues: ['First level', 'Returns'] },
    'MODULE/inbox': { address: 'help@example.com', imapPassword: 'staple gun and glue' },
    'GATEWAY/help-center': { domain: 'help.example' },
  },
  'data-lake-export': {
    'MODULE/exporter': {
      bucketUrl: 's3://lake/raw',
      accessKey: 'AKIA0000EXAMPLE0000',
      contact: 'lake@example.com',
    },
  },
}

/**
 * The references that a demo may set once services with these ids are registered, by bundle and `KIND/name`. None of
 * them is required, so bundles can be installed without any service.
 */
export const demoReferences: Record<string, Record<string, Record<string, TypedValue>>> = {
  'crm-suite': {
    'MODULE/crm-mail': { mailGateway: SERVICE('mail-gateway') },
    'AGENT/lead-scorer': {
      sources: {
        '@type': 'ServiceReferenceMap',
        valueMap: {
          news: { '@type': 'ServiceReference', serviceId: 'news-search' },
          registry: { '@type': 'ServiceReference', serviceId: 'company-registry' },
        },
      },
    },
  },
  storefront: {
    'MODULE/checkout': {
      paymentProviders: {
        '@type': 'ServiceReferenceList',
        valueList: [
          { '@type': 'ServiceReference', serviceId: 'card-payments' },
          { '@type': 'ServiceReference', serviceId: 'bank-transfer' },
        ],
      },
    },
  },
  'support-desk': { 'MODULE/desk': { escalation: SERVICE('mail-gateway') } },
}

/**
 * The values that an INSTALL of this demo bundle needs besides the defaults, by locator and wrapped. Contains only what
 * this version defines; empty for other bundles. The domains are those of the scope, because a domain belongs to one
 * gateway of an environment.
 */
export function demoInstallValues(
  manifest: AuthorManifest,
  scope: Scope,
): Record<string, Record<string, TypedValue>> {
  const ofBundle = VALUES[manifest.bundle.bundleId] ?? {}
  const result: Record<string, Record<string, TypedValue>> = {}
  for (const { kind, name, properties } of manifest.resources) {
    const values = Object.entries(ofBundle[`${kind}/${name}`] ?? {}).filter(([property]) =>
      Object.hasOwn(properties, property),
    )
    if (values.length === 0) continue
    result[locatorIn(manifest, kind, name)] = Object.fromEntries(
      values.map(([property, value]) => [
        property,
        properties[property]?.isSensitive === true
          ? wrapSensitive(value)
          : wrapData(property === 'domain' ? domainIn(scope, value) : value),
      ]),
    )
  }
  return result
}

const domainIn = ({ applicationRuntimeId, workspaceId }: Scope, domain: JsonValue): string =>
  `${applicationRuntimeId}-${workspaceId}.${String(domain)}`

const locatorIn = (manifest: AuthorManifest, kind: ResourceKind, name: string): string =>
  formatLocator({ ...manifest.bundle, kind, name })
