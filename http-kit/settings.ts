import * as z from 'zod'

/** A setting is invalid; the message is the one line to print, and may repeat the invalid value. */
export class SettingsError extends Error {
  override name = 'SettingsError'

  constructor(message: string, options?: ErrorOptions) {
    super(message.replaceAll(/\s+/g, ' '), options)
  }
}

// The message never repeats a value under one of these names, whatever its schema says.
const SECRET_NAME = /SECRET|PASSWORD|CREDENTIAL|TOKEN|KEY|DATABASE_URL|USERS/

/**
 * Reads the variables that the schema names. An empty variable counts as absent, as compose files leave them.
 *
 * @throws SettingsError with one line: the variable, what is allowed, its value (unless it may be a secret).
 */
export function readSettings<Schema extends z.ZodObject>(
  schema: Schema,
  env: Record<string, string | undefined>,
): z.output<Schema> {
  const present: Record<string, string> = {}
  for (const name of Object.keys(schema.shape)) {
    const value = env[name]
    if (value !== undefined && value.trim() !== '') present[name] = value.trim()
  }
  const result = schema.safeParse(present)
  if (result.success) return result.data
  throw new SettingsError(lineFor(result.error.issues[0], present))
}

function lineFor(issue: z.core.$ZodIssue | undefined, given: Record<string, string>): string {
  const name = String(issue?.path[0] ?? 'settings')
  const value = given[name]
  if (value === undefined) return `${name} is not set: ${issue?.message ?? 'it is required'}`
  const shown = SECRET_NAME.test(name) ? '' : ` (it is ${JSON.stringify(value.slice(0, 100))})`
  return `${name} is wrong: ${issue?.message ?? 'not allowed'}${shown}`
}

/** A TCP port; 0 lets the system choose. */
export function port(fallback: number) {
  const message = 'a port from 0 to 65535 is needed'
  return z
    .string()
    .regex(/^\d{1,5}$/, message)
    .transform(Number)
    .refine((value) => value <= 65535, message)
    .default(fallback)
}

/** An integer within bounds. */
export function whole(fallback: number, { min, max }: { min: number; max: number }) {
  const message = `a whole number from ${min} to ${max} is needed`
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .default(fallback)
}

/** An origin such as `https://console.example.org`: no path, query, fragment or user. */
export const originUrl = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : null
  const isOrigin =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    url.username + url.password + url.search + url.hash === ''
  if (isOrigin) return url.origin
  context.addIssue({ code: 'custom', message: 'an origin like https://console.example.org is needed' })
  return z.NEVER
})

/** A comma-separated list; whitespace around items and empty items are dropped. */
export const csv = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)

/** An optional secret; null if absent. */
export const optionalSecret = z
  .string()
  .min(8, 'a secret needs at least 8 characters')
  .nullable()
  .default(null)
