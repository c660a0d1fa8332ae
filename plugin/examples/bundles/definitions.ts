import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'

type Place = { group?: string; order?: number; required?: boolean }
type Schema = JsonObject & { title: string; description?: string }

/** A business value; `default` is what INSTALL uses when none is given. */
export const data = (schema: Schema, place: Place & { default?: JsonValue } = {}): PropertyDefinition => ({
  kind: 'DATA',
  schema,
  ...place,
})

/** A business value that nobody ever sees again once it is saved. */
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

/** The protected property: the runtime writes the bundleInstallId here, and nobody else ever. */
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

/** The zone in which a TIMER's fields are read. */
export const timeZone: PropertyDefinition = data(
  {
    type: 'string',
    title: 'Time zone',
    description: 'A name of the IANA time zone database, such as Europe/Berlin.',
    pattern: '^[A-Za-z]+(?:[/_+-][A-Za-z0-9]+)*$',
    maxLength: 64,
  },
  { group: 'Schedule', order: 2, default: 'UTC' },
)

export const enabled: PropertyDefinition = data(
  {
    type: 'boolean',
    title: 'Enabled',
    description: 'When off, the schedule is kept but nothing is started.',
  },
  { group: 'Schedule', order: 3, default: true },
)

/** The name under which a GATEWAY answers. */
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

/** What the tenant provisioner reads, and what it writes back. */
export const tenantProperties: Record<string, PropertyDefinition> = {
  displayName: data(
    {
      type: 'string',
      title: 'Display name',
      description: 'How the business system names this tenant to its users.',
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
      description: 'Decides which features the tenant has.',
    },
    { group: 'Tenant', order: 2, required: true, default: 'starter' },
  ),
  seats: data(
    {
      type: 'integer',
      title: 'Seats',
      description: 'How many people may work in the tenant at most.',
      minimum: 1,
      maximum: 10000,
    },
    { group: 'Tenant', order: 3, default: 5 },
  ),
  tenantId: data(
    { type: 'string', title: 'Tenant', description: 'Given by the tenant provisioner.' },
    { group: 'Tenant', order: 4 },
  ),
  accessToken: secret(
    {
      type: 'string',
      title: 'Access token',
      description: 'Issued by the tenant provisioner for this installation alone.',
    },
    { group: 'Tenant', order: 5 },
  ),
}

/** The lists with which a bundle's author admits the tenant provisioner to a Module. */
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

/** The properties but for those named: how a later version drops some. */
export const without = (
  properties: Record<string, PropertyDefinition>,
  ...names: string[]
): Record<string, PropertyDefinition> =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))
