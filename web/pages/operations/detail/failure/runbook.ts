import type { Failure, OperationDetail, Runbook } from '#contract/console-api/shapes.ts'
import { fillLink } from '#contract/console-api/vocabulary.ts'
import { shownCode } from '#contract/protocol/messages.ts'

const MINUTE_MS = 60_000

/** What the people who run the plugin say about this failure: by the code of the last attempt, else by that of the operation. */
export function runbookFor(
  { plugins }: OperationDetail,
  pluginId: string | undefined,
  failure: Failure,
): Runbook | null {
  const runbooks = plugins.find((plugin) => plugin.pluginId === pluginId)?.runbooks ?? []
  const of = (code: string) => runbooks.find(({ errorCode }) => errorCode === code)
  return of(shownCode(failure)) ?? of(failure.errorCode) ?? null
}

/** Where the logs and the traces of a plugin for this operation are. `now` is the end of a run that has not ended. */
export function outsideLinks(
  { operationId, installation, plugins, runStartedAt, createdAt, finishedAt }: OperationDetail,
  pluginId: string | undefined,
  now: number,
): { kind: 'logs' | 'traces'; href: string }[] {
  const links = plugins.find((plugin) => plugin.pluginId === pluginId)?.links ?? {}
  const values = {
    operationId,
    bundleInstallId: installation.bundleInstallId,
    // as in the header of each call: docs/protocol.md
    traceId: operationId.replaceAll('-', ''),
    from: new Date(Date.parse(runStartedAt ?? createdAt) - MINUTE_MS).toISOString(),
    to: new Date((finishedAt === null ? now : Date.parse(finishedAt)) + MINUTE_MS).toISOString(),
  }
  return (['logs', 'traces'] as const).flatMap((kind) => {
    const template = links[kind]
    return template === undefined ? [] : [{ kind, href: fillLink(template, values) }]
  })
}
