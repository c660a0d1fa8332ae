import { data } from './builder.ts'
import type { DemoWorld } from './builder.ts'
import type { DemoCaller } from './caller.ts'
import { ling, mira, tomas } from './people.ts'
import { scopes } from './places.ts'
import type { Script } from './script.ts'

interface Trouble {
  world: DemoWorld
  call: DemoCaller
  script: Script
}

/** What support engineers see on a Monday morning. */
export async function leaveTroubles(world: DemoWorld, call: DemoCaller, script: Script): Promise<void> {
  const trouble = { world, call, script }
  await retriedToSuccess(trouble)
  await takenOver(trouble)
  await failedInstall(trouble)
  await failedConfigure(trouble)
  await uncertainOperation(trouble)
  await waitingOperation(trouble)
}

async function retriedToSuccess({ world, call, script }: Trouble): Promise<void> {
  await script.add({
    when: { bundleId: 'support-desk', workspaceId: scopes.preview.workspaceId, operationType: 'CONFIGURE' },
    times: 1,
    behaviour: {
      kind: 'failure-envelope',
      errorCode: 'MAILBOX_LOCKED',
      message: 'The mailbox is locked by a migration. Unlock it, then retry.',
      retryable: false,
      errorPath: ['scripted-hooks', 'mail-directory'],
    },
  })
  const begun = await world.configure(
    'preview',
    'support-desk',
    'MODULE/inbox',
    'address',
    data('service@example.com'),
    tomas,
    'New address',
  )
  const operation = await world.settled(begun ?? (await world.newest(world.idOf('preview', 'support-desk'))))
  if (operation?.state !== 'FAILED') return
  const { operationId, run } = operation
  const retried = await call(
    ling,
    'POST /operations/{operationId}/retry',
    { params: { operationId }, body: { run, reason: 'The migration is over' } },
    'retry-preview',
  )
  await world.settled(retried.operation)
}

async function takenOver({ world, call, script }: Trouble): Promise<void> {
  await script.add({
    when: {
      bundleId: 'storefront',
      applicationRuntimeId: scopes.training.applicationRuntimeId,
      operationType: 'INSTALL',
      stage: 'AFTER_RESOURCES',
    },
    behaviour: {
      kind: 'failure-envelope',
      errorCode: 'CATALOGUE_CORRUPT',
      message: 'The sample catalogue cannot be read.',
      retryable: false,
    },
  })
  const failed = await world.settled(await world.install('training', 'storefront', '1.0.0', mira))
  if (failed?.state !== 'FAILED') return
  const { operation } = await call(
    ling,
    'POST /operations/{operationId}/takeover',
    {
      params: { operationId: failed.operationId },
      body: { run: failed.run, reason: 'The course is cancelled; clean up' },
    },
    'takeover-training',
  )
  await world.settled(operation)
}

async function failedInstall({ world, script }: Trouble): Promise<void> {
  await script.add({
    when: {
      bundleId: 'support-desk',
      applicationRuntimeId: scopes.lab.applicationRuntimeId,
      operationType: 'INSTALL',
      stage: 'AFTER_RESOURCES',
    },
    behaviour: {
      kind: 'failure-envelope',
      errorCode: 'IMAP_LOGIN_REFUSED',
      message: 'The mail server refused the login of the inbox. Check the address and its password.',
      retryable: false,
      errorPath: ['scripted-hooks', 'imap-gateway'],
    },
  })
  await world.settled(await world.install('lab', 'support-desk', '1.0.0', tomas))
}

async function failedConfigure({ world, script }: Trouble): Promise<void> {
  await script.add({
    when: {
      bundleId: 'billing',
      workspaceId: scopes.nordics.workspaceId,
      operationType: 'CONFIGURE',
      stage: 'BEFORE_RESOURCES',
    },
    behaviour: { kind: 'fail', message: 'rule set rejected' },
  })
  await world.settled(
    await world.configure(
      'nordics',
      'billing',
      'MODULE/invoice-engine',
      'paymentTermDays',
      data(14),
      mira,
      'Shorter terms from January',
    ),
  )
}

async function uncertainOperation({ world, script }: Trouble): Promise<void> {
  await script.add({
    when: { bundleId: 'crm-suite', workspaceId: scopes.asia.workspaceId, operationType: 'CONFIGURE' },
    behaviour: { kind: 'unknown' },
  })
  await world.configure(
    'asia',
    'crm-suite',
    'MODULE/crm-mail',
    'smtpPort',
    data(2525),
    ling,
    'Relay behind the new firewall',
  )
}

async function waitingOperation({ world, script }: Trouble): Promise<void> {
  await script.add({
    when: { bundleId: 'storefront', workspaceId: scopes.america.workspaceId, operationType: 'CONFIGURE' },
    behaviour: {
      kind: 'failure-envelope',
      errorCode: 'MAINTENANCE_WINDOW',
      message: 'The shop is in its maintenance window. It takes changes again afterwards.',
      retryable: true,
      errorPath: ['scripted-hooks', 'shop-control'],
    },
  })
  await world.configure(
    'america',
    'storefront',
    'MODULE/shop',
    'shopName',
    data('Northwind Outfitters'),
    tomas,
    'US brand name',
  )
}
