import { requestChanges } from './change-requests.ts'
import { data } from './changes.ts'
import type { DemoBuilder } from './builder.ts'
import type { DemoCaller } from './caller.ts'
import type { DemoDates } from './dates.ts'
import { ling, mira, tomas } from './people.ts'
import { scopes } from './places.ts'
import type { Script } from './script.ts'

interface Trouble {
  builder: DemoBuilder
  call: DemoCaller
  script: Script
  dates: DemoDates
}

/** Typical problems that support engineers handle. */
export async function createTroubles(trouble: Trouble): Promise<void> {
  const { dates } = trouble
  dates.at({ daysAgo: 3, time: '14:50' })
  await retriedToSuccess(trouble)
  dates.at({ daysAgo: 2, time: '11:05' })
  await takenOver(trouble)
  dates.at({ minutesAgo: 1_120 })
  await failedInstall(trouble)
  await trouble.builder.configureLately(dates)
  await requestChanges(trouble)
  dates.at({ minutesAgo: 170 })
  await failedConfigure(trouble)
  dates.at({ minutesAgo: 34 })
  await uncertainOperation(trouble)
  dates.at({ minutesAgo: 12 })
  await waitingOperation(trouble)
}

async function retriedToSuccess({ builder, call, script }: Trouble): Promise<void> {
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
  const started = await builder.configure(
    'preview',
    'support-desk',
    'MODULE/inbox',
    'address',
    data('service@example.com'),
    tomas,
    'New address',
  )
  const operation = await builder.settled(
    started ?? (await builder.newest(builder.idOf('preview', 'support-desk'))),
  )
  if (operation?.state !== 'FAILED') return
  const { operationId, run } = operation
  const retried = await call(
    ling,
    'POST /operations/{operationId}/retry',
    { params: { operationId }, body: { run, reason: 'The migration is over' } },
    'retry-preview',
  )
  await builder.settled(retried.operation)
}

async function takenOver({ builder, call, script }: Trouble): Promise<void> {
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
  const failed = await builder.settled(await builder.install('training', 'storefront', '1.0.0', mira))
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
  await builder.settled(operation)
}

async function failedInstall({ builder, script }: Trouble): Promise<void> {
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
  await builder.settled(await builder.install('lab', 'support-desk', '1.0.0', tomas))
}

async function failedConfigure({ builder, script }: Trouble): Promise<void> {
  await script.add({
    when: {
      bundleId: 'billing',
      workspaceId: scopes.nordics.workspaceId,
      operationType: 'CONFIGURE',
      stage: 'BEFORE_RESOURCES',
    },
    behaviour: { kind: 'fail', message: 'rule set rejected' },
  })
  await builder.settled(
    await builder.configure(
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

async function uncertainOperation({ builder, script }: Trouble): Promise<void> {
  await script.add({
    when: { bundleId: 'crm-suite', workspaceId: scopes.asia.workspaceId, operationType: 'CONFIGURE' },
    behaviour: { kind: 'unknown' },
  })
  await builder.configure(
    'asia',
    'crm-suite',
    'MODULE/crm-mail',
    'smtpPort',
    data(2525),
    ling,
    'Relay behind the new firewall',
  )
}

async function waitingOperation({ builder, script }: Trouble): Promise<void> {
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
  await builder.configure(
    'america',
    'storefront',
    'MODULE/shop',
    'shopName',
    data('Northwind Outfitters'),
    tomas,
    'US brand name',
  )
}
