import * as z from 'zod'
import { Json, MapKey, mapOf, ServiceId } from './keys.ts'
import { listTypes } from './property-kinds.ts'

const BARE = 'Must be wrapped as Data, {"@type": "Data", "value": …}: a bare value is not accepted'
const NOT_DATA = 'Must be Data, not a reference: people set references, and plugins write only Data'

/** A wrapped business value. Its content belongs to the business, even if it looks like a wrapper itself. */
export const Data = z.strictObject(
  {
    '@type': z.literal('Data', {
      error: ({ input }) => (String(input).startsWith('ServiceReference') ? NOT_DATA : BARE),
    }),
    value: Json,
    isSensitive: z.exactOptional(z.literal(true, 'Must be true or absent')),
  },
  { error: ({ code }) => (code === 'invalid_type' ? BARE : undefined) },
)
export type Data = z.infer<typeof Data>

/** The logical name of a service; it carries no address and no key. */
export const ServiceReference = z.strictObject({
  '@type': z.literal('ServiceReference', 'Must be ServiceReference'),
  serviceId: ServiceId,
})
export type ServiceReference = z.infer<typeof ServiceReference>

/** References by business key. */
export const ServiceReferenceMap = z.strictObject({
  '@type': z.literal('ServiceReferenceMap', 'Must be ServiceReferenceMap'),
  valueMap: mapOf(MapKey, ServiceReference),
})
export type ServiceReferenceMap = z.infer<typeof ServiceReferenceMap>

/** References in order; a service may occur twice. */
export const ServiceReferenceList = z.strictObject({
  '@type': z.literal('ServiceReferenceList', 'Must be ServiceReferenceList'),
  valueList: z.array(ServiceReference, 'Must be a list of ServiceReference'),
})
export type ServiceReferenceList = z.infer<typeof ServiceReferenceList>

export const Reference = z.discriminatedUnion(
  '@type',
  [ServiceReference, ServiceReferenceMap, ServiceReferenceList],
  `Must be a ${listTypes('references')}`,
)
export type Reference = z.infer<typeof Reference>

/** What is said of a value that is none of the types. */
export const NOT_WRAPPED = `Must be wrapped as ${listTypes('all')}`

/** Any value of a property; a bare value is rejected. */
export const TypedValue = z.discriminatedUnion('@type', [Data, ...Reference.options], NOT_WRAPPED)
export type TypedValue = z.infer<typeof TypedValue>
