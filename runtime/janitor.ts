import { keepSigningKey } from './store/signing-keys/keep-signing-key.ts'
import { pruneEvents } from './store/events/prune-events.ts'
import { pruneKeys } from './store/idempotency/prune-keys.ts'
import type { PublicKey } from './references/signer.ts'
import type { World } from './world.ts'

const EVERY_MS = 10 * 60_000
/** Small, so that no statement holds many locks for long. */
const BATCH = 5_000

/** Keeps this replica's signing key known, and deletes what nobody asks for any more, from time to time until stopped. */
export function startJanitor(world: World, publicKey: PublicKey): { stop(): Promise<void> } {
  const stopped = new AbortController()
  const clean = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await world.clock.sleep(EVERY_MS, stopped.signal).catch(() => undefined)
      if (stopped.signal.aborted) return
      await round(world, publicKey, stopped.signal).catch((error: unknown) =>
        world.log.warn('old rows could not be deleted', {}, error),
      )
    }
  }
  const cleaning = clean()
  return {
    async stop() {
      stopped.abort()
      await cleaning
    },
  }
}

async function round({ db }: World, publicKey: PublicKey, signal: AbortSignal): Promise<void> {
  await keepSigningKey(db, publicKey)
  for (const prune of [pruneEvents, pruneKeys]) {
    let deleted = BATCH
    while (deleted === BATCH && !signal.aborted) deleted = await prune(db, BATCH)
  }
}
