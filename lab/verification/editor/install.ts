import type { Scope } from '#contract/protocol/scope.ts'
import { platform } from '../../../demo/people.ts'
import type { System } from '../../../e2e/harness/system.ts'
import { INSTALL_VALUES, MANIFESTS } from './bundle.ts'

/** Publishes the bundles that each trial installs. */
export async function publish(system: System): Promise<void> {
  for (const manifest of MANIFESTS)
    await system.call(
      platform,
      'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
      { params: { ...manifest.bundle, version: manifest.version }, body: manifest },
      crypto.randomUUID(),
    )
}

/** Registers services and installs the bundles in a separate scope. Returns the ids of the services. */
export async function install(system: System): Promise<{ scope: Scope; services: string[] }> {
  const scope = system.newScope()
  const services = ['alpha', 'beta', 'gamma'].map((name) => `${name}-${scope.workspaceId}`)
  for (const serviceId of services)
    await system.call(
      platform,
      'PUT /services/{serviceId}',
      {
        params: { serviceId },
        body: {
          title: serviceId,
          url: 'http://127.0.0.1:9/service',
          methods: ['send'],
          owner: null,
          consumers: [scope],
          enabled: true,
        },
      },
      crypto.randomUUID(),
    )
  for (const { bundle, version, resources } of MANIFESTS) {
    const ownNames = new Set(
      resources.map(({ kind, name }) => `${bundle.environmentKey}/${bundle.bundleId}/${kind}/${name}`),
    )
    const properties = Object.fromEntries(
      Object.entries(INSTALL_VALUES).filter(([locator]) => ownNames.has(locator)),
    )
    const { operation } = await system.call(
      platform,
      'POST /installations',
      { body: { scope, bundle, targetVersion: version, properties } },
      crypto.randomUUID(),
    )
    const { state } = await system.ended(operation.operationId)
    if (state !== 'SUCCEEDED') throw new Error(`The installation of ${bundle.bundleId} is ${state}`)
  }
  return { scope, services }
}
