import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useFormState, useWatch } from 'react-hook-form'
import type { LocalService } from '#contract/console-api/shapes.ts'
import { isKey } from '#contract/protocol/locator.ts'
import { ApiError, callApi } from '../../api/client.ts'
import { useWrite } from '../../api/write.ts'
import { JsonField } from '../../forms/fields/JsonField.tsx'
import { ReasonField } from '../../forms/fields/ReasonField.tsx'
import { reasonIn } from '../../forms/form/use-zod-form.ts'
import { TextField } from '../../forms/fields/TextField.tsx'
import { FormPage } from '../../forms/dialogs/FormPage.tsx'
import type { Detail } from '../../forms/form/server-errors.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { paths, type ScopeKey } from '../../addresses/paths.ts'
import { afterMousePress } from '../../ui/after-press.ts'
import { Button } from '../../ui/Button.tsx'
import { Time } from '../../ui/Time.tsx'
import { showToast } from '../../ui/toast.ts'
import { Conflict } from './Conflict.tsx'
import { baseOf } from './service-drafts.ts'
import { useServiceForm } from './use-service-form.ts'
import { checkValues } from './service-values.ts'

const BASE = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/local-services'
const LIST = `GET ${BASE}` as const

/**
 * The values of a local service as a JSON document. A save is based on the version that was current when typing
 * started.
 */
export function ServiceEditor({
  scope,
  service,
  mayWrite,
}: {
  scope: ScopeKey
  /** Null for a new service, which gets its name here. */
  service: LocalService | null
  mayWrite: boolean
}) {
  const t = useText()
  const navigate = useNavigate()
  const { form, base, values, isDirty, setTyping, reset, rebase, forget } = useServiceForm(
    keyOf(scope, service?.serviceName ?? ''),
    service,
  )
  const { control } = form
  const typedName = useWatch({ control, name: 'name' })
  const problem = useFormState({ control }).errors.text?.message
  const name = service?.serviceName ?? typedName
  // a service with this name that a colleague created in the meantime
  const [found, setFound] = useState<LocalService | null>(null)
  const save = useWrite(`PUT ${BASE}/{serviceName}`, { invalidates: [LIST] })
  const newest = service ?? found

  const submit = useSubmit(
    form,
    async ({ reason }) => {
      if (values === null) return
      const params = { ...scope, serviceName: name }
      try {
        const answer = await save.mutateAsync({
          params,
          body: { values, version: base.version, ...reasonIn({ reason }) },
        })
        if (service === null) forget()
        else {
          form.setValue('reason', '')
          rebase(baseOf(answer), answer.values)
        }
        showToast({
          text: t('localServices.saved', { service: name, version: String(answer.version) }),
        })
        if (service === null) void navigate(paths.localServices(scope, { service: name }))
      } catch (error) {
        if (isStale(error) && service === null)
          await callApi(`GET ${BASE}/{serviceName}`, { params }).then(setFound, () => undefined)
        throw error
      }
    },
    (detail) => fieldOf(detail, service === null),
  )
  // while a save is in progress, the newer version may be that save
  const conflict = newest !== null && newest.version > base.version && isDirty && !submit.busy ? newest : null
  const take = (theirs: LocalService, next: LocalService['values']) => {
    rebase(baseOf(theirs), next)
    setFound(null)
    submit.clearError()
  }
  const title = service?.serviceName ?? t('localServices.new.title')

  return (
    <section
      aria-label={title}
      className="min-w-0 rounded-lg border border-dashed border-line-strong bg-surface"
    >
      <ServiceHead title={title} service={service} />
      <FormPage
        form={form}
        onSubmit={submit.onSubmit}
        busy={submit.busy}
        // the comparison below explains it better
        error={conflict !== null && isStale(submit.error?.error) ? null : submit.error}
        submit={t(service ? 'localServices.save' : 'localServices.new.create')}
        blockedReason={
          (!mayWrite && t('localServices.reason.permission')) ||
          (conflict !== null && t('localServices.reason.conflict')) ||
          (service !== null && !isDirty && t('localServices.unchanged'))
        }
        incompleteReason={
          (service === null && !isKey(name) && t('localServices.new.name.help')) ||
          (problem !== undefined && t('localServices.invalid'))
        }
        actions={
          <>
            {isDirty && mayWrite && !submit.busy && (
              <Button onClick={reset}>{t('localServices.reset')}</Button>
            )}
            <span className="text-muted">{t('localServices.save.noOperation')}</span>
          </>
        }
        className="space-y-4 p-4"
      >
        {service === null && (
          <TextField
            control={control}
            name="name"
            kind="key"
            label={t('localServices.new.name')}
            help={t('localServices.new.name.help')}
            need="required"
            maxLength={128}
            className="max-w-md"
          />
        )}
        {conflict && (
          <Conflict
            key={conflict.version}
            base={base}
            mine={values}
            theirs={conflict}
            onTake={(next) => take(conflict, next)}
          />
        )}
        <div onBlur={() => afterMousePress(() => setTyping(false))}>
          <JsonField
            control={control}
            name="text"
            label={t('localServices.values')}
            editorLabel={t('localServices.values.label', { service: title })}
            check={(value) => checkValues(value, t)}
            readOnly={!mayWrite}
            onType={() => setTyping(true)}
          />
        </div>
        {mayWrite && <ReasonField control={control} className="max-w-2xl" />}
      </FormPage>
    </section>
  )
}

/** The name, and who saved it last. */
function ServiceHead({ title, service }: { title: string; service: LocalService | null }) {
  const t = useText()
  const rich = useRichText()
  return (
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
  )
}

const isStale = (error: unknown): boolean =>
  error instanceof ApiError && error.problem.code === 'LOCAL_SERVICE_STALE'

function fieldOf({ path = '' }: Detail, isNew: boolean): 'name' | 'text' | 'reason' | null {
  if (isNew && path === 'path.serviceName') return 'name'
  if (path === 'body.reason') return 'reason'
  return path === 'body.values' || path.startsWith('body.values.') ? 'text' : null
}

const keyOf = ({ environmentKey, applicationRuntimeId, workspaceId }: ScopeKey, name: string) =>
  `${environmentKey}/${applicationRuntimeId}/${workspaceId}/${name}`
