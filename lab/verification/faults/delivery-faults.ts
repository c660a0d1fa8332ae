import { wrapData } from '#contract/protocol/data.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { done, fault, kind, timedOut, unknown, unreachable, withData, writing } from './fault.ts'
import type { CallContext, Kind } from './fault.ts'

// Kinds 32 to 36: requests and responses that arrive twice, late or changed, and a plugin that loses its memory.

async function answerAfterLoss({ loseLease, json }: CallContext, answer: JsonObject): Promise<void> {
  await loseLease()
  json(answer)
}

/** A response that the plugin would not give to a retry. */
const differentAnswer = ({ act }: CallContext): JsonObject =>
  withData(act(), (data) => writing(data, { ...wrapData('not in the answer to a repeat') }))

export const DELIVERY_KINDS: readonly Kind[] = [
  kind(
    32,
    'duplicate delivery',
    fault('the network delivers it twice', done, ({ act, json }) => {
      const first = act()
      act()
      json(first)
    }),
  ),
  kind(
    33,
    'delayed delivery',
    fault('arrives after the end', timedOut, ({ ended, act }) => ended.then(() => act())),
  ),
  kind(
    34,
    'late answer',
    fault('after the timeout', timedOut, async ({ act, ended, json }) => {
      const answer = act()
      await ended
      json(answer)
    }),
    fault('after the lease was lost', { as: 'late' }, (context) => answerAfterLoss(context, context.act())),
  ),
  kind(
    35,
    'different answer on replay',
    fault('the first answer comes late', { as: 'late' }, (context) =>
      answerAfterLoss(context, differentAnswer(context)),
    ),
    fault('the first answer is lost', unknown, (context) =>
      context.socket.end(JSON.stringify(differentAnswer(context)).slice(0, 10)),
    ),
  ),
  kind(
    36,
    'effect done, plugin forgot',
    fault('restarted before it answered', unreachable, ({ act, forget, socket }) => {
      act()
      forget()
      socket.resetAndDestroy()
    }),
  ),
]
