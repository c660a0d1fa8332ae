import { isDeepStrictEqual } from 'node:util'
import { EVENT_FAILURES, type ServiceCall } from '../wire/services.ts'
import { sideBySide } from '../run/side-by-side.ts'
import { CaseBlocked, type Installation, type Trial } from '../run/trial.ts'
import { isDone, isRepeated, describeAnswer } from '../wire/read-answer.ts'
import { caseGroup, type Case } from './case.ts'
import { once } from './read-response.ts'

const service = caseGroup('service', {
  rule: 'event-call',
  kind: 'behaviour',
  needs: ['references', 'services'],
})
const AGAIN = 'Resolve again for every call of a service, and for every attempt.'
/** How long a worker of the plugin may take until it calls. */
const WORKER_MS = 3_000
/** Time for several attempts. */
const DOWN_MS = 200

/** The calls since `from`, as soon as there are so many that `isEnough`, or after the time. */
async function callsFrom(
  { platform }: Trial,
  from: number,
  isEnough: (calls: readonly ServiceCall[]) => boolean,
): Promise<readonly ServiceCall[]> {
  const giveUpAt = performance.now() + WORKER_MS
  for (;;) {
    const calls = platform.services.calls.slice(from)
    if (isEnough(calls) || performance.now() > giveUpAt) return calls
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Which calls INSTALL leads to, in its stages or in a worker of the plugin. Blocks the case if there are none. */
async function callsOfInstall(
  trial: Trial,
  installation = trial.install(),
  operation = installation.operation('INSTALL', 1),
  isEnough: (calls: readonly ServiceCall[]) => boolean = ({ length }) => length > 0,
): Promise<readonly ServiceCall[]> {
  const from = trial.platform.services.calls.length
  await trial.complete(operation)
  const calls = await callsFrom(trial, from, isEnough)
  if (calls.length > 0) return calls
  const problem = `INSTALL did not lead to a call of a service within ${WORKER_MS / 1_000} s`
  // a plugin that only sends events resolves in a worker, if at all
  if (!trial.profile.resolvesReferences) trial.untested(problem)
  throw new CaseBlocked(problem)
}

/** INSTALL while no service responds. */
const unserved = (trial: Trial) =>
  once(trial, 'unserved', async () => {
    const operation = trial.install().operation('INSTALL', 1)
    trial.platform.services.setDown(true)
    try {
      const before = await trial.settle(operation.before, { withinMs: DOWN_MS })
      const last = isDone(before.answer) ? await trial.settle(operation.after, { withinMs: DOWN_MS }) : before
      return { operation, last }
    } finally {
      trial.platform.services.setDown(false)
    }
  })

const nameOf = ({ httpMethod, serviceId, path }: ServiceCall): string => `${httpMethod} ${serviceId}/${path}`

const isSameMessage = (one: ServiceCall, other: ServiceCall): boolean =>
  nameOf(one) === nameOf(other) &&
  one.eventId === other.eventId &&
  one.bundleInstallId === other.bundleInstallId

/** What a service takes for the same event: only then is the ID the same. */
const isSameEvent = (one: ServiceCall, other: ServiceCall): boolean =>
  isSameMessage(one, other) &&
  one.idempotencyKey === other.idempotencyKey &&
  (one.content === undefined || other.content === undefined || isDeepStrictEqual(one.content, other.content))

const eventsOf = (calls: readonly ServiceCall[], { identity }: Installation): ServiceCall[] =>
  calls.filter(({ isEvent, bundleInstallId }) => isEvent && bundleInstallId === identity.bundleInstallId)

const forEachServiceCall = (
  judge: (trial: Trial, call: ServiceCall) => void,
): Pick<Case, 'run' | 'review'> => ({
  run: async (trial) => void (await callsOfInstall(trial)),
  review(trial) {
    for (const call of trial.platform.services.calls.slice(trial.from.serviceCalls)) judge(trial, call)
  },
})

export const SERVICE_CASES: readonly Case[] = [
  service(
    'token',
    {
      title: 'A service is called with the token that was resolved for it',
      fix: 'Send Authorization: Bearer with access[serviceId].token, and never another credential.',
    },
    forEachServiceCall((trial, call) => {
      const { problem } = call
      trial.check(problem !== 'no-token', `${nameOf(call)} had no token`)
      trial.check(problem !== 'foreign-token', `${nameOf(call)} had a token that resolve did not give`)
      trial.check(problem !== 'other-service', `${nameOf(call)} had the token of another service`)
    }),
  ),
  service(
    'access-used-once',
    {
      title: 'The access of one resolution is used for one call',
      rule: 'resolving-references',
      fix: AGAIN,
    },
    {
      async run(trial) {
        const installation = trial.install()
        await callsOfInstall(trial, installation)
        for (const [index, type] of (['CONFIGURE', 'UPGRADE'] as const).entries()) {
          const { before, after } = installation.operation(type, index + 2)
          await trial.settle(before, { withinMs: DOWN_MS })
          await trial.settle(after, { withinMs: DOWN_MS })
        }
      },
      review(trial) {
        for (const call of trial.platform.services.calls.slice(trial.from.serviceCalls))
          trial.check(call.problem !== 'used-before', `${nameOf(call)} had a token that was used before`)
      },
    },
  ),
  service(
    'method',
    {
      title: 'A service is called with a method that it has, and an event with POST',
      fix: 'Call {url}/{method} with the event method that the Module declares, as one path segment.',
    },
    forEachServiceCall((trial, call) => {
      trial.check(
        call.problem !== 'unknown-method',
        `${nameOf(call)} is neither in events nor in services of the profile`,
      )
      trial.check(!call.isEvent || call.httpMethod === 'POST', `${nameOf(call)} must be a POST`)
    }),
  ),
  service(
    'not-after-refusal',
    {
      title: 'No service is called if resolve refuses',
      rule: 'resolving-references',
      fix: `${AGAIN} Without an answer of resolve there is no access; earlier access is not used.`,
    },
    async (trial) => {
      await callsOfInstall(trial)
      const from = trial.platform.services.calls.length
      const installation = trial.install()
      const operation = installation.operation('INSTALL', 1)
      // a worker may still send events of the first one
      const isOther = ({ bundleInstallId, problem }: ServiceCall): boolean =>
        problem === null && bundleInstallId !== installation.identity.bundleInstallId
      trial.platform.setResolveMode('refuse')
      try {
        const before = await trial.settle(operation.before)
        if (isDone(before.answer)) await trial.settle(operation.after, { withinMs: DOWN_MS })
      } finally {
        trial.platform.setResolveMode('grant')
      }
      for (const call of trial.platform.services.calls.slice(from))
        trial.check(isOther(call), `${nameOf(call)} was called`)
    },
  ),
  service(
    'repeat-calls-nothing',
    {
      title: 'A repeat of a call that is done calls no service',
      rule: 'repeated-calls',
      fix: 'Look for the remembered response before you do anything.',
    },
    async (trial) => {
      const installation = trial.install()
      const operation = installation.operation('INSTALL', 1)
      const { calls } = trial.platform.services
      const first = await callsOfInstall(trial, installation, operation)
      const from = calls.length
      for (const call of [operation.before, operation.after]) await trial.send(call)
      // an outbox may still send other events of the first time
      for (const call of calls.slice(from).filter(({ problem }) => problem === null))
        trial.check(
          !first.some((one) => one.status === 200 && isSameMessage(one, call)),
          `${nameOf(call)} was called again`,
        )
    },
  ),
  service(
    'down',
    {
      title: 'If a service is unavailable, the call or the event is sent again',
      level: 'SHOULD',
      fix: 'Return a retryable failure or UNKNOWN, or keep the event and send it later.',
    },
    async (trial) => {
      const { answer } = (await unserved(trial)).last
      // an outbox answers at once
      trial.check(isDone(answer) || isRepeated(answer), `INSTALL got ${describeAnswer(answer)}`)
    },
  ),
  service(
    'failure-not-remembered',
    {
      title: 'Once a service responds again, the same bytes succeed',
      rule: 'repeated-calls',
      fix: 'Do not remember failures: run the call again, and resolve again.',
    },
    async (trial) => {
      const { operation, last } = await unserved(trial)
      if (isDone(last.answer)) trial.untested('the INSTALL did not fail')
      for (const call of [operation.before, operation.after]) {
        const { answer } = await trial.settle(call)
        trial.check(isDone(answer), `${call.request.stage} still gets ${describeAnswer(answer)}`)
      }
    },
  ),
  service(
    'event-headers',
    {
      title: 'An event has an Event-Id and an Idempotency-Key',
      needs: ['events'],
      fix: 'Send both headers, with 1 to 128 visible ASCII characters.',
    },
    async (trial) => {
      const isEvent = (call: ServiceCall): boolean => call.isEvent
      const events = (
        await callsOfInstall(trial, undefined, undefined, (calls) => calls.some(isEvent))
      ).filter(isEvent)
      if (events.length === 0) trial.untested('INSTALL did not lead to an event')
      for (const { eventId, idempotencyKey } of events)
        for (const [name, value] of [
          ['Event-Id', eventId],
          ['Idempotency-Key', idempotencyKey],
        ] as const)
          trial.check(value !== null && /^[\x21-\x7e]{1,128}$/.test(value), `${name} is absent or not valid`)
    },
  ),
  service(
    'event-id-new',
    {
      title: 'Each event has its own Event-Id',
      needs: ['events'],
      fix: 'Derive the Event-Id from the operation that leads to the event as well, or make it at random and store it.',
    },
    {
      async run(trial) {
        const installation = trial.install()
        await callsOfInstall(trial, installation)
        for (const [index, type] of (['CONFIGURE', 'UPGRADE'] as const).entries()) {
          const { before, after } = installation.operation(type, index + 2, { values: 'changed' })
          if (isDone((await trial.settle(before)).answer)) await trial.settle(after)
        }
      },
      review(trial) {
        const { calls } = trial.platform.services
        for (const event of calls.slice(trial.from.serviceCalls)) {
          if (!event.isEvent || event.eventId === null) continue
          const owner = calls.find(({ isEvent, eventId }) => isEvent && eventId === event.eventId) ?? event
          trial.check(isSameEvent(owner, event), 'Two events have the same Event-Id')
        }
      },
    },
  ),
  service(
    'event-json',
    {
      title: 'An event is sent as JSON, with its content type',
      needs: ['events'],
      fix: 'Send the event as JSON, with content-type: application/json.',
    },
    {
      run: async (trial) =>
        void (await callsOfInstall(trial, undefined, undefined, (calls) =>
          calls.some(({ isEvent, isJson }) => isEvent && isJson !== null),
        )),
      review(trial) {
        for (const call of trial.platform.services.calls.slice(trial.from.serviceCalls))
          trial.check(
            !call.isEvent || call.isJson !== false,
            `${nameOf(call)} had no JSON, or another content type`,
          )
      },
    },
  ),
  service(
    'event-access',
    {
      title: 'An event is not sent with access that expired or is for another installation',
      needs: ['events'],
      rule: 'resolving-references',
      fix: 'Check expiresAt and the installation of each resolution, also in a worker, and resolve again.',
    },
    async (trial) => {
      const { services } = trial.platform
      const from = services.calls.length
      const sent: { installation: Installation; hasFailed: () => boolean; isInstalled: boolean }[] = []
      for (const how of ['expired', 'other-installation'] as const) {
        const installation = trial.install()
        const hasFailed = services.failFirstEvent(installation.identity.bundleInstallId, how)
        const { before, after } = installation.operation('INSTALL', 1)
        const isBegun = isDone((await trial.settle(before, { withinMs: DOWN_MS })).answer)
        const isInstalled = isBegun && isDone((await trial.settle(after, { withinMs: DOWN_MS })).answer)
        sent.push({ installation, hasFailed, isInstalled })
      }
      const calls = await callsFrom(trial, from, (found) =>
        sent.every(
          ({ isInstalled, installation }) => !isInstalled || eventsOf(found, installation).length > 0,
        ),
      )
      if (!sent.some(({ hasFailed }) => hasFailed())) trial.untested('INSTALL did not lead to an event')
      for (const { installation } of sent)
        for (const call of eventsOf(calls, installation)) {
          trial.check(call.problem !== 'expired', `${nameOf(call)} had access that expired`)
          trial.check(
            call.problem !== 'wrong-response',
            `${nameOf(call)} had access for another installation`,
          )
        }
    },
  ),
  service(
    'event-id-stays',
    {
      title: 'Every attempt of an event has the same Event-Id and Idempotency-Key, and a new token',
      needs: ['events'],
      fix: `Store both with the event. ${AGAIN}`,
    },
    async (trial) => {
      const from = trial.platform.services.calls.length
      const undisturbed = trial.install()
      await trial.complete(undisturbed.operation('INSTALL', 1))
      const installation = trial.install()
      const operation = installation.operation('INSTALL', 1)
      const isOurs = ({ isEvent, bundleInstallId }: ServiceCall): boolean =>
        isEvent && bundleInstallId === installation.identity.bundleInstallId
      // other calls may come before the event in one stage
      trial.platform.services.setDown('events')
      try {
        await trial.settle(operation.before)
        await trial.settle(operation.after, { withinMs: DOWN_MS })
        const first = await callsFrom(trial, from, (calls) => calls.some(isOurs))
        if (!first.some(isOurs)) trial.untested('INSTALL did not lead to an event')
      } finally {
        trial.platform.services.setDown(false)
      }
      await trial.finish(operation.after)
      const attemptsOf = (calls: readonly ServiceCall[]) => {
        const ours = calls.filter(isOurs)
        const failed = ours.filter(({ status }) => status !== 200)
        const again = ours.find(
          (one) => one.status === 200 && failed.some((other) => isSameMessage(one, other)),
        )
        return { ours, failed, again }
      }
      const calls = await callsFrom(trial, from, (found) => attemptsOf(found).again !== undefined)
      const { ours, failed, again } = attemptsOf(calls)
      trial.check(
        failed.every(({ problem }) => problem !== 'used-before'),
        'An attempt had the token of an earlier one',
      )
      const isSame = failed.some(
        (one) =>
          again !== undefined && isSameMessage(one, again) && one.idempotencyKey === again.idempotencyKey,
      )
      // one INSTALL can lead to several events, of which only some were attempted twice
      const idsOf = (events: readonly ServiceCall[]) => new Set(events.map(({ eventId }) => eventId)).size
      const isNew = idsOf(ours) > idsOf(eventsOf(calls, undisturbed))
      trial.check(
        isSame || (again === undefined && !isNew),
        'The second attempt had another Event-Id or Idempotency-Key',
      )
      if (again === undefined) trial.untested(`there was no second attempt within ${WORKER_MS / 1_000} s`)
    },
  ),
  service(
    'event-again',
    {
      title: 'An event that was not accepted is sent again, whatever went wrong',
      needs: ['events'],
      fix: 'An event is delivered when the service responds with 200 and an envelope whose errorCode is "0". Send it again after anything else, unless it is a failure whose retryable is false.',
    },
    async (trial) => {
      const { services } = trial.platform
      const from = services.calls.length
      const ways = Object.entries(EVENT_FAILURES) as [keyof typeof EVENT_FAILURES, string][]
      const sent = ways.map(([how, words]) => {
        const installation = trial.install()
        const hasFailed = services.failFirstEvent(installation.identity.bundleInstallId, how)
        return { how, words, installation, hasFailed }
      })
      await sideBySide(sent, ({ installation }) => trial.complete(installation.operation('INSTALL', 1)))
      const isAgain = (
        calls: readonly ServiceCall[],
        { installation, how }: (typeof sent)[number],
      ): boolean => {
        const [first, ...others] = eventsOf(calls, installation)
        if (how === 'unresolved') return first?.isAccepted === true
        return others.some((other) => other.isAccepted && first !== undefined && isSameMessage(first, other))
      }
      const calls = await callsFrom(trial, from, (found) => sent.every((one) => isAgain(found, one)))
      const [usual] = sent
      if (usual === undefined || !isAgain(calls, usual))
        trial.untested(`there was no second attempt within ${WORKER_MS / 1_000} s`)
      for (const one of sent)
        trial.check(
          !one.hasFailed() || isAgain(calls, one),
          `After ${one.words}, the event was not sent again`,
        )
    },
  ),
]
