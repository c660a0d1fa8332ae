import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import * as z from 'zod'
import { isJsonObject } from '../../../contract/json-schema/json.ts'
import type { JsonValue } from '../../../contract/json-schema/json.ts'
import { StrictJsonError } from '../../../contract/protocol/json-text-problem.ts'
import { ErrorCode } from '../../../contract/protocol/envelope.ts'
import { Key, mapOf, ResourceLocator } from '../../../contract/protocol/keys.ts'
import { PluginConfiguration } from '../../../contract/protocol/authorization.ts'
import { parseStrictJson } from '../../../contract/protocol/strict-json.ts'
import type { StrictJsonLimits } from '../../../contract/protocol/limits.ts'
import { Resource, Scenario } from './scenarios.ts'

/** What a service of the checker answers to one method. */
const ServiceAnswer = z.strictObject({
  status: z.number().int().min(200).max(599).default(200),
  /** JSON; default: an envelope of a success without data. */
  body: z.json().optional(),
})

/** Two addresses of the plugin, or of a stub behind it, to which the checker sends a POST. */
const Control = z.strictObject({
  begin: z.url({ protocol: /^https?$/ }),
  end: z.url({ protocol: /^https?$/ }),
})

/** With which a plugin calls the platform if no profile names another one. */
export const DEFAULT_CREDENTIAL = 'plugin-check-credential'

/** What the checker must know about a plugin. */
export const Profile = z.strictObject({
  $schema: z.string().optional(),
  pluginId: Key,
  /** The version of the plugin that is tested, for the report. */
  version: Key.optional(),
  resources: mapOf(ResourceLocator, Resource),
  /** The event methods of the services that the references name. */
  events: mapOf(Key, z.array(Key)).default({}),
  /** What the services that the references name answer, by service ID and method, beside the methods of `events`. */
  services: mapOf(Key, mapOf(Key, ServiceAnswer)).default({}),
  configuration: PluginConfiguration.default({ schemaVersion: '1.0.0', values: {} }),
  /** False: the plugin accepts calls from anyone, so nothing about tokens is tested. */
  verifiesTokens: z.boolean().default(true),
  /** True: INSTALL resolves every reference of the profile. */
  resolvesReferences: z.boolean().default(false),
  /** The credential with which the plugin calls resolve. */
  credential: z.string().min(1).max(4096).default(DEFAULT_CREDENTIAL),
  /**
   * What to do about each error code, as in the registration of the plugin. Then every code that the plugin answers must have
   * an entry.
   */
  runbooks: z.array(z.looseObject({ errorCode: ErrorCode })).optional(),
  /** Codes that the plugin may answer, and that no case causes. */
  errorCodes: z.array(ErrorCode).default([]),
  /**
   * An address that returns the business state as JSON. `{bundleInstallId}` in it is replaced; without it, only those
   * items of a list count that contain the installation.
   */
  state: z.string().optional(),
  /** How the checker starts the plugin, so that it can kill and restart it. */
  start: z
    .strictObject({
      /** `{platform}` is replaced by the address of the checker's platform, `{credential}` by the credential. */
      command: z.array(z.string()).min(1),
      env: z.record(z.string(), z.string()).default({}),
      readyWithinMs: z.number().int().min(1).max(120_000).default(15_000),
    })
    .optional(),
  /** Operations of the author's own, with what they must lead to. */
  scenarios: z.array(Scenario).default([]),
  /** How the checker makes the plugin fail for a while, and makes it slow: at least 300 ms between the beginning of a call and its effect. */
  provoke: z.strictObject({ temporaryFailure: Control.optional(), slow: Control.optional() }).default({}),
  /** How long a call may answer UNKNOWN or a failure that is retried before its result is definite. */
  settlesWithinMs: z.number().int().min(100).max(300_000).default(3_000),
  /** How long the runtime waits for one call; default 30 s. */
  timeoutMs: z.number().int().min(100).max(300_000).default(30_000),
})
export type Profile = z.infer<typeof Profile>

/** A mistake of the person who started the checker: told with what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Reads a profile from a file. Throws a UsageError. */
export function readProfile(file: string): Profile {
  const json = readJsonFile(file, {
    subject: 'The profile',
    ifMissing: 'Create one with plugin-check init, or name another one with --profile.',
    ifWrong: 'Correct it there.',
  })
  return parseProfile(withFiles(json, dirname(file), FILES_DEPTH_MAX), file)
}

/** Files that name files end here, also if they name each other. */
const FILES_DEPTH_MAX = 4

/** Replaces each `{"$file": "samples.json"}` by the JSON of that file, relative to the file that names it. */
function withFiles(json: JsonValue, folder: string, depth: number): JsonValue {
  if (Array.isArray(json)) return json.map((item) => withFiles(item, folder, depth))
  if (!isJsonObject(json)) return json
  const { $file: name, ...others } = json
  if (typeof name !== 'string' || Object.keys(others).length > 0)
    return Object.fromEntries(
      Object.entries(json).map(([key, value]) => [key, withFiles(value, folder, depth)]),
    )
  const file = resolve(folder, name)
  if (depth === 0)
    throw new UsageError(`The file ${file} is named by too many files in a row. Name it in the profile.`)
  const found = readJsonFile(file, {
    subject: 'The file',
    ifMissing: 'Correct its name in the profile: it is relative to the file that names it.',
    ifWrong: 'Correct it there.',
  })
  return withFiles(found, dirname(file), depth - 1)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads the text of a file that a person gives, as `readJsonFile`. Throws a UsageError. */
export function readTextFile(
  file: string,
  { subject, ifMissing }: { subject: string; ifMissing: string },
): string {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(file)
  } catch {
    throw new UsageError(`${subject} ${file} cannot be read. ${ifMissing}`)
  }
  try {
    return utf8.decode(bytes)
  } catch {
    throw new UsageError(`${subject} ${file} is not valid UTF-8. Save it as UTF-8.`)
  }
}

/**
 * Reads the JSON of a file that a person gives, and refuses what another reader would read differently.
 *
 * @param subject what the file is, at the start of the message.
 * @param ifMissing what to do about a file that cannot be read.
 * @param ifWrong what to do about the place that the message names.
 * @throws UsageError
 */
export function readJsonFile(
  file: string,
  { subject, ifMissing, ifWrong }: { subject: string; ifMissing: string; ifWrong: string },
  limits: Partial<StrictJsonLimits> = {},
): JsonValue {
  const text = readTextFile(file, { subject, ifMissing })
  try {
    return parseStrictJson(text, limits)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new UsageError(`${subject} ${file} is not usable JSON: ${error.messageWithoutPath}. ${ifWrong}`)
  }
}

/** Throws a UsageError that names the first wrong field. */
export function parseProfile(json: unknown, file: string): Profile {
  const reading = Profile.safeParse(json)
  if (!reading.success) {
    const issue = reading.error.issues[0]
    const path = issue?.path.join('.') ?? ''
    const where = path === '' ? '' : `: ${path}`
    throw new UsageError(`The profile ${file} is wrong${where}: ${issue?.message ?? 'it is not valid'}.`)
  }
  if (Object.keys(reading.data.resources).length === 0)
    throw new UsageError(`The profile ${file} is wrong: resources: name at least one Module of the plugin.`)
  return reading.data
}
