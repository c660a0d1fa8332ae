import { useCallback, useEffect, useState } from 'react'
import { useSession } from '../../api/session.ts'
import type { BatchTarget } from '../batch/bundle-targets.ts'
import type { Limits } from '../batch/batch-limits.ts'

/** A takeover that a person left to sign in again: what they had seen and typed. */
export interface InterruptedTakeover {
  run: number
  reason: string
}

/** A batch of takeovers that a person left to sign in again: its targets, and what they had typed. */
export interface InterruptedBatch {
  targets: readonly BatchTarget[]
  reason: string
  limits: Limits
  /** The number that confirms the batch, as typed. */
  count: string
}

/** Any other action that a person left to sign in again: its object, and the reason as typed. */
export interface InterruptedAction {
  target: string
  reason: string
}

/** A sign-in takes at most this long. */
const MAX_AGE_MS = 10 * 60_000

const PREFIX = 'interrupted.'
const BATCH = `${PREFIX}batch`

/** Keeps the takeover for this person in this tab; false if the browser does not store it. */
export const keepTakeover = (personId: string, operationId: string, takeover: InterruptedTakeover): boolean =>
  keep(PREFIX + operationId, personId, takeover)

/** The takeover that this person left, once; null if there is none or it is too old. */
export const resumeTakeover = (personId: string, operationId: string): InterruptedTakeover | null =>
  resume(PREFIX + operationId, personId, isTakeover)

/** Keeps the batch for this person in this tab; false if the browser does not store it. */
export const keepBatch = (personId: string, batch: InterruptedBatch): boolean => keep(BATCH, personId, batch)

/** The batch that this person left, once; null if there is none or it is too old. */
export const resumeBatch = (personId: string): InterruptedBatch | null => resume(BATCH, personId, isBatch)

/** Keeps the action of a page for this person in this tab; false if the browser does not store it. */
export const keepAction = (personId: string, page: string, action: InterruptedAction): boolean =>
  keep(PREFIX + page, personId, action)

/** Keeps the values of a form of a page, as `keepAction` keeps a reason. */
export const keepForm = (
  personId: string,
  page: string,
  { target = '', values }: { target?: string; values: object },
): boolean => keepAction(personId, page, { target, reason: JSON.stringify(values) })

/** The values of the form that the person left; null if there are none, or those of another form. */
export function keptForm<Values>(
  kept: InterruptedAction | null,
  schema: { safeParse(values: unknown): { data?: Values | undefined } },
): Values | null {
  try {
    return kept === null ? null : (schema.safeParse(JSON.parse(kept.reason)).data ?? null)
  } catch {
    return null
  }
}

/** Opens the action that this person left on this page, once; null: not yet, because the page is still loading. */
export function useInterruptedAction(
  page: string | null,
  onResume: (action: InterruptedAction) => void,
): void {
  const personId = useSession().data?.user.id
  useEffect(() => {
    if (page === null || personId === undefined) return
    const resumed = resume(PREFIX + page, personId, isAction)
    if (resumed !== null) onResume(resumed)
  }, [page, personId, onResume])
}

/** The only dialog of a page that asks for a recent sign-in. It opens again with what the person left in it. */
export function useResumedDialog(page: string) {
  const [dialog, setDialog] = useState<{ resumed: InterruptedAction | null } | null>(null)
  useInterruptedAction(
    page,
    useCallback((resumed) => setDialog({ resumed }), []),
  )
  return {
    /** What it begins with; null while it is closed. */
    dialog,
    open: () => setDialog({ resumed: null }),
    close: () => setDialog(null),
  }
}

function keep(
  key: string,
  personId: string,
  input: InterruptedTakeover | InterruptedBatch | InterruptedAction,
): boolean {
  try {
    sessionStorage.setItem(key, JSON.stringify({ input, personId, at: Date.now() }))
    return true
  } catch {
    return false
  }
}

function resume<Input>(
  key: string,
  personId: string,
  isInput: (value: unknown) => value is Input,
): Input | null {
  try {
    const text = sessionStorage.getItem(key)
    if (text === null) return null
    sessionStorage.removeItem(key)
    const kept: unknown = JSON.parse(text)
    if (!isRecord(kept) || kept['personId'] !== personId || typeof kept['at'] !== 'number') return null
    const { input, at } = kept
    return Date.now() - at <= MAX_AGE_MS && isInput(input) ? input : null
  } catch {
    return null
  }
}

// by hand: the list of operations would load zod with its first scripts
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
const hasTexts = (value: unknown, names: readonly string[]): boolean =>
  isRecord(value) && names.every((name) => typeof value[name] === 'string')

const isTakeover = (value: unknown): value is InterruptedTakeover =>
  isRecord(value) && typeof value['run'] === 'number' && hasTexts(value, ['reason'])

const isAction = (value: unknown): value is InterruptedAction => hasTexts(value, ['target', 'reason'])

const hasWaves = (limits: unknown): boolean => {
  const waves = isRecord(limits) ? limits['waves'] : undefined
  return (
    waves === undefined ||
    (hasTexts(waves, ['by', 'sizes', 'soak', 'failures', 'success']) &&
      isRecord(waves) &&
      Array.isArray(waves['environments']))
  )
}

const isBatch = (value: unknown): value is InterruptedBatch =>
  isRecord(value) &&
  hasTexts(value, ['reason', 'count']) &&
  hasTexts(value['limits'], ['first', 'concurrency', 'failures']) &&
  hasWaves(value['limits']) &&
  Array.isArray(value['targets']) &&
  value['targets'].every(
    (target) =>
      hasTexts(target, ['id']) &&
      isRecord(target.installation) &&
      hasTexts(target.installation, ['bundleInstallId', 'environmentKey', 'applicationRuntimeId']) &&
      hasTexts(target.installation['bundle'], ['environmentKey', 'bundleId']),
  )
