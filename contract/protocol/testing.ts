import assert from 'node:assert/strict'
import type * as z from 'zod'

/** Base values that the tests modify. */
export const scope = { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 7 }
export const installation = {
  ...scope,
  bundleInstallId: '0198c0de-0000-7000-8000-000000000001',
  bundle: { environmentKey: 'catalog', bundleId: 'billing' },
}
export const operation = {
  operationId: '0198c0de-0000-7000-8000-000000000002',
  operationType: 'CONFIGURE',
  currentVersion: '1.2.0',
  targetVersion: '1.2.0',
}
export const locator = 'catalog/billing/MODULE/invoices'
export const reference = (serviceId = 'mailer') => ({ '@type': 'ServiceReference', serviceId })
export const data = (value: unknown) => ({ '@type': 'Data', value })

/** The value with some properties replaced; undefined removes a property. */
export const but = (value: object, changes: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries({ ...value, ...changes }).filter(([, held]) => held !== undefined))

export function accepts(schema: z.ZodType, ...values: unknown[]): void {
  for (const value of values) {
    const result = schema.safeParse(value)
    assert.ok(result.success, `${JSON.stringify(value)} was refused: ${result.error?.message ?? ''}`)
  }
}

/** Each value must be rejected at the path, with a message that matches `words`. */
export function refuses(schema: z.ZodType, path: string, words: RegExp, ...values: unknown[]): void {
  for (const value of values) {
    const result = schema.safeParse(value)
    assert.ok(!result.success, `${JSON.stringify(value)} was accepted`)
    const issues = result.error.issues.map((issue) => ({
      path: issue.path.join('.'),
      message: issue.message,
    }))
    assert.ok(
      issues.some((issue) => issue.path === path && words.test(issue.message)),
      `${JSON.stringify(value)} was refused for ${JSON.stringify(issues)}`,
    )
  }
}
