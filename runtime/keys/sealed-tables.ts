import { parseTrustedJson } from '#contract/protocol/strict-json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { FrozenPlan, Writes, StoredValue } from '../model/plan.ts'
import { changeRow, readPage, WALKED_TABLES } from '../store/sealing-passes.ts'
import type { ColumnChange, WalkedRow, WalkedTable } from '../store/sealing-passes.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import {
  addressPlace,
  batchPlace,
  changeRequestPlace,
  webhookPlace,
  configurationPlace,
  mapLedger,
  mapPlan,
  mapWrites,
  requestPlace,
  snapshotPlace,
} from '../sealing/places.ts'
import { resealingWith, DoesNotOpen, opening, UnknownDataKey, keyIdOf } from '../sealing/sealed-value.ts'
import type { ValueChange } from '../sealing/sealed-value.ts'
import type { Place, Vault } from '../model/vault.ts'

/** A table that holds sealed values. */
export interface SealedTable {
  name: string
  /** Seals a page of rows with the current key; `last` is null at the end of the table. */
  resealPage(
    deps: Pick<RuntimeDeps, 'db' | 'vault' | 'log'>,
    after: readonly string[] | null,
    limit: number,
  ): Promise<{ last: readonly string[] | null; unopened: number }>
}

type Reseal = ValueChange<StoredValue, StoredValue>

const configuration = sealedTable<{ value: string; is_sensitive: boolean }>(
  WALKED_TABLES.configuration,
  ({ row_key: [scopeId = '', locator = '', property = ''], value, is_sensitive: isSensitive }, vault) => [
    inJson<StoredValue>(vault, { column: 'value', type: 'jsonb', text: value }, (stored, reseal) =>
      reseal(stored, configurationPlace(Number(scopeId), locator, property), { isSensitive }),
    ),
  ],
)

const history = sealedTable<{ before: string | null; after: string | null; is_sensitive: boolean }>(
  WALKED_TABLES.history,
  ({ row_key: [scopeId, snapshotVersion, locator = '', property = ''], ...row }, vault) =>
    (['before', 'after'] as const).map((side) =>
      inJson<StoredValue>(vault, { column: side, type: 'jsonb', text: row[side] }, (stored, reseal) => {
        const key = {
          scopeId: Number(scopeId),
          snapshotVersion: Number(snapshotVersion),
          locator,
          property,
        }
        return reseal(stored, snapshotPlace(key, side), { isSensitive: row.is_sensitive })
      }),
    ),
)

const ledger = sealedTable<{ properties: string; definitions: Record<string, PropertyDefinition> }>(
  WALKED_TABLES.ledger,
  ({ row_key: [bundleInstallId = '', locator = ''], properties, definitions }, vault) => [
    inJson<Record<string, StoredValue>>(
      vault,
      { column: 'properties', type: 'jsonb', text: properties },
      (stored, reseal) => mapLedger({ bundleInstallId, locator }, stored, reseal, definitions),
    ),
  ],
)

const plans = sealedTable<{ plan: string }>(
  WALKED_TABLES.plans,
  ({ row_key: [operationId = ''], plan }, vault) => [
    inJson<FrozenPlan<StoredValue>>(vault, { column: 'plan', type: 'json', text: plan }, (stored, reseal) =>
      mapPlan(operationId, stored, reseal),
    ),
  ],
)

const calls = sealedTable<{ writes: string | null; request: Buffer | null; call_stage: Stage }>(
  WALKED_TABLES.calls,
  ({ row_key: [operationId = '', , pluginId = ''], call_stage: stage, writes, request }, vault) => {
    const key = { operationId, stage, pluginId }
    return [
      inJson<Writes<StoredValue>>(vault, { column: 'writes', type: 'json', text: writes }, (stored, reseal) =>
        mapWrites(key, stored, reseal),
      ),
      inBytes(vault, 'request', request, requestPlace(key)),
    ]
  },
)

const batches = sealedTable<{ input: Buffer }>(
  WALKED_TABLES.batches,
  ({ row_key: [batchId = ''], input }, vault) => [inBytes(vault, 'input', input, batchPlace(batchId))],
)

const changeRequests = sealedTable<{ content: Buffer | null }>(
  WALKED_TABLES.changeRequests,
  ({ row_key: [id = ''], content }, vault) => [inBytes(vault, 'content', content, changeRequestPlace(id))],
)

const webhooks = sealedTable<{ secret: Buffer; address: Buffer | null }>(
  WALKED_TABLES.webhooks,
  ({ row_key: [webhookId = ''], secret, address }, vault) => [
    inBytes(vault, 'secret', secret, webhookPlace(webhookId)),
    inBytes(vault, 'address', address, addressPlace(webhookId)),
  ],
)

/** Every table that may hold a sensitive value. */
export const SEALED_TABLES: readonly SealedTable[] = [
  configuration,
  ledger,
  history,
  plans,
  calls,
  batches,
  changeRequests,
  webhooks,
]

function sealedTable<Columns>(
  table: WalkedTable,
  changesOf: (row: WalkedRow<Columns>, vault: Vault) => (ColumnChange | null)[],
): SealedTable {
  return {
    name: table.name,
    async resealPage({ db, vault, log }, after, limit) {
      const rows = await readPage<Columns>(db, table, after, limit)
      let unopened = 0
      for (const row of rows) {
        try {
          const changes = await opening(vault, db, () => changesOf(row, vault))
          for (const change of changes) if (change !== null) await changeRow(db, table, row.row_key, change)
        } catch (error) {
          if (!(error instanceof DoesNotOpen || error instanceof UnknownDataKey)) throw error
          unopened++
          log.error('a sealed value does not open and is left unchanged', { table: table.name }, error)
        }
      }
      const end = rows.at(-1)
      // a page that is full of values ends before what was found
      const isLast = end === undefined || (end.found === rows.length && end.found < limit)
      return { last: isLast ? null : end.row_key, unopened }
    },
  }
}

/** Null if nothing changes. */
function inJson<Stored>(
  vault: Vault,
  { column, type, text }: { column: string; type: 'json' | 'jsonb'; text: string | null },
  map: (stored: Stored, reseal: Reseal) => Stored,
): ColumnChange | null {
  if (text === null) return null
  const reseal = resealingWith(vault)
  let isChanged = false
  // the column is read as text, so that it can be compared with its stored text
  const mapped = map(parseTrustedJson(text) as Stored, (value, place, definition) => {
    const resealed = reseal(value, place, definition)
    if (resealed !== value) isChanged = true
    return resealed
  })
  return isChanged ? { column, type, from: text, to: JSON.stringify(mapped) } : null
}

/** A value that is not sealed yet is JSON, which never starts like sealed bytes. */
function inBytes(vault: Vault, column: string, bytes: Buffer | null, place: Place): ColumnChange | null {
  const keyId = bytes === null ? null : keyIdOf(bytes)
  if (bytes === null || keyId === vault.currentKeyId()) return null
  const plain = keyId === null ? bytes : vault.open(bytes, place)
  return { column, type: 'bytea', from: bytes, to: vault.seal(plain, place) }
}
