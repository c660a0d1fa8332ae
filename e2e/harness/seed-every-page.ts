import { pages } from '#contract/console-api/pages/pages.ts'
import { wrapData } from '#contract/protocol/data.ts'
import { ling, platform } from '../../demo/people.ts'
import { configurationPath } from '../vocabulary.ts'
import type { System } from './system.ts'

/**
 * Creates data of every kind. Returns paths of every page, by a name for messages; a test compares them with the routes.
 * Those of pages with parameters are written here.
 */
export async function seedEveryPage(system: System): Promise<Record<string, string>> {
  const scope = system.newScope()
  const { environmentKey, applicationRuntimeId, workspaceId } = scope
  await system.script.add({
    when: { workspaceId, bundleId: 'storefront' },
    times: 1,
    behaviour: {
      kind: 'failure-envelope',
      errorCode: 'CATALOGUE_CORRUPT',
      message: 'The sample catalogue cannot be read.',
    },
  })
  const suite = await system.install(scope, 'crm-suite', '1.0.0')
  const shop = await system.install(scope, 'storefront', '1.0.0')
  const desk = await system.install(scope, 'support-desk', '1.0.0')
  await system.call(
    platform,
    'PUT /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/local-services/{serviceName}',
    {
      params: { ...scope, serviceName: 'image-cache' },
      body: { version: 0, values: { sizeMb: 2048, purge: true } },
    },
    crypto.randomUUID(),
  )
  const serviceId = `mail-gateway-${workspaceId}`
  await system.call(
    platform,
    'PUT /services/{serviceId}',
    {
      params: { serviceId },
      body: {
        title: 'Mail gateway',
        url: 'http://127.0.0.1:9/mail',
        methods: ['send'],
        owner: null,
        consumers: [scope],
        enabled: true,
      },
    },
    crypto.randomUUID(),
  )
  await system.configure(
    scope,
    { bundleId: 'support-desk', kind: 'MODULE', name: 'desk' },
    'escalation',
    { '@type': 'ServiceReference', serviceId },
    ling,
  )
  const { webhook } = await system.call(
    platform,
    'POST /webhooks',
    {
      body: {
        title: 'Support channel',
        url: 'http://127.0.0.1:9/hook',
        events: ['operation.failed', 'batch.finished'],
        scope: null,
        retryingAfterMinutes: 30,
      },
    },
    crypto.randomUUID(),
  )
  await system.call(
    platform,
    'PUT /freezes/{name}',
    {
      params: { name: `next-year-${workspaceId}` },
      body: {
        scopes: [scope],
        from: `${new Date().getUTCFullYear() + 1}-06-01T17:00:00.000Z`,
        to: `${new Date().getUTCFullYear() + 1}-06-03T06:00:00.000Z`,
        timeZone: 'Europe/Berlin',
        blocks: ['CONFIGURE', 'INSTALL', 'UPGRADE', 'DETACH'],
        allowsRecovery: true,
        message: 'The books are being closed.',
      },
    },
    crypto.randomUUID(),
  )
  const { batch } = await system.call(
    platform,
    'POST /batches',
    { body: { action: 'RETRY', targets: [desk.operation.operationId], concurrency: 1 } },
    crypto.randomUUID(),
  )
  const { changeRequest } = await system.call(
    ling,
    'POST /change-requests',
    {
      body: {
        kind: 'CONFIGURE',
        title: 'Move the mail port',
        submit: true,
        scope,
        input: {
          snapshotVersion: (
            await system.call(
              ling,
              'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
              { params: { ...scope } },
            )
          ).snapshotVersion,
          changes: { 'production/crm-suite/MODULE/crm-mail': { smtpPort: wrapData(465) } },
        },
      },
    },
    crypto.randomUUID(),
  )
  await system.script.add({ when: { workspaceId, bundleId: 'crm-suite' }, behaviour: { kind: 'unknown' } })
  const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
  const waiting = await system.configure(scope, mail, 'smtpPort', wrapData(2525), ling)

  const installation = `/installations/${suite.bundleInstallId}`
  const configuration = (resource: string) => configurationPath(scope, resource)
  const version = '/catalog/production/crm-suite/2.0.0'
  // the name is the path
  const pagesWithoutParameters = Object.keys(pages).filter((path) => !path.includes('$'))
  return {
    ...Object.fromEntries(pagesWithoutParameters.map((path) => [path, path])),
    'a claimed installation': installation,
    'an installation’s plugins': `/installations/${desk.bundleInstallId}?tab=plugins`,
    'an installation’s references': `${installation}?tab=references`,
    'an installation’s operations': `${installation}?tab=operations`,
    'an upgrade': `/installations/${desk.bundleInstallId}?action=upgrade&version=2.0.0`,
    'an install': `/installations/new?environmentKey=production&applicationRuntimeId=e2e&workspaceId=1&bundleEnvironmentKey=production&bundleId=billing&version=2.0.0`,
    'a locked form': configuration('production/crm-suite/MODULE/crm-mail'),
    'a form of a Module': configuration('staging/support-desk/MODULE/desk'),
    'a form of a timer': configuration('staging/support-desk/TIMER/overdue-reminder'),
    'a form of a gateway': configuration('staging/support-desk/GATEWAY/help-center'),
    'the configuration as a document': `${configurationPath(scope)}?tab=document`,
    'the configuration’s history': `${configurationPath(scope)}?tab=history`,
    'one property': '/properties?bundleId=crm-suite&kind=MODULE&resource=crm-mail&property=smtpPort',
    'local services': `/scopes/${environmentKey}/${applicationRuntimeId}/${workspaceId}/local-services`,
    'a failed operation': `/operations/${shop.operation.operationId}`,
    'a waiting operation': `/operations/${waiting.operationId}`,
    'a succeeded operation': `/operations/${desk.operation.operationId}`,
    'a cause': `/causes/${shop.operation.causeId}`,
    'a batch': `/batches/${batch.batchId}`,
    'a change request': `/change-requests/${changeRequest.changeRequestId}`,
    'a version of a bundle': version,
    'a comparison of two versions': `${version}?tab=compare`,
    'a plugin': '/plugins/scripted-hooks',
    'a service': `/services/${serviceId}`,
    'a plugin’s credentials': '/plugins/scripted-hooks?tab=credentials',
    'a webhook': `/notifications/${webhook.webhookId}`,
    'a missing page': '/nowhere',
    'the signed-out page': '/signed-out',
  }
}
