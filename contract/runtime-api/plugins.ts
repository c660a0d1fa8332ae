import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { NO_RESPONSES } from '#contract/protocol/call-causes.ts'
import { Key, Uuid } from '#contract/protocol/keys.ts'
import { ErrorCode } from '#contract/protocol/envelope.ts'
import {
  listOf,
  pageQuery,
  Person,
  plainName,
  plainText,
  Reason,
  scopeFilter,
  searchText,
  Timestamp,
} from './common.ts'
import { repeatedCodes, RUNBOOKS_MAX } from './runbook-rules.ts'
import { isLinkTemplate, isWebPage } from './link-template.ts'

export const PluginCredential = z.object({
  credentialId: Uuid,
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
  revokedAt: Timestamp.nullable(),
})
export type PluginCredential = z.infer<typeof PluginCredential>

// in each program that uses this contract; the compiler does not load the types of any of them here
declare const URL: { parse(text: string): { href: string; pathname: string; port: string } | null }

/** An `http(s)` address without user information, query or fragment, as it is called. */
export const Address = z
  .url({ protocol: /^https?$/, error: 'Must be an http or https address' })
  .overwrite(addressAsCalled)
  .max(2048, 'Must be at most 2048 characters')
  .refine((text) => !/[@?#]/.test(text), 'Must have no user information, query or fragment')
  .refine((text) => URL.parse(text)?.port !== '0', 'Must not have the port 0')

/**
 * The address that a call reaches, as text: `\\` and `..` resolved, the host in its ASCII form, the path encoded. Otherwise
 * people would read and compare another address than the one that is called. A path that was left out stays out.
 */
function addressAsCalled(text: string): string {
  const url = URL.parse(text)
  if (url === null) return text
  return url.pathname === '/' && !text.endsWith('/') ? url.href.replace(/\/$/, '') : url.href
}

/** The team that is responsible for a plugin, and where to reach it: a web page or an email address. */
export const PluginOwner = z.strictObject({
  team: plainName(200),
  contact: z
    .url({ protocol: /^(https?|mailto)$/, error: 'Must be an http, https or mailto address' })
    .max(2048, 'Must be at most 2048 characters')
    .optional(),
})
export type PluginOwner = z.infer<typeof PluginOwner>

/** Characters of the text of a runbook. */
export const RUNBOOK_TEXT_MAX = 2_000

/**
 * What to do about one error code, by the people who run the plugin: a text, the address of a page, or both. The platform
 * never requests the page.
 */
export const Runbook = z
  .strictObject({
    errorCode: ErrorCode.refine((code) => code !== '0', 'Must be the code of a failure'),
    title: plainName(200),
    text: plainText(RUNBOOK_TEXT_MAX).optional(),
    url: z
      .string()
      .max(2048, 'Must be at most 2048 characters')
      .refine(isWebPage, 'Must be an http or https address without user information')
      .optional(),
    owner: PluginOwner.optional(),
  })
  .refine(({ text, url }) => text !== undefined || url !== undefined, {
    path: ['url'],
    error: 'Must have a text or an address',
  })
export type Runbook = z.infer<typeof Runbook>

const LinkTemplate = z
  .string()
  .max(2048, 'Must be at most 2048 characters')
  .refine(
    isLinkTemplate,
    'Must be an http or https address; of placeholders it may have operationId, bundleInstallId, traceId, from and to in braces, after its host',
  )

/** Where the logs and the traces of a plugin are: addresses with placeholders. */
export const PluginLinks = z.strictObject({ logs: LinkTemplate.optional(), traces: LinkTemplate.optional() })
export type PluginLinks = z.infer<typeof PluginLinks>

/** One runbook for each code. */
const Runbooks = z
  .array(Runbook)
  .max(RUNBOOKS_MAX, `Must be at most ${RUNBOOKS_MAX}`)
  .check(({ value, issues }) => {
    for (const index of repeatedCodes(value))
      issues.push({
        code: 'custom',
        input: value[index]?.errorCode,
        path: [index, 'errorCode'],
        message: 'Must be another code than that of an earlier runbook',
      })
  })

const limits = {
  timeoutMs: z.number().int().min(100).max(300_000).optional(),
  maxAttempts: z.number().int().min(1).max(100).optional(),
  maxBackoffMs: z.number().int().min(100).max(3_600_000).optional(),
}

/** That a plugin is gone for good, since when, by whom and why. */
export const Retirement = z.object({ at: Timestamp, by: Person, reason: z.string() })
export type Retirement = z.infer<typeof Retirement>

export const Plugin = z.object({
  pluginId: Key,
  title: z.string(),
  endpoint: z.string(),
  enabled: z.boolean(),
  /** The version that runs at the endpoint, as registered. */
  version: Key.optional(),
  ...limits,
  owner: PluginOwner.nullable(),
  /** What to do about its error codes; absent if there are none. */
  runbooks: z.array(Runbook).optional(),
  /** Absent if there are none. */
  links: PluginLinks.optional(),
  /** Whether the last report of this version passed. NONE: there is no report, or no version. */
  check: z.enum(['PASSED', 'NOT_PASSED', 'NONE']),
  /** Null unless it is retired: the platform answers its DETACH calls, and nothing else calls it. */
  retired: Retirement.nullable(),
  /** It is not called until somebody resumes it; `GET /pauses` says who paused it. Absent otherwise. */
  paused: z.literal(true).optional(),
  credentials: z.array(PluginCredential),
  /** When the registration was saved last. */
  updatedAt: Timestamp,
})
export type Plugin = z.infer<typeof Plugin>

/**
 * `updatedAt` of the registration that the caller saw; null if the ID must be new. Without it, the registration is
 * replaced, whatever it is.
 */
export const ExpectedRegistration = Timestamp.nullable().optional()

const params = z.strictObject({ pluginId: Key })

/** `updatedAt` is that of the registration that the caller saw. */
const retirementBody = z.strictObject({ reason: Reason, updatedAt: Timestamp })
const retirementCodes = [
  'NOT_FOUND',
  'REQUEST_INVALID',
  'REGISTRATION_STALE',
  'IDEMPOTENCY_KEY_REUSED',
  'RECENT_SIGN_IN_REQUIRED',
] as const

export const pluginEndpoints = defineEndpoints({
  'GET /plugins': {
    summary: 'Registered plugins; with a scope, those that its active installations call',
    access: { needs: 'read', where: 'anywhere' },
    query: z.strictObject({ ...scopeFilter, q: searchText, ...pageQuery }),
    answer: listOf(Plugin),
    codes: [],
  },
  'GET /plugins/{pluginId}': {
    summary: 'One registered plugin',
    access: { needs: 'read', where: 'anywhere' },
    params,
    answer: Plugin,
    codes: ['NOT_FOUND'],
  },
  'PUT /plugins/{pluginId}': {
    summary: 'Register a plugin, or change its registration; takes effect with the next call',
    audit: 'plugin.save',
    access: { needs: 'plugin:write', where: 'everywhere' },
    params,
    body: z.strictObject({
      title: plainName(200),
      endpoint: Address,
      enabled: z.boolean(),
      version: Key.optional(),
      ...limits,
      owner: PluginOwner.optional(),
      runbooks: Runbooks.optional(),
      links: PluginLinks.optional(),
      expected: ExpectedRegistration,
      reason: Reason.optional(),
    }),
    answer: Plugin,
    codes: ['REGISTRATION_EXISTS', 'REGISTRATION_STALE', 'IDEMPOTENCY_KEY_REUSED'],
  },
  'POST /plugins/{pluginId}/probe': {
    cost: 5,
    summary:
      'Open a connection to the endpoint of a plugin and close it; nothing is sent. A result of the last 10 s is returned again',
    access: { needs: 'read', where: 'anywhere' },
    params,
    answer: z.object({
      pluginId: Key,
      endpoint: z.string(),
      /** Why no connection, with https no secure one, could be opened; null if one was. */
      failure: z.enum(NO_RESPONSES).nullable(),
      /** For consoles and pages of the previous release, which do not know `failure`. */
      result: z.enum(['REACHABLE', 'LOST']).optional(),
      testedAt: Timestamp,
    }),
    codes: ['NOT_FOUND'],
    writesNothing: true,
  },
  'POST /plugins/{pluginId}/retire': {
    summary:
      'Retire a plugin that is gone for good: the platform answers its DETACH calls as NOT_APPLIED, and nothing else calls it',
    audit: 'plugin.retire',
    access: { needs: 'plugin:write', where: 'everywhere' },
    params,
    body: retirementBody,
    answer: Plugin,
    codes: retirementCodes,
    recentSignIn: 'always',
  },
  'POST /plugins/{pluginId}/reinstate': {
    summary: 'Reinstate a retired plugin: it is called again',
    audit: 'plugin.reinstate',
    access: { needs: 'plugin:write', where: 'everywhere' },
    params,
    body: retirementBody,
    answer: Plugin,
    codes: retirementCodes,
    recentSignIn: 'always',
  },
  'POST /plugins/{pluginId}/credentials': {
    summary: 'Create a credential; its secret is returned only once. At most two can be valid at a time',
    audit: 'plugin.credential.create',
    access: { needs: 'plugin:write', where: 'everywhere' },
    params,
    body: z.strictObject({ reason: Reason.optional() }),
    answer: z.object({ credentialId: Uuid, secret: z.string().nullable() }),
    shownOnce: ['secret'],
    codes: ['NOT_FOUND', 'REQUEST_INVALID', 'IDEMPOTENCY_KEY_REUSED', 'RECENT_SIGN_IN_REQUIRED'],
    recentSignIn: 'always',
  },
  'DELETE /plugins/{pluginId}/credentials/{credentialId}': {
    summary: 'Revoke a credential with immediate effect',
    audit: 'plugin.credential.revoke',
    access: { needs: 'plugin:write', where: 'everywhere' },
    params: params.extend({ credentialId: Uuid }),
    answer: Plugin,
    codes: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED', 'RECENT_SIGN_IN_REQUIRED'],
    recentSignIn: 'always',
  },
})
