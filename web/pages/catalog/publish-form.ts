import * as z from 'zod/mini'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { isKey } from '#contract/protocol/locator.ts'
import { jsonErrorText, readJson, type JsonReading } from '../../forms/json/parse-json.ts'
import type { Translate } from '../../i18n/use-text.ts'

export type Target = { environmentKey: string; bundleId: string; version: string }

const NOTHING: JsonReading = { value: null, error: null }

/** A manifest can be sent when it is JSON and names its bundle and version. The runtime checks everything else. */
export const publishSchema = (mayPublish: (environmentKey: string) => boolean, t: Translate) => {
  const problemOf = (text: string): string | null => {
    const { value: manifest, error } = text.trim() === '' ? NOTHING : readJson(text)
    if (error !== null) return jsonErrorText(error, t)
    const target = targetOf(manifest)
    if (target === null) return t('catalog.publish.noName')
    const { environmentKey } = target
    return mayPublish(environmentKey) ? null : t('catalog.publish.mayNot', { environment: environmentKey })
  }
  return z.object({
    manifest: z.string().check(
      z.check(({ value, issues }) => {
        const message = problemOf(value)
        if (message !== null) issues.push({ code: 'custom', input: value, message })
      }),
    ),
  })
}

/** The bundle and version that a manifest names; null unless they are valid as path parameters of the API. */
export function targetOf(manifest: JsonValue | undefined): Target | null {
  const bundle = member(manifest, 'bundle')
  const environmentKey = member(bundle, 'environmentKey')
  const bundleId = member(bundle, 'bundleId')
  const version = member(manifest, 'version')
  return isName(environmentKey) && isName(bundleId) && isName(version)
    ? { environmentKey, bundleId, version }
    : null
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

const isName = (value: unknown): value is string => typeof value === 'string' && isKey(value)
