import type { JsonObject } from '../json-schema/json.ts'

interface KindOfProperty {
  /** The `@type` of the values. Business values are `Data`; all others are references to services. */
  type: string
  /** The schema of the business values. Without one, the manifest gives it. */
  schema?: JsonObject
}

/** What a property may contain, by kind. */
const KINDS = {
  DATA: { type: 'Data' },
  SERVICE_REFERENCE: { type: 'ServiceReference' },
  SERVICE_REFERENCE_MAP: { type: 'ServiceReferenceMap' },
  SERVICE_REFERENCE_LIST: { type: 'ServiceReferenceList' },
} as const satisfies Readonly<Record<string, KindOfProperty>>

type Kinds = typeof KINDS
export type PropertyKind = keyof Kinds
type KindWith<Row> = { [Kind in PropertyKind]: Kinds[Kind] extends Row ? Kind : never }[PropertyKind]
type DataKind = KindWith<{ type: 'Data' }>
type ReferenceKind = Exclude<PropertyKind, DataKind>
type KindNeedingSchema = Exclude<DataKind, KindWith<{ schema: unknown }>>

// the keys of the table, which nothing adds to
export const PROPERTY_KINDS = Object.keys(KINDS) as readonly PropertyKind[]

const rowOf = (kind: PropertyKind): KindOfProperty => KINDS[kind]

/** The `@type` of the values of a kind. */
export const typeOfKind = (kind: PropertyKind): string => rowOf(kind).type

/** The schema that a kind gives its business values; undefined if the manifest gives it. */
export const schemaOfKind = (kind: PropertyKind): JsonObject | undefined => rowOf(kind).schema

/** The schema of the business values of a property. */
export const valueSchema = <Schema>({
  kind,
  schema,
}: {
  kind: PropertyKind
  schema?: Schema | undefined
}): Schema | JsonObject | true => schemaOfKind(kind) ?? schema ?? true

/** Whether values of this kind are references, which people set and plugins resolve. */
export const isReferenceKind = (kind: PropertyKind): kind is ReferenceKind => typeOfKind(kind) !== 'Data'

/** Whether the manifest must give the schema of a property of this kind; otherwise it must not. */
export const needsSchema = (kind: PropertyKind): kind is KindNeedingSchema =>
  !isReferenceKind(kind) && schemaOfKind(kind) === undefined

/** The kind whose references have this `@type`. */
export function kindOfReference(type: Kinds[ReferenceKind]['type']): ReferenceKind {
  const kind = PROPERTY_KINDS.filter(isReferenceKind).find((one) => typeOfKind(one) === type)
  if (kind === undefined) throw new Error(`No kind has references of type ${type}`)
  return kind
}

/** The types of values or of references as messages list them, by default in English: `Data, ServiceReference or …`. */
export function listTypes(
  which: 'all' | 'references',
  { list, or }: { list: string; or: string } = { list: ', ', or: ' or ' },
): string {
  const kinds = which === 'all' ? PROPERTY_KINDS : PROPERTY_KINDS.filter(isReferenceKind)
  const types = [...new Set(kinds.map(typeOfKind))]
  return [types.slice(0, -1).join(list), ...types.slice(-1)].join(or)
}
