import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { fileVariable, findMisspeltVariable, SECRET_VARIABLES } from './known-variables.ts'

/** A setting is invalid; the message is the one line to print, and may repeat the invalid value. */
export class SettingsError extends Error {
  override name = 'SettingsError'

  constructor(message: string, options?: ErrorOptions) {
    super(message.replaceAll(/\s+/g, ' '), options)
  }
}

// The message never repeats a value under one of these names, whatever its schema says, nor a URL with a user and password.
const URL_WITH_USER = /:\/\/[^/]*@/
const SECRET_NAME = /SECRET|PASSWORD|CREDENTIAL|TOKEN|KEY|DATABASE_URL|USERS/

/** The URL of an API, to which paths are appended; without the slashes at its end. */
export const apiBase = (error: string) =>
  z
    .url({ protocol: /^https?$/, error })
    .refine((text) => !/[@?#]/.test(text), 'must be a URL without user, query and fragment')
    .transform((text) => text.replace(/\/+$/, ''))
    .refine((text) => !text.endsWith('/bundle-runtime/api'), 'must be without /bundle-runtime/api at its end')

/**
 * A JSON list of entries. The message says the `shape`, and which entry and field are wrong, but never a value.
 */
export const jsonList = <Entry extends z.ZodType>(entry: Entry, shape: string) =>
  z.string().transform((text, context): z.output<Entry>[] => {
    const refuse = (message: string): never => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    let json: unknown
    try {
      json = parseStrictJson(text)
    } catch (error) {
      if (!(error instanceof StrictJsonError)) throw error
      return refuse(`${shape}; ${error.messageWithoutPath}`)
    }
    const list = z.array(entry).safeParse(json)
    if (list.success) return list.data
    const [issue] = list.error.issues
    const [index, ...field] = issue?.path ?? []
    if (issue === undefined || typeof index !== 'number') return refuse(shape)
    // its name is not said: a secret may have been entered as one
    const what = issue.code === 'unrecognized_keys' ? 'has an unknown field' : 'is wrong'
    const where = field.length === 0 ? '' : ` at ${field.join('.')}`
    return refuse(`${shape}; entry ${index + 1} ${what}${where}`)
  })

/**
 * Reads the variables that the schema names. An empty variable counts as absent, as compose files leave them. A secret
 * may come from the file that its variable with `_FILE` names, as container platforms mount secrets.
 *
 * @throws SettingsError with one line: the variable, what is allowed, its value (unless it may be a secret). A variable
 *   that is probably a misspelt setting is refused too: its value would be ignored without notice.
 */
export function readSettings<Schema extends z.ZodObject>(
  schema: Schema,
  env: Record<string, string | undefined>,
): z.output<Schema> {
  refuseMisspelt(env)
  refuseUnusableAuthorities(env)
  const present: Record<string, string> = {}
  for (const name of Object.keys(schema.shape)) {
    const value = secretFromFile(env, name) ?? valueOf(env, name)
    if (value !== undefined) present[name] = value
  }
  const result = schema.safeParse(present)
  if (result.success) return result.data
  throw new SettingsError(lineFor(result.error.issues[0], present, env))
}

function refuseMisspelt(env: Record<string, string | undefined>): void {
  const misspelt = findMisspeltVariable(env)
  if (misspelt === null) return
  const { name, nearest } = misspelt
  throw new SettingsError(
    `${name} is not a setting${nearest === null ? '' : `; the nearest is ${nearest}`}. Correct the name, or remove the variable`,
  )
}

const PEM_CERTIFICATES = /(?<!-)(?=-----BEGIN (?:\w+ )?CERTIFICATE-----)/

/**
 * Node starts with any file: it says nothing of one without a certificate in PEM form, skips those that are marked as
 * trusted, and reads none from the first that is broken.
 */
function refuseUnusableAuthorities(env: Record<string, string | undefined>): void {
  const file = valueOf(env, 'NODE_EXTRA_CA_CERTS')
  if (file === undefined) return
  const subject = `NODE_EXTRA_CA_CERTS is wrong: ${file}`
  let text
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new SettingsError(`${subject} ${whyUnreadable(error)}`)
  }
  const [, ...certificates] = `\n${text}`.split(PEM_CERTIFICATES)
  if (certificates.length === 0)
    throw new SettingsError(
      `${subject} has no certificate in PEM form; convert one in DER form with "openssl x509 -inform der"`,
    )
  const broken = certificates.findIndex((certificate) => !isUsableAuthority(certificate))
  if (broken >= 0)
    throw new SettingsError(
      `${subject} has a certificate that Node would ignore, number ${broken + 1}; convert it with "openssl x509", and begin each on a new line`,
    )
}

function isUsableAuthority(pem: string): boolean {
  try {
    void new X509Certificate(pem)
    return !pem.startsWith('-----BEGIN TRUSTED')
  } catch {
    return false
  }
}

function valueOf(env: Record<string, string | undefined>, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

/** The variable to correct if a setting is wrong: the one with `_FILE` if that names the file of a secret. */
export function variableOf(env: Record<string, string | undefined>, name: string): string {
  const isSecret = SECRET_VARIABLES.some((secret) => secret === name)
  return isSecret && valueOf(env, fileVariable(name)) !== undefined ? fileVariable(name) : name
}

function secretFromFile(env: Record<string, string | undefined>, name: string): string | undefined {
  const variable = variableOf(env, name)
  const file = variable === name ? undefined : valueOf(env, variable)
  if (file === undefined) return undefined
  if (valueOf(env, name) !== undefined)
    throw new SettingsError(`${variable} is wrong: ${name} is set too; remove one of them`)
  let text
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new SettingsError(`${variable} is wrong: the file ${file} ${whyUnreadable(error)}`)
  }
  if (text === '') throw new SettingsError(`${variable} is wrong: the file ${file} is empty`)
  return text
}

/** Why a file that a setting names cannot be read, to follow its name. A file that is there must not be replaced. */
export function whyUnreadable(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'does not exist'
    case 'EISDIR':
      return 'is a directory; name a file'
    case 'EACCES':
      return 'cannot be read by the user of this program; change the owner of the file, or of the directories above it'
    default:
      return 'cannot be read'
  }
}

