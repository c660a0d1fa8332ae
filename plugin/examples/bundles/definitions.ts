import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'

type Place = { group?: string; order?: number; required?: boolean }
type Schema = JsonObject & { title: string; description?: string }

/** A business value; INSTALL uses `default` if none is given. */
export const data = (schema: Schema, place: Place & { default?: JsonValue } = {}): PropertyDefinition => ({
  kind: 'DATA',
  schema,
  ...place,
})

/** A business value that is never shown again once it is saved. */
export const secret = (schema: Schema, place: Place = {}): PropertyDefinition => ({
  kind: 'DATA',
  schema,
  isSensitive: true,
  ...place,
})

export const service = (place: Place = {}): PropertyDefinition => ({ kind: 'SERVICE_REFERENCE', ...place })
export const serviceMap = (place: Place = {}): PropertyDefinition => ({
  kind: 'SERVICE_REFERENCE_MAP',
  ...place,
})
export const serviceList = (place: Place = {}): PropertyDefinition => ({
  kind: 'SERVICE_REFERENCE_LIST',
  ...place,
})

/** The protected property: only the runtime writes the bundleInstallId here. */
export const instanceRef: PropertyDefinition = data(
  { type: 'string', title: 'Instance', description: 'The installation that this Module belongs to.' },
  { group: 'Identity', order: 1 },
)

/** When a TIMER fires. */
export const cron = (title: string, whenAbsent: string): PropertyDefinition =>
  data(
    {
      type: 'string',
      format: 'cron',
      title,
      description: 'Five fields: minute, hour, day of month, month, day of week.',
      maxLength: 100,
    },
    { group: 'Schedule', order: 1, required: true, default: whenAbsent },
  )

/** The time zone of a TIMER's fields. */
export const timeZone: PropertyDefinition = data(
  {
    type: 'string',
    format: 'time-zone',
    title: 'Time zone',
    description: 'A name of the IANA time zone database, such as Europe/Berlin.',
    maxLength: 64,
  },
  { group: 'Schedule', order: 2, default: 'UTC' },
)

export const enabled: PropertyDefinition = data(
  {
    type: 'boolean',
    title: 'Enabled',
    description: 'If off, the schedule is kept but nothing is started.',
  },
  { group: 'Schedule', order: 3, default: true },
)

/** The name under which a GATEWAY is reachable. */
export const domain = (title: string): PropertyDefinition =>
  data(
    {
      type: 'string',
      format: 'hostname',
      title,
      description: 'A full domain name without scheme or path. Its DNS record must point to the gateway.',
      minLength: 4,
      maxLength: 253,
    },
    { group: 'Address', order: 1, required: true },
  )

/** The properties that the tenant provisioner reads and writes. */
export const tenantProperties: Record<string, PropertyDefinition> = {
  displayName: data(
    {
      type: 'string',
      title: 'Display name',
      description: 'The name of the tenant as users see it in the business system.',
      minLength: 1,
      maxLength: 80,
    },
    { group: 'Tenant', order: 1, required: true },
  ),
  plan: data(
    {
      type: 'string',
      enum: ['starter', 'team', 'enterprise'],
      title: 'Plan',
      description: 'Determines the features of the tenant.',
    },
    { group: 'Tenant', order: 2, required: true, default: 'starter' },
  ),
  seats: data(
    {
      type: 'integer',
      title: 'Seats',
      description: 'Maximum number of people in the tenant.',
      minimum: 1,
      maximum: 10000,
    },
    { group: 'Tenant', order: 3, default: 5 },
  ),
  tenantId: data(
    { type: 'string', title: 'Tenant', description: 'Assigned by the tenant provisioner.' },
    { group: 'Tenant', order: 4 },
  ),
  accessToken: secret(
    {
      type: 'string',
      title: 'Access token',
      description: 'Issued by the tenant provisioner for this installation only.',
    },
    { group: 'Tenant', order: 5 },
  ),
}

/** The lists with which a bundle's author authorizes the tenant provisioner on a Module. */
export const tenantAuthorization = (moduleId: string) => ({
  object: { type: 'MODULE' as const, moduleId },
  readProperties: ['displayName', 'plan', 'seats', 'tenantId'],
  writeProperties: ['tenantId', 'accessToken'],
  credentialProperties: [],
})

/** One row of a bundle's plugin list. */
export const plugin = <Resources>(
  pluginId: string,
  order: number,
  resources: Resources,
  values: JsonObject = {},
) => ({
  pluginId,
  order,
  failurePolicy: 'FAIL_FAST' as const,
  configuration: { schemaVersion: '1.0.0', values },
  resources,
})

/** The properties without the named ones: how a later version drops some. */
export const without = (
  properties: Record<string, PropertyDefinition>,
  ...names: string[]
): Record<string, PropertyDefinition> =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))
