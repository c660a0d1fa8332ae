import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState, type ReactNode } from 'react'
import type { LocalService } from '#contract/console-api/shapes.ts'
import { lazyPart } from '../../fetch-part.ts'
import { callApi } from '../../api/client.ts'
import { useWrite } from '../../api/write.ts'
import { useErrorView } from '../../components/describe-code.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { paths, type ScopeKey } from '../../paths.ts'
import { invalidateEndpoints } from '../../api/query.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Time } from '../../ui/Time.tsx'
import { showToast } from '../../ui/toast.ts'
import { Conflict } from './Conflict.tsx'
import { baseOf, useServiceDraft } from './use-service-draft.ts'
import { checkValues, problemLine } from './values.ts'

const JsonEditor = lazyPart(async () => ({
  default: (await import('../../forms/JsonEditor.tsx')).JsonEditor,
}))

const BASE = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/local-services'
const LIST = `GET ${BASE}` as const

/** The values of one local service as a document, saved on top of the version that they were typed over. */
export function ServiceEditor({
  scope,
  name,
  service,
  mayWrite,
  naming,
}: {
  scope: ScopeKey
  /** Null while a new one has no name that could be one. */
  name: string | null
  service: LocalService | null
  mayWrite: boolean
  /** The field that a new one is named in. */
  naming?: ReactNode
}) {
  const t = useText()
  const rich = useRichText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const draft = useServiceDraft(keyOf(scope, service?.serviceName ?? ''), service)
  // a service of this name that somebody else made while a new one was typed
  const [found, setFound] = useState<LocalService | null>(null)
  const save = useWrite(`PUT ${BASE}/{serviceName}`, { outdates: [LIST] })
  const isStale = save.error?.problem.code === 'LOCAL_SERVICE_STALE'
  const error = useErrorView(isStale ? null : save.error)
  const newest = service ?? found
  const conflict = newest !== null && newest.version > draft.base.version && draft.isDirty ? newest : null

  const submit = () => {
    if (name === null || draft.values === null) return
    const params = { ...scope, serviceName: name }
    save.mutate(
      { params, body: { values: draft.values, version: draft.base.version } },
      {
        onSuccess: (answer) => {
          const { version, values } = answer
          if (service === null) draft.forget()
          else draft.rebase(baseOf(answer), values)
          showToast({ text: t('localServices.saved', { service: name, version: String(version) }) })
          if (service === null) void navigate(paths.localServices(scope, { service: name }))
        },
        onError: ({ problem }) => {
          if (problem.code !== 'LOCAL_SERVICE_STALE') return
          void callApi(`GET ${BASE}/{serviceName}`, { params }).then(setFound, () => undefined)
          void invalidateEndpoints(client, [LIST])
        },
      },
    )
  }
  const take = (theirs: LocalService, values: LocalService['values']) => {
    draft.rebase(baseOf(theirs), values)
    setFound(null)
    save.reset()
  }
  const title = service?.serviceName ?? t('localServices.new.title')

  return (
    <section
      aria-label={title}
      className="min-w-0 rounded-lg border border-dashed border-line-strong bg-surface"
    >
      <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 border-b border-dashed border-line-strong px-4 py-3">
        <h2 className={service ? 'mono text-md font-semibold wrap-anywhere' : 'text-md font-semibold'}>
          {title}
        </h2>
        <p className="text-xs text-muted">
          {service
            ? rich('localServices.saved.by', {
                version: String(service.version),
                at: <Time at={service.savedAt} />,
                who: service.savedBy.name,
              })
            : t('localServices.saved.never')}
        </p>
      </header>
      <div className="space-y-4 p-4">
        {naming}
        {conflict && (
          <Conflict
            key={conflict.version}
            base={draft.base}
            mine={draft.values}
            theirs={conflict}
            onTake={(values) => take(conflict, values)}
          />
        )}
        <div onBlur={draft.leave}>
          <p className="mb-1 font-medium">{t('localServices.values')}</p>
          <Suspense fallback={<Skeleton className="h-40 w-full rounded-md" />}>
            <JsonEditor
              text={draft.text}
              label={t('localServices.values.label', { service: title })}
              check={(value) => checkValues(value, t)}
              readOnly={!mayWrite || save.isPending}
              onText={draft.type}
            />
          </Suspense>
          {draft.values === null && (
            <p className="mt-1 text-xs text-fail">
              {draft.problems.map((problem) => problemLine(problem, t)).join(' · ')}
            </p>
          )}
        </div>
        {error && <ErrorState error={error} />}
        <div className="flex flex-wrap items-center gap-2">
          <Button
            variant="primary"
            busy={save.isPending}
            disabledReason={
              (!mayWrite && t('localServices.reason.permission')) ||
              (name === null && t('localServices.new.name.help')) ||
              (draft.values === null && t('localServices.invalid')) ||
              (conflict !== null && t('localServices.reason.conflict')) ||
              (service !== null && !draft.isDirty && t('localServices.unchanged'))
            }
            onClick={submit}
          >
            {t(service ? 'localServices.save' : 'localServices.new.create')}
          </Button>
          {draft.isDirty && mayWrite && !save.isPending && (
            <Button onClick={draft.reset}>{t('localServices.reset')}</Button>
          )}
          <span className="text-muted">{t('localServices.save.noOperation')}</span>
        </div>
      </div>
    </section>
  )
}

const keyOf = ({ environmentKey, applicationRuntimeId, workspaceId }: ScopeKey, name: string) =>
  `${environmentKey}/${applicationRuntimeId}/${workspaceId}/${name}`
