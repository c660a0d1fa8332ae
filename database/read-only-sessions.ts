import type pg from 'pg'

/**
 * A session stays read-only after the database no longer is, if it was opened on a standby or under a setting. So when
 * a session rejects a write, it and all other sessions of its pool are closed: idle ones now, others when they are
 * released.
 *
 * Returns the function to call for each such error.
 */
export function replaceReadOnlySessions(pool: pg.Pool): (client: pg.PoolClient, refusal: Error) => void {
  const generations = new WeakMap<pg.PoolClient, number>()
  const released = new WeakSet<pg.PoolClient>()
  let generation = 0
  pool.on('connect', (client) => generations.set(client, generation))
  pool.on('release', (_, client) => {
    released.add(client)
    if (generations.get(client) !== generation) void client.end()
  })
  return (client, refusal) => {
    if (released.has(client)) refusals.add(refusal)
    generation++
    for (let idle = pool.idleCount; idle > 0; idle--) discardOne(pool)
  }
}

const refusals = new WeakSet<Error>()

/** Whether an old session rejected a write as read-only, so that a new session may well accept it. */
export function isRefusedByOldSession(error: unknown): boolean {
  return error instanceof Error && refusals.has(error)
}

function discardOne(pool: pg.Pool): void {
  pool.connect().then(
    (client) => client.release(true),
    // the next user of the pool hits the same error and reports it
    () => undefined,
  )
}
