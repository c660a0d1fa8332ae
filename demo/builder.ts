import { formatLocator } from '#contract/protocol/locator.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import { demoBundles } from '#plugin/examples/bundles/demo-bundles.ts'
import { demoInstallValues, demoReferences } from '#plugin/examples/bundles/demo-values.ts'
import { orderDeskBundle, warehouseBundle } from '#plugin/examples/order-desk/bundles.ts'
import type { DemoCaller, DemoPerson } from './caller.ts'
import { CHANGES, LATE_CHANGES } from './changes.ts'
import type { DemoChange } from './changes.ts'
import type { DemoDates } from './dates.ts'
import { jonas, ling, mira, platform, tomas } from './people.ts'
import { installs, patches, scopes } from './places.ts'
import type { Place } from './places.ts'

/** Base addresses of the running example plugins. */
export interface DemoPluginAddresses {
  tenantProvisioner: string
  scriptedHooks: string
}

type Properties = Record<string, Record<string, TypedValue>>

/** Who installs in a scope; elsewhere it is Mira. */
const INSTALLERS: Partial<Record<Place, DemoPerson>> = {
  asia: ling,
  america: tomas,
  iberia: jonas,
  brazil: jonas,
  lab: ling,
  sandbox: jonas,
}

const SETTLED_STATES = new Set<Operation['state']>(['SUCCEEDED', 'FAILED', 'TAKEN_OVER'])
const WAIT_MAX_MS = 60_000
/** Transient obstacles, left by an earlier run that was interrupted. */
const TRANSIENT_CODES = new Set(['OPERATION_IN_PROGRESS', 'CONFIGURATION_SNAPSHOT_STALE'])

/** The actions that build the demo: each does one thing, as a person, through the runtime API. */
export class DemoBuilder {
  private readonly installed = new Map<string, string>()
  private readonly call: DemoCaller

  constructor(call: DemoCaller) {
    this.call = call
  }

  async registerPlugins({ tenantProvisioner, scriptedHooks }: DemoPluginAddresses): Promise<void> {
    const plugins = [
      {
        pluginId: 'tenant-provisioner',
        title: 'Tenant provisioner',
        endpoint: `${tenantProvisioner}/lifecycle`,
      },
      // high limits, so that a repeatedly failing operation can be watched for hours
      {
        pluginId: 'scripted-hooks',
        title: 'Scripted hooks',
        endpoint: `${scriptedHooks}/lifecycle`,
        maxAttempts: 100,
        timeoutMs: 5_000,
      },
    ]
    for (const { pluginId, ...body } of plugins) {
      await this.call(
        platform,
        'PUT /plugins/{pluginId}',
        { params: { pluginId }, body: { ...body, enabled: true } },
        `plugin-${pluginId}`,
      )
    }
  }

  async registerServices(base: string): Promise<void> {
    const services: [serviceId: string, title: string, methods: string[]][] = [
      ['mail-gateway', 'Mail gateway', ['send', 'send-batch']],
      ['news-search', 'News search', ['search']],
      ['company-registry', 'Company registry', ['lookup']],
      ['card-payments', 'Card payments', ['authorize', 'capture', 'refund']],
      ['bank-transfer', 'Bank transfer', ['transfer']],
    ]
    for (const [serviceId, title, methods] of services) {
      await this.call(
        platform,
        'PUT /services/{serviceId}',
        {
          params: { serviceId },
          body: {
            title,
            url: `${base}/services/${serviceId}`,
            methods,
            owner: null,
            consumers: Object.values(scopes),
            enabled: true,
          },
        },
        `service-${serviceId}`,
      )
    }
  }

  /** Registers a service of the first Module of an installed bundle, for the scope of the installation. */
  async registerOwned(
    place: Place,
    { bundle, resources: [module] }: AuthorManifest,
    { serviceId, title, url }: { serviceId: string; title: string; url: string },
  ): Promise<void> {
    if (module === undefined) throw new Error('The bundle has no Module')
    const { kind, name } = module
    const owner = {
      bundleInstallId: this.idOf(place, bundle.bundleId),
      locator: formatLocator({ ...bundle, kind, name }),
    }
    await this.call(
      platform,
      'PUT /services/{serviceId}',
      {
        params: { serviceId },
        body: { title, url, methods: [], owner, consumers: [scopes[place]], enabled: true },
      },
      `service-${serviceId}`,
    )
  }

