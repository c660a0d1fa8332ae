import { useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState } from 'react'
import type { Configuration } from '#contract/console-api/shapes.ts'
import { parseScope } from '../../../subjects/scopes/scope-text.ts'
import { useScopeSearch } from '../../../subjects/scopes/use-scope-search.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Combobox } from '../../../ui/Combobox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { useEditor } from '../editor/editor-context.ts'
import { configurationQuery } from '../draft/endpoints.ts'
import { restore } from '../draft/restore.ts'
import { useRestore } from '../editor/use-restore.ts'
import { valuesOf } from '../../../subjects/configuration-files/configuration-file.ts'
import { placeBound, servicesIn, usableServices } from '../../../subjects/scopes/place-bound.ts'

/** Copies the values of another scope into the draft. */
export function CopyDialog({ onClose }: { onClose: () => void }) {
  const t = useText()
  const client = useQueryClient()
  const search = useScopeSearch()
  const { configuration, store } = useEditor()
  const restoreAll = useRestore()
  /** The newest configuration; null once the dialog is closed. */
  const newest = useRef<Configuration | null>(null)
  useLayoutEffect(() => {
    newest.current = configuration
    return () => {
      newest.current = null
    }
  }, [configuration])
  const [scope, setScope] = useState<{ value: string; label: string } | null>(null)
  const [state, setState] = useState<'idle' | 'loading' | 'failed' | 'nothing'>('idle')
  const copy = async () => {
    const from = parseScope(scope?.value ?? '')
    if (from === null) return
    setState('loading')
    try {
      const source = await client.fetchQuery(configurationQuery(from))
      // someone may have saved meanwhile
      const target = newest.current
      if (target === null) return
      if (!Object.keys(source.resources).some((locator) => Object.hasOwn(target.resources, locator)))
        return setState('nothing')
      const values = valuesOf(source)
      const usable = await usableServices(servicesIn(values), target.scope, source)
      const into = newest.current
      if (into === null) return
      onClose()
      restoreAll(restore(placeBound(values, into, { from, source, usable }), into, store.current()))
    } catch {
      setState('failed')
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('configuration.file.copy')}
      description={t('configuration.file.copy.about')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            variant="primary"
            busy={state === 'loading'}
            disabledReason={scope === null && t('configuration.file.copy.choose')}
            onClick={() => void copy()}
          >
            {t('configuration.file.copy.submit')}
          </Button>
        </>
      }
    >
      <Field label={t('configuration.file.copy.from')}>
        {(wiring) => <Combobox wiring={wiring} value={scope} search={search} onChange={setScope} />}
      </Field>
      {(state === 'failed' || state === 'nothing') && (
        <div className="mt-3">
          <Notice tone="error" live>
            {t(`configuration.file.copy.${state}`)}
          </Notice>
        </div>
      )}
    </Dialog>
  )
}
