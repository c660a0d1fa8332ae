import { createHash } from 'node:crypto'
import * as z from 'zod'
import canonicalize from 'canonicalize'
import { getOwn } from '#contract/json-schema/json.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { PlatformMessage } from '#contract/protocol/platform-messages.ts'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { Random } from '#http-kit/random.ts'
import { isHidden } from '../../engine/changes/compare.ts'
import { plannedStages } from '../../engine/plans/planned-calls.ts'
import { DomainError } from '../../engine/refusals.ts'
import type { PlatformProblem } from '../../engine/refusals.ts'
import type { Db } from '../../model/db.ts'
import type { FrozenPlan, PlannedChange } from '../../model/plan.ts'
import type { UncheckedPlugins } from '../../model/plugin.ts'
import type { Vault } from '../../model/vault.ts'
import { DoesNotOpen, opening, UnknownDataKey } from '../../sealing/sealed-value.ts'
import type { PluginState } from '../../store/plugins/plugins.ts'

/** What one installation contributes to a plan token. */
export interface TokenPart {
  /** Its bundleInstallId; empty for an INSTALL. */
  id: string
  bundleId: string
  /** The installed version. */
  version: string | null
  operationType: OperationType
  targetVersion: string | null
  /** Null if the plan cannot be made; it then differs from every plan that could. */
  plan: FrozenPlan | null
  unchecked: UncheckedPlugins
  /** What the request names, if values that it does not name may come from elsewhere: of an INSTALL and an UPGRADE. */
  named?: { properties: Changes; copyFrom: string | null } | undefined
}

/** What a plan is based on. */
export interface TokenBasis {
  /** Null if the scope has no snapshot. */
  snapshotVersion: number | null
  parts: readonly TokenPart[]
  plugins: ReadonlyMap<string, PluginState>
}

const digestsWithoutValues = [z.string().nullable(), z.string(), z.string(), z.string()] as const
/**
 * Version, snapshot (`any` if it does not matter), and for each installation: installed version, registrations,
 * bindings, calls, values. An item of a batch stores its token without the values, and a digest of them beside it.
 */
const Content = z.tuple([
  z.literal(1),
  z.union([z.number(), z.null(), z.literal('any')]),
  z.record(
    z.string(),
    z.union([z.tuple([...digestsWithoutValues, z.string()]), z.tuple([...digestsWithoutValues])]),
  ),
])
type Content = z.infer<typeof Content>
type Digests = [version: string | null, registrations: string, bindings: string, calls: string]

/** What the keyed digest of the values needs. */
export interface TokenKeys {
  vault: Vault
  random: Random
}

/** The token of a plan. It contains digests, so that a comparison can name what has changed. */
export function planTokenOf(basis: TokenBasis, { vault, random }: TokenKeys): string {
  return tokenOf(
    basis.snapshotVersion,
    basis.parts.map((part) => [
      part.id,
      [...digestsOf(part, basis.plugins), valuesDigestOf({ vault, random }, plannedValues(part))],
    ]),
  )
}

/** The token of a batch's item: neither the snapshot nor the values are part of it. */
export function itemTokenOf(part: TokenPart, plugins: ReadonlyMap<string, PluginState>): string {
  return tokenOf('any', [[part.id, digestsOf(part, plugins)]])
}

function tokenOf(snapshot: Content[1], parts: [id: string, digests: Content[2][string]][]): string {
  return Buffer.from(JSON.stringify([1, snapshot, Object.fromEntries(parts)])).toString('base64url')
}

/**
 * What has changed since the token was issued; nothing for the same basis. Installations that only the token has are
 * ignored, so that a person can leave some out.
 *
 * Throws DomainError REQUEST_INVALID if it is not a token.
 */
async function movedSince(
  { db, vault }: TokenReader,
  token: string,
  basis: TokenBasis,
): Promise<PlatformProblem[]> {
  const [, snapshot, seen] = contentOf(token)
  const moved: PlatformMessage[] = []
  if (snapshot !== 'any' && snapshot !== basis.snapshotVersion && basis.snapshotVersion !== null) {
    const current = basis.snapshotVersion
    moved.push(
      snapshot === null
        ? platformMessage('planScopeNew', { current })
        : platformMessage('planSnapshotMoved', { seen: snapshot, current }),
    )
  }
  for (const part of basis.parts) {
    const before = seen[part.id]
    moved.push(
      ...(before === undefined
        ? [platformMessage('planInstallationNew', { bundle: part.bundleId })]
        : movedIn(part, before, digestsOf(part, basis.plugins))),
    )
    const values = before?.[4]
    // what has moved usually changes the values too: that is one reason, not two
    if (
      values !== undefined &&
      moved.length === 0 &&
      !(await isValuesDigestOf({ db, vault }, values, plannedValues(part)))
    )
      moved.push(platformMessage('planValuesMoved', { bundle: part.bundleId }))
  }
  return moved.map((message) => ({ errorCode: 'PLAN_STALE', ...message }))
}