  async publish(manifest: AuthorManifest): Promise<void> {
    const { bundle, version } = manifest
    await this.call(
      platform,
      'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
      { params: { ...bundle, version }, body: manifest },
      `publish-${bundle.bundleId}-${version}`,
    )
  }

  /** Installs the bundles of a scope whose versions are wanted now. */
  async installAll(place: Place, isNow: (version: string) => boolean): Promise<void> {
    for (const { bundleId, version, ...at } of installs)
      if (at.place === place && isNow(version))
        await this.settled(await this.install(place, bundleId, version, INSTALLERS[place] ?? mira))
  }

  async upgradeAll(place: Place): Promise<void> {
    for (const { bundleId, upgradeTo, ...at } of installs)
      if (at.place === place && upgradeTo !== undefined)
        await this.settled(await this.upgrade(place, bundleId, upgradeTo, tomas))
  }

  /** Lets the exports read the customers of the CRM suite, and billing file its invoices with the exports. */
  async connectBundles(base: string): Promise<void> {
    for (const place of ['europe', 'america'] as const) {
      const customers = `customer-records-${scopes[place].applicationRuntimeId}`
      await this.registerOwned(place, manifestOf('crm-suite'), {
        serviceId: customers,
        title: 'Customer records',
        url: `${base}/services/${customers}`,
      })
      const archive = `invoice-archive-${scopes[place].applicationRuntimeId}`
      await this.registerOwned(place, manifestOf('data-lake-export'), {
        serviceId: archive,
        title: 'Invoice archive',
        url: `${base}/services/${archive}`,
      })
      const references: [bundleId: string, resource: string, property: string, value: TypedValue][] = [
        [
          'data-lake-export',
          'MODULE/exporter',
          'sources',
          {
            '@type': 'ServiceReferenceMap',
            valueMap: { customers: { '@type': 'ServiceReference', serviceId: customers } },
          },
        ],
        ['billing', 'MODULE/invoice-engine', 'archive', { '@type': 'ServiceReference', serviceId: archive }],
      ]
      for (const [bundleId, resource, property, value] of references)
        await this.settled(
          await this.configure(place, bundleId, resource, property, value, mira, 'Connect the bundles'),
        )
    }
  }

  async configureSome(dates: DemoDates): Promise<void> {
    await this.configureAll(CHANGES, dates)
    await this.call(
      mira,
      'PUT /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/local-services/{serviceName}',
      {
        params: { ...scopes.europe, serviceName: 'image-cache' },
        body: { version: 0, values: { sizeMb: 2048, ttlSeconds: 86_400, purgeOnDeploy: true } },
      },
      'local-service',
    )
  }

  /** The ordinary work of the last day. */
  async configureLately(dates: DemoDates): Promise<void> {
    await this.configureAll(LATE_CHANGES, dates)
  }

  private async configureAll(changes: readonly DemoChange[], dates: DemoDates): Promise<void> {
    for (const [place, bundleId, resource, property, value, person, reason, when] of changes) {
      dates.at(when)
      await this.settled(await this.configure(place, bundleId, resource, property, value, person, reason))
    }
  }

  async install(
    place: Place,
    bundleId: string,
    version: string,
    person: DemoPerson,
  ): Promise<Operation | undefined> {
    const manifest = manifestOf(bundleId, version)
    const { items } = await this.call(platform, 'GET /installations', {
      query: { ...queryOf(scopes[place]), bundleId, state: 'NOT_INSTALLED,ACTIVE' },
    })
    const [found] = items
    if (found !== undefined) {
      const { bundleInstallId } = found.installation
      this.installed.set(`${place}/${bundleId}`, bundleInstallId)
      return this.newest(bundleInstallId)
    }
    const { installation, operation } = await this.call(
      person,
      'POST /installations',
      {
        body: {
          scope: scopes[place],
          bundle: manifest.bundle,
          targetVersion: version,
          properties: withReferences(manifest, demoInstallValues(manifest, scopes[place])),
        },
      },
      `install-${place}-${bundleId}`,
    )
    this.installed.set(`${place}/${bundleId}`, installation.installation.bundleInstallId)
    return operation
  }

