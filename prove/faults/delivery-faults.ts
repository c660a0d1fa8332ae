import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { done, uncertain } from './fault.ts'
import type { Kind, Wire } from './fault.ts'

// Kinds 32 to 36: requests and answers that come twice, late or different, and a plugin without memory.

const timedOut = uncertain('PLUGIN_TIMEOUT')
const unreachable = uncertain('PLUGIN_UNREACHABLE')

async function lateAfterLoss(wire: Wire, answer: JsonObject): Promise<void> {
  await wire.loseLease()
  wire.json(answer)
}

export const DELIVERY_KINDS: readonly Kind[] = [
  {
    number: 32,
    name: 'duplicate delivery',
    faults: [
      {
        name: 'the network sends it twice',
        how: {
          strike: (wire) => {
            const first = wire.act()
            wire.act()
            wire.json(first)
          },
        },
        means: done,
      },
    ],
  },
  {
    number: 33,
    name: 'delayed delivery',
    faults: [
      {
        name: 'lands when all is over',
        how: { strike: (wire) => wire.ended.then(() => wire.act()) },
        means: timedOut,
        isSlow: true,
      },
    ],
  },
  {
    number: 34,
    name: 'late answer',
    faults: [
      {
        name: 'after the time-out',
        how: {
          strike: async (wire) => {
            const answer = wire.act()
            await wire.ended
            wire.json(answer)
          },
        },
        means: timedOut,
        isSlow: true,
      },
      {
        name: 'after the lease was lost',
        how: { strike: (wire) => lateAfterLoss(wire, wire.act()) },
        means: { as: 'late' },
      },
    ],
  },
  {
    number: 35,
    name: 'different answer on replay',
    faults: [
      {
        name: 'the first answer comes late',
        how: { strike: (wire) => lateAfterLoss(wire, writing(wire.act(), 'what the replay does not say')) },
        means: { as: 'late' },
      },
      {
        name: 'the first answer is lost',
        how: {
          strike: (wire) => {
            const lost = JSON.stringify(writing(wire.act(), 'what the replay does not say'))
            wire.socket.end(lost.slice(0, 10))
          },
        },
        means: uncertain('PLUGIN_RESULT_UNKNOWN'),
      },
    ],
  },
  {
    number: 36,
    name: 'effect done, plugin forgot',
    faults: [
      {
        name: 'restarted before it answered',
        how: {
          strike: (wire) => {
            wire.act()
            wire.forget()
            wire.socket.resetAndDestroy()
          },
        },
        means: unreachable,
      },
    ],
  },
]

function writing(envelope: JsonObject, value: string): JsonObject {
  const data = envelope['data'] ?? null
  if (!isJsonObject(data)) return envelope
  const resources = Object.keys(Object(data['resources'])).map((locator) => [
    locator,
    { tenantId: { '@type': 'Data', value } },
  ])
  return { ...envelope, data: { ...data, resources: Object.fromEntries(resources) } }
}
