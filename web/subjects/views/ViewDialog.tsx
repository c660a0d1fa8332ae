import { useNavigate, type NavigateOptions } from '@tanstack/react-router'
import { useMemo } from 'react'
import * as z from 'zod/mini'
import { VIEW_NAME_MAX, type ViewPage } from '#contract/console-api/pages/saved-views.ts'
import type { SavedView } from '#contract/console-api/shapes.ts'
import { ApiError } from '../../api/client.ts'
import { useWrite } from '../../api/write.ts'
import { SwitchField } from '../../forms/fields/SwitchField.tsx'
import { TextField } from '../../forms/fields/TextField.tsx'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { FormDialog } from '../../forms/dialogs/FormDialog.tsx'
import { fieldOfRequest } from '../../forms/form/server-errors.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { useZodForm } from '../../forms/form/use-zod-form.ts'
import { useText } from '../../i18n/use-text.ts'
import { showToast } from '../../ui/toast.ts'
import { viewLink } from './views.ts'

const INVALIDATES = ['GET /saved-views'] as const

export type ViewDialogProps = {
  /** The filters become a new view, or a view is renamed or deleted. */
  task: { kind: 'save' } | { kind: 'rename' | 'delete'; view: SavedView }
  page: ViewPage
  search: string
  onClose: () => void
}

export function ViewDialog({ task, ...rest }: ViewDialogProps) {
  if (task.kind === 'delete') return <DeleteView view={task.view} onClose={rest.onClose} />
  return <NameView view={task.kind === 'rename' ? task.view : null} {...rest} />
}

function NameView({
  view,
  page,
  search,
  onClose,
}: Omit<ViewDialogProps, 'task'> & { view: SavedView | null }) {
  const t = useText()
  const navigate = useNavigate()
  const schema = useMemo(
    () =>
      z.object({
        name: z.string().check(z.refine((text) => text.trim() !== '', t('views.form.missing'))),
        shared: z.boolean(),
      }),
    [t],
  )
  const form = useZodForm(schema, {
    defaultValues: { name: view?.name ?? '', shared: view?.shared ?? false },
  })
  const create = useWrite('POST /saved-views', { invalidates: INVALIDATES })
  const save = useWrite('PUT /saved-views/{viewId}', { invalidates: INVALIDATES })
  const submit = useSubmit(
    form,
    async ({ name, shared }) => {
      if (view === null) {
        const { viewId } = await create.mutateAsync({ body: { page, search, name, shared } })
        onClose()
        showToast({ text: t('views.saved', { name: name.trim() }) })
        // `web/addresses/paths.ts` has checked the target
        const target = { ...viewLink({ page, search, id: viewId }), replace: true }
        return navigate(target as unknown as NavigateOptions)
      }
      const { viewId } = view
      // what the person left as it was stays: it may have been changed in the meantime
      const body = { page, ...(name !== view.name && { name }), ...(shared !== view.shared && { shared }) }
      await save.mutateAsync({ params: { viewId }, body })
      onClose()
    },
    fieldOfRequest(['name']),
  )
  return (
    <FormDialog
      form={form}
      {...submit}
      size="sm"
      title={t(view === null ? 'views.form.title.save' : 'views.form.title.rename')}
      description={view === null ? t('views.form.about') : undefined}
      submit={t('common.save')}
      onClose={onClose}
    >
      <TextField control={form.control} name="name" label={t('views.form.name')} maxLength={VIEW_NAME_MAX} />
      <SwitchField
        control={form.control}
        name="shared"
        label={t('views.form.shared')}
        offMeaning={t('views.form.private')}
      />
    </FormDialog>
  )
}

function DeleteView({ view, onClose }: { view: SavedView; onClose: () => void }) {
  const t = useText()
  const remove = useWrite('DELETE /saved-views/{viewId}', { invalidates: INVALIDATES })
  return (
    <ConfirmForm
      danger
      onClose={onClose}
      title={t('views.delete.title', { name: view.name })}
      confirm={t('views.delete.confirm')}
      send={async () => {
        await remove.mutateAsync({ params: { viewId: view.viewId } }).catch((error: unknown) => {
          // somebody else has deleted it, or a lost response was repeated
          if (!(error instanceof ApiError && error.problem.code === 'NOT_FOUND')) throw error
        })
        onClose()
        showToast({ text: t('views.deleted', { name: view.name }) })
      }}
    >
      <p>{t(view.shared ? 'views.delete.shared' : 'views.delete.text')}</p>
    </ConfirmForm>
  )
}