export interface TokenReader {
  db: Db
  vault: Vault
}

/** Refuses with PLAN_STALE, naming what has changed since the token was issued. */
export async function refuseIfMoved(reader: TokenReader, token: string, basis: TokenBasis): Promise<void> {
  const moved = await movedSince(reader, token, basis)
  if (moved.length > 0) throw new DomainError('PLAN_STALE', platformMessage('planStale'), { details: moved })
}

function movedIn(
  { bundleId: bundle }: TokenPart,
  [seen, seenRegistrations, seenBindings, seenCalls]: Content[2][string],
  [version, registrations, bindings, calls]: Digests,
): PlatformMessage[] {
  const moved: PlatformMessage[] = []
  if (version !== seen)
    moved.push(platformMessage('planVersionMoved', { bundle, seen: seen ?? '–', current: version ?? '–' }))
  if (registrations !== seenRegistrations) moved.push(platformMessage('planRegistrationsMoved', { bundle }))
  if (bindings !== seenBindings) moved.push(platformMessage('planBindingsMoved', { bundle }))
  // other bindings lead to other calls: that is one reason, not two
  else if (calls !== seenCalls) moved.push(platformMessage('planCallsMoved', { bundle }))
  return moved
}

function digestsOf(part: TokenPart, plugins: ReadonlyMap<string, PluginState>): Digests {
  const { version, operationType, targetVersion, plan, unchecked } = part
  if (plan === null) return [version, '', '', '']
  const registrations = plan.plugins.flatMap(({ pluginId }) => [
    plugins.get(pluginId) ?? null,
    // left out where nothing is asked for, as in tokens of earlier releases
    ...(unchecked.has(pluginId) ? [unchecked.get(pluginId)] : []),
  ])
  const calls = [operationType, targetVersion, plannedStages(plan, operationType)]
  return [version, digest(registrations), digest(plan.plugins), digest(calls)]
}

/** 60 bits: enough to notice a change; a token is not a credential. */
const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 10)

function contentOf(token: string): z.infer<typeof Content> {
  const content = Content.safeParse(parse(Buffer.from(token, 'base64url').toString()))
  if (content.success) return content.data
  throw new DomainError('REQUEST_INVALID', platformMessage('planTokenInvalid'))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The values that a plan sets, as text that does not depend on the order of members or properties. */
function plannedValues(part: TokenPart): string {
  const lines = (part.plan?.changes ?? []).map((change) => [
    change.locator,
    change.property,
    valueInDigest(part, change),
  ])
  return canonicalText(lines.map((line) => canonicalText(line)).toSorted())
}

/**
 * The value that a change sets, for a digest. A hidden one that is copied or restored is another one than the same value that a
 * request names: otherwise anyone who makes a plan with it, and then names guesses, would learn which one is right.
 */
export function valueInDigest(
  { named }: Pick<TokenPart, 'named'>,
  { locator, property, after }: PlannedChange,
): unknown {
  const isNamed =
    named === undefined || getOwn(getOwn(named.properties, locator) ?? {}, property) !== undefined
  return isNamed || !isHidden(after) ? after : ['not named', named.copyFrom, after]
}

/** JSON in canonical form (RFC 8785). */
export function canonicalText(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('Values must be JSON')
  return text
}

/**
 * A keyed digest of values for a plan token. It reveals nothing without the key; the random part keeps two tokens from
 * being compared, which would tell whether a guessed value is the same as a hidden one.
 */
export function valuesDigestOf({ vault, random }: { vault: Vault; random: Random }, values: string): string {
  const salt = Buffer.from(random.bytes(9)).toString('base64url')
  return `${salt}.${vault.digest(`${salt}\n${values}`).toString('base64url')}`
}

/** Whether a digest was made of these values. False also for a digest that nobody made. */
export async function isValuesDigestOf(
  { db, vault }: { db: Db; vault: Vault },
  digest: string,
  values: string,
): Promise<boolean> {
  const [salt = '', keyed = ''] = digest.split('.')
  try {
    return await opening(vault, db, () =>
      vault.isDigestOf(Buffer.from(keyed, 'base64url'), `${salt}\n${values}`),
    )
  } catch (error) {
    if (error instanceof DoesNotOpen || error instanceof UnknownDataKey) return false
    throw error
  }
}
