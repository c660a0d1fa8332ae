import { formatLocator } from '#contract/protocol/locator.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { ChangeRequest } from '#contract/runtime-api/change-requests.ts'
import { CHANGE_KINDS } from '#contract/runtime-api/vocabulary.ts'
import { wrapData } from '#contract/protocol/data.ts'
import type { DemoBuilder } from './builder.ts'
import type { DemoCaller, DemoPerson } from './caller.ts'
import { data } from './changes.ts'
import type { DemoDates } from './dates.ts'
import { jonas, ling, mira, platform, tomas } from './people.ts'
import { scopes } from './places.ts'
import type { Place } from './places.ts'

interface Making {
  builder: DemoBuilder
  call: DemoCaller
  dates: DemoDates
}

/**
 * A freeze that is still to come, and three change requests: one waits for a review, one is approved and scheduled, and the approval
 * of one is outdated, because somebody has saved another part of the same value since.
 */
export async function requestChanges(making: Making): Promise<void> {
  const { call, dates } = making
  const query = { author: mira.id, limit: 1 }
  if ((await call(platform, 'GET /change-requests', { query })).items.length > 0) return
  dates.at({ minutesAgo: 205 })
  await freezeYearEnd(call)
  await scheduled(making)
  await outdated(making)
  dates.at({ minutesAgo: 176 })
  await waiting(making)
}

const inDays = (days: number, time: `${number}:${number}`): string =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T${time}:00.000Z`

async function freezeYearEnd(call: DemoCaller): Promise<void> {
  await call(
    platform,
    'PUT /freezes/{name}',
    {
      params: { name: 'year-end' },
      body: {
        environments: ['production'],
        from: inDays(12, '17:00'),
        to: inDays(16, '06:00'),
        timeZone: 'Europe/Berlin',
        blocks: [...CHANGE_KINDS],
        allowsRecovery: true,
        message: 'The books are being closed. Ask Aisha Rahman.',
        reason: 'Agreed with accounting',
      },
    },
    'freeze-year-end',
  )
}

async function scheduled({ call, dates }: Making): Promise<void> {
  const proposed = await propose(call, jonas, 'brazil', {
    title: 'Longer payment terms in Brazil',
    reason: 'New contracts from next month',
    changes: { paymentTermDays: data(60) },
  })
  const { changeRequestId, revision } = proposed
  dates.at({ minutesAgo: 196 })
  await approve(call, mira, proposed, 'Agreed with sales.')
  await call(
    jonas,
    'POST /change-requests/{changeRequestId}/schedule',
    {
      params: { changeRequestId },
      body: {
        revision,
        notBefore: inDays(2, '22:00'),
        notAfter: inDays(3, '02:00'),
        timeZone: 'America/Sao_Paulo',
      },
    },
    'change-scheduled',
  )
}

async function outdated({ builder, call, dates }: Making): Promise<void> {
  const issuer = { name: 'Northwind Ltd', address: { city: 'Hamburg', country: 'DE' } }
  const proposed = await propose(call, mira, 'europe', {
    title: 'New legal name on invoices',
    reason: 'Entered in the commercial register',
    changes: { issuer: wrapData({ ...issuer, name: 'Northwind GmbH' }) },
  })
  dates.at({ minutesAgo: 191 })
  await approve(call, tomas, proposed)
  dates.at({ minutesAgo: 184 })
  const moved = wrapData({ ...issuer, address: { ...issuer.address, city: 'Berlin' } })
  await builder.settled(
    await builder.configure(
      'europe',
      'billing',
      'MODULE/invoice-engine',
      'issuer',
      moved,
      ling,
      'The head office has moved',
    ),
  )
  const { changeRequestId, revision } = proposed
  await call(
    mira,
    'POST /change-requests/{changeRequestId}/rebase',
    { params: { changeRequestId }, body: { revision } },
    'change-rebased',
  )
}

async function waiting({ call, dates }: Making): Promise<void> {
  const { changeRequestId } = await propose(call, tomas, 'iberia', {
    title: 'Shorter payment terms in Iberia',
    reason: 'As in the other countries',
    changes: { paymentTermDays: data(21), lateFeePercent: data(9.5) },
  })
  dates.at({ minutesAgo: 173 })
  await call(
    ling,
    'POST /change-requests/{changeRequestId}/comments',
    {
      params: { changeRequestId },
      body: {
        text: 'Is the late fee agreed with the lawyers?',
        target: { locator: INVOICES, property: 'lateFeePercent' },
      },
    },
    'change-comment',
  )
}

const INVOICES = formatLocator({
  environmentKey: 'production',
  bundleId: 'billing',
  kind: 'MODULE',
  name: 'invoice-engine',
})

/** Submits a change of the invoice engine. */
async function propose(
  call: DemoCaller,
  person: DemoPerson,
  place: Place,
  { changes, ...described }: { title: string; reason: string; changes: Record<string, TypedValue> },
): Promise<ChangeRequest> {
  const scope = scopes[place]
  const { snapshotVersion } = await call(
    person,
    'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
    { params: scope },
  )
  const { changeRequest } = await call(
    person,
    'POST /change-requests',
    {
      body: {
        kind: 'CONFIGURE',
        ...described,
        submit: true,
        scope,
        input: { snapshotVersion, changes: { [INVOICES]: changes } },
      },
    },
    `change-${place}`,
  )
  return changeRequest
}

async function approve(
  call: DemoCaller,
  person: DemoPerson,
  { changeRequestId, revision }: ChangeRequest,
  comment?: string,
): Promise<void> {
  const params = { changeRequestId }
  const { effect } = await call(person, 'GET /change-requests/{changeRequestId}/plan', { params })
  if (effect === null) throw new Error('A change request of the demo cannot be applied')
  await call(
    person,
    'POST /change-requests/{changeRequestId}/approve',
    { params, body: { revision, effect, ...(comment !== undefined && { comment }) } },
    `change-approve-${changeRequestId}`,
  )
}