  async upgrade(
    place: Place,
    bundleId: string,
    version: string,
    person: DemoPerson,
  ): Promise<Operation | undefined> {
    const manifest = manifestOf(bundleId, version)
    const bundleInstallId = this.idOf(place, bundleId)
    const started = await this.newest(bundleInstallId, { operationType: 'UPGRADE' })
    if (started?.targetVersion === version) return started
    const { snapshotVersion } = await this.configurationOf(scopes[place], person)
    const { operation } = await this.call(
      person,
      'POST /installations/{bundleInstallId}/upgrade',
      {
        params: { bundleInstallId },
        body: {
          targetVersion: version,
          properties: demoInstallValues(manifest, scopes[place]),
          snapshotVersion,
          reason: `Release ${version}`,
        },
      },
      `upgrade-${place}-${bundleId}-${snapshotVersion}`,
    )
    return operation
  }

  /** Does nothing if the value is already saved. Waits while an earlier operation holds the installation. */
  async configure(
    place: Place,
    bundleId: string,
    resource: string,
    property: string,
    value: TypedValue,
    person: DemoPerson,
    reason: string,
  ): Promise<Operation | undefined> {
    const { bundle } = manifestOf(bundleId)
    const [kind, name = ''] = resource.split('/')
    const locator = formatLocator({ ...bundle, kind: kind as 'MODULE', name })
    const until = Date.now() + WAIT_MAX_MS
    for (;;) {
      const { snapshotVersion } = await this.configurationOf(scopes[place], person)
      try {
        const { operations } = await this.call(
          person,
          'PATCH /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
          {
            params: scopes[place],
            body: { snapshotVersion, changes: { [locator]: { [property]: value } }, reason },
          },
          // with the time: the same key would return an earlier failure again
          `configure-${place}-${bundleId}-${property}-${snapshotVersion}-${Date.now()}`,
        )
        return operations[0]
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : ''
        if (!TRANSIENT_CODES.has(String(code)) || Date.now() > until) throw error
        await pause()
      }
    }
  }

  /** The newest operation of an installation, optionally of one type. */
  async newest(
    bundleInstallId: string,
    filter: { operationType?: string; state?: string } = {},
  ): Promise<Operation | undefined> {
    const { items } = await this.call(platform, 'GET /operations', {
      query: { bundleInstallId, ...filter, limit: 1 },
    })
    return items[0]
  }

  private configurationOf(scope: Scope, person: DemoPerson) {
    return this.call(
      person,
      'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
      { params: scope },
    )
  }

  idOf(place: Place, bundleId: string): string {
    const id = this.installed.get(`${place}/${bundleId}`)
    if (id === undefined) throw new Error(`The demo has no ${bundleId} in ${place}`)
    return id
  }

  async settled(operation: Operation | undefined): Promise<Operation | undefined> {
    if (operation === undefined) return undefined
    const until = Date.now() + WAIT_MAX_MS
    while (Date.now() < until) {
      const now = await this.call(platform, 'GET /operations/{operationId}', {
        params: { operationId: operation.operationId },
      })
      if (SETTLED_STATES.has(now.state)) return now
      await pause()
    }
    throw new Error(`The operation ${operation.operationId} of the demo did not end within a minute`)
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 60))

const queryOf = ({ workspaceId, ...scope }: Scope) => ({ ...scope, workspaceId: String(workspaceId) })

function manifestOf(bundleId: string, version?: string): AuthorManifest {
  const manifest = [...demoBundles, ...patches, orderDeskBundle, warehouseBundle].find(
    (candidate) =>
      candidate.bundle.bundleId === bundleId && (version === undefined || candidate.version === version),
  )
  if (manifest === undefined) throw new Error(`The demo has no bundle ${bundleId} ${version ?? ''}`)
  return manifest
}

function withReferences(manifest: AuthorManifest, values: Properties): Properties {
  const references = demoReferences[manifest.bundle.bundleId] ?? {}
  const all: Properties = { ...values }
  for (const { kind, name, properties } of manifest.resources) {
    const locator = formatLocator({ ...manifest.bundle, kind, name })
    const known = Object.entries(references[`${kind}/${name}`] ?? {}).filter(
      ([property]) => property in properties,
    )
    if (known.length > 0) all[locator] = { ...all[locator], ...Object.fromEntries(known) }
  }
  return all
}
