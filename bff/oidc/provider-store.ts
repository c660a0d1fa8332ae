import { errors } from 'oidc-provider'
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'
import { hashOf } from '#http-kit/random.ts'
import { consumeRecord, deleteRecord, findRecord, upsertRecord } from '../store/idp-records.ts'
import type { FoundRecord } from '../store/idp-records.ts'
import type { BffDb } from '../store/tables.ts'

const DAY_SECONDS = 86_400
/** What the library reads from the clock of its machine. */
const TIMES: ReadonlySet<string> = new Set(['iat', 'exp', 'loginTs', 'authTime'])

/**
 * Stores the identity provider's records in the database. Browsers and clients present the ids (a code, a
 * token, the cookie of a sign-in in progress), so only their hashes are stored, and the payload omits them. The
 * `uid` of a session is stored as is: records refer to each other by it, and no client presents it. Times are stored by the clock that
 * all replicas share, because the steps of one sign-in may reach several of them.
 *
 * @param lateSeconds how far the clock of this machine is behind that one.
 */
export function createAdapter(db: BffDb, lateSeconds: () => number): AdapterFactory {
  const read = (record: FoundRecord | null, jti: string): AdapterPayload | undefined => {
    const payload = payloadOf(record, jti)
    return payload && withTimes(payload, -lateSeconds())
  }
  return (kind): Adapter => {
    const idHashOf = (id: string): Buffer => hashOf(`${kind}:${id}`)
    return {
      async upsert(id, { jti: _jti, ...given }, expiresInSeconds = DAY_SECONDS) {
        const payload = withTimes(withoutId(given, id), lateSeconds())
        const { grantId = null, uid = null } = payload
        await upsertRecord(db, { idHash: idHashOf(id), kind, payload, grantId, uid, expiresInSeconds })
      },
      async find(id) {
        return read(await findRecord(db, { idHash: idHashOf(id) }), id)
      },
      async findByUid(uid) {
        // the caller needs only its existence and owner; the id is neither known nor needed
        return read(await findRecord(db, { kind, uid }), '')
      },
      async findByUserCode() {
        return undefined
      },
      async consume(id) {
        const isFirst = await consumeRecord(db, idHashOf(id))
        if (!isFirst) throw new errors.InvalidGrant('the code was already used')
      },
      async destroy(id) {
        await deleteRecord(db, { idHash: idHashOf(id) })
      },
      async revokeByGrantId(grantId) {
        await deleteRecord(db, { grantId })
      },
    }
  }
}

function payloadOf(record: FoundRecord | null, jti: string): AdapterPayload | undefined {
  if (record === null) return undefined
  const consumed = record.consumedAt === null ? {} : { consumed: record.consumedAt }
  return { ...withId(record.payload, jti), jti, ...consumed }
}

function withTimes(payload: AdapterPayload, addedSeconds: number): AdapterPayload {
  const added = Math.round(addedSeconds)
  const entries = Object.entries(payload).map(([name, value]: [string, unknown]) => [
    name,
    TIMES.has(name) && typeof value === 'number' ? value + added : value,
  ])
  // with the same names and types
  return Object.fromEntries(entries) as AdapterPayload
}

/** The address at which a sign-in continues ends with its id. */
function withoutId(payload: AdapterPayload, id: string): AdapterPayload {
  const { returnTo } = payload
  return returnTo?.endsWith(id) === true ? { ...payload, returnTo: returnTo.slice(0, -id.length) } : payload
}

function withId(payload: AdapterPayload, id: string): AdapterPayload {
  const { returnTo } = payload
  return returnTo?.endsWith('/') === true ? { ...payload, returnTo: returnTo + id } : payload
}
