import type { Selectable } from 'kysely'
import type { RuntimeTables } from './tables.ts'

export type OperationRow = Selectable<RuntimeTables['runtime.operation']>
