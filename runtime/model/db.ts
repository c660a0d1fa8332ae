import type { Kysely, Transaction } from 'kysely'
import type { RuntimeTables } from './tables.ts'

export type Db = Kysely<RuntimeTables>

export type Tx = Transaction<RuntimeTables>