/** Says in one line why a file that a command writes cannot be written; passes every other error on. */
export function explainFailedWrite(file: string) {
  return (error: unknown): never => {
    const why = WHY_NOT_WRITTEN[(error as NodeJS.ErrnoException).code ?? '']
    if (why === undefined) throw error
    // without the cause, by which a full disk would be taken for that of the database
    throw new SettingsError(`${file} ${why}`)
  }
}

const WHY_NOT_WRITTEN: Record<string, string> = {
  EEXIST: 'exists; name a new file',
  EISDIR: 'is a directory; name a file',
  ENOENT: 'cannot be written: there is no such directory; create it, or name another file',
  EACCES: 'cannot be written by the user of this program; change the owner of the directory',
  EROFS: 'cannot be written: its file system is read-only; name another file',
  ENOSPC: 'cannot be written: its disk is full; free some space, or name another file',
  EDQUOT: 'cannot be written: the quota of its disk is used up; free some space, or name another file',
}

function lineFor(
  issue: z.core.$ZodIssue | undefined,
  given: Record<string, string>,
  env: Record<string, string | undefined>,
): string {
  const name = String(issue?.path[0] ?? 'settings')
  const value = given[name]
  if (value === undefined) return `${name} is not set: ${issue?.message ?? 'it is required'}`
  const isSecret = SECRET_NAME.test(name) || URL_WITH_USER.test(value)
  const shown = isSecret ? '' : ` (it is ${JSON.stringify(value.slice(0, 100))})`
  return `${variableOf(env, name)} is wrong: ${issue?.message ?? 'not allowed'}${shown}`
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
export function whole(fallback: number, bounds: { min: number; max: number }) {
  return wholeNumber(bounds).default(fallback)
}

/** An integer within bounds, or nothing. */
export function wholeIfSet(bounds: { min: number; max: number }) {
  return wholeNumber(bounds).optional()
}

function wholeNumber({ min, max }: { min: number; max: number }) {
  const message = `a whole number from ${min} to ${max} is needed`
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
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

/**
 * The credential of the runtime API: one value, or two with a comma between them while it is changed. The first is the
 * one that a console sends; a runtime accepts both. Empty if absent.
 */
export const credentials = csv
  .refine((items) => items.length <= 2, 'at most two credentials are possible, with a comma between them')
  .refine((items) => items.every((item) => item.length >= 8), 'a secret needs at least 8 characters')
  .refine(
    (items) => items.every((item) => /^[A-Za-z0-9._~+/=-]{1,4096}$/.test(item)),
    'only letters, digits and . _ ~ + / = - are possible in it',
  )
  .default([])

/** An optional secret; null if absent. */
export const optionalSecret = z
  .string()
  .min(8, 'a secret needs at least 8 characters')
  .nullable()
  .default(null)
