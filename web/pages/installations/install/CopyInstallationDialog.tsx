import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ComponentProps } from 'react'
import { configurationCall } from '#contract/console-api/pages/configuration.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { callApi } from '../../../api/client.ts'
import { apiQuery } from '../../../api/query.ts'
import { useText } from '../../../i18n/use-text.ts'
import { valuesOf } from '../../../subjects/configuration-files/configuration-file.ts'
import {
  placeBound,
  servicesIn,
  usableServices,
  type ArrivingValue,
} from '../../../subjects/scopes/place-bound.ts'
import { parseScope, scopeText } from '../../../subjects/scopes/scope-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Combobox, type ComboboxOption } from '../../../ui/Combobox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Notice } from '../../../ui/Notice.tsx'

const LIMIT = 20

/** Copies the values of an active installation of the same bundle. */
export function CopyInstallationDialog({
  bundle,
  scope,
  target,
  onCopy,
  onClose,
}: {
  bundle: { environmentKey: string; bundleId: string }
  /** To install into. */
  scope: Scope
  target: Parameters<typeof placeBound>[1]
  onCopy: (values: readonly ArrivingValue[], from: Scope) => void
  onClose: () => void
}) {
  const t = useText()
  const client = useQueryClient()
  const [chosen, setChosen] = useState<ComboboxOption | null>(null)
  const [state, setState] = useState<'idle' | 'loading' | 'failed'>('idle')
  const isOpen = useRef(true)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  const search: ComponentProps<typeof Combobox>['search'] = async (q, signal) => {
    const { environmentKey: bundleEnvironmentKey, bundleId } = bundle
    const { items } = await callApi(
      'GET /installations',
      {
        query: { bundleEnvironmentKey, bundleId, state: 'ACTIVE', limit: LIMIT, ...(q !== '' && { q }) },
      },
      { signal },
    )
    return items.map(({ installation, version }) => ({
      value: scopeText(installation),
      label: scopeText(installation),
      detail: version ?? undefined,
    }))
  }
  const copy = async () => {
    const from = parseScope(chosen?.value ?? '')
    if (from === null) return
    setState('loading')
    try {
      const source = await client.fetchQuery(
        apiQuery(
          'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
          configurationCall(from),
        ),
      )
      const own = `${bundle.environmentKey}/${bundle.bundleId}/`
      const values = valuesOf(source).filter(({ locator }) => locator.startsWith(own))
      const usable = await usableServices(servicesIn(values), scope, source)
      // the person may have closed it meanwhile
      if (isOpen.current) onCopy(placeBound(values, target, { from, source, usable }), from)
    } catch {
      if (isOpen.current) setState('failed')
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('installations.bring.copy')}
      description={t('installations.bring.copy.about')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            variant="primary"
            busy={state === 'loading'}
            disabledReason={chosen === null && t('installations.bring.copy.choose')}
            onClick={() => void copy()}
          >
            {t('installations.bring.copy.submit')}
          </Button>
        </>
      }
    >
      <Field label={t('installations.bring.copy.from')}>
        {(wiring) => <Combobox wiring={wiring} value={chosen} search={search} onChange={setChosen} />}
      </Field>
      {state === 'failed' && (
        <div className="mt-3">
          <Notice tone="error" live>
            {t('configuration.file.copy.failed')}
          </Notice>
        </div>
      )}
    </Dialog>
  )
}
