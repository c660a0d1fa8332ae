import { useState, type ReactNode } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { Scope } from '#contract/protocol/scope.ts'
import type { FieldId } from '../../../forms/property/property-place.ts'
import { editsIn, FormEdit, type Edit } from '../../../forms/property/property-edit.ts'
import { useText } from '../../../i18n/use-text.ts'
import { useFileImport } from '../../../subjects/configuration-files/use-file-import.tsx'
import { writersIn, type Manifest } from '../../../subjects/manifest/writers.ts'
import type { FormResource } from '../../../subjects/operation-form/property-form.ts'
import type { OperationValues } from '../../../subjects/operation-form/use-operation-form.ts'
import {
  placeBound,
  servicesIn,
  usableServices,
  type ArrivingValue,
} from '../../../subjects/scopes/place-bound.ts'
import { scopeText } from '../../../subjects/scopes/scope-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Menu, MenuItem } from '../../../ui/Menu.tsx'
import { ArrivalNotice, type Arrival } from './ArrivalNotice.tsx'
import { takeValues } from './arriving-values.ts'
import { CopyInstallationDialog } from './CopyInstallationDialog.tsx'

/**
 * Values of a file or of an active installation, as input of the form of an install. What belongs to another place is
 * taken only if the person ticks it, and sensitive values never are.
 *
 * @returns the menu, and what the form says of what arrived.
 */
export function useArrival({
  form,
  manifest,
  resources,
  scope,
}: {
  form: UseFormReturn<OperationValues>
  manifest: Manifest
  resources: readonly FormResource[]
  scope: Scope | null
}): { menu: ReactNode; notice: ReactNode } {
  const t = useText()
  const [arrival, setArrival] = useState<Arrival | null>(null)
  const [isCopying, setIsCopying] = useState(false)
  const enter = (id: FieldId, edit: Edit | null) =>
    form.setValue(`edits.${id}`, edit && new FormEdit(edit), { shouldValidate: true })
  const arrive = (
    values: readonly ArrivingValue[],
    { source, from, left }: Pick<Arrival, 'source' | 'from' | 'left'>,
  ) => {
    const writers = writersIn(manifest)
    const arrived = takeValues(values, resources, {
      isWritten: ({ locator, property }) => writers.get(locator)?.has(property) === true,
      entered: editsIn(form.getValues()),
    })
    for (const [id, edit] of arrived.edits) enter(id, edit)
    setArrival({ ...arrived, left: [...left, ...arrived.left], source, from, at: performance.now() })
  }
  const file = useFileImport(async ({ name, values, from, left }) => {
    const isOwn = from !== null && scope !== null && scopeText(from) === scopeText(scope)
    const usable =
      isOwn || scope === null ? new Set<string>() : await usableServices(servicesIn(values), scope, null)
    const arriving = isOwn
      ? values.map((value) => ({ ...value, bound: null }))
      : placeBound(values, definitionsOf(resources), { from, source: null, usable })
    arrive(arriving, { source: name, from, left })
  })
  const blocked = scope === null && t('installations.bring.noScope')
  return {
    menu: (
      <>
        <Menu
          label={t('installations.bring.menu')}
          renderTrigger={(props) => (
            <Button {...props} size="sm" icon="download">
              {t('installations.bring.menu')}
            </Button>
          )}
        >
          <MenuItem disabledReason={blocked} onSelect={file.choose}>
            {t('configuration.file.import')}
          </MenuItem>
          <MenuItem disabledReason={blocked} onSelect={() => setIsCopying(true)}>
            {t('installations.bring.copy')}
          </MenuItem>
        </Menu>
        {file.parts}
        {isCopying && scope !== null && (
          <CopyInstallationDialog
            bundle={manifest.bundle}
            scope={scope}
            target={definitionsOf(resources)}
            onCopy={(values, from) => {
              setIsCopying(false)
              arrive(values, { source: scopeText(from), from, left: [] })
            }}
            onClose={() => setIsCopying(false)}
          />
        )}
      </>
    ),
    notice: arrival !== null && (
      // what is ticked is read when it appears
      <div key={arrival.at} ref={bringIntoView} className="scroll-my-36">
        <ArrivalNotice
          arrival={arrival}
          control={form.control}
          resources={resources}
          enter={enter}
          onClose={() => setArrival(null)}
        />
      </div>
    ),
  }
}

/** The place of what asks for decisions is below the fold of a phone. Not defined in a render, which would scroll again. */
const bringIntoView = (shown: HTMLElement | null) => shown?.scrollIntoView({ block: 'nearest' })

/** The definitions of the fields, by resource. */
const definitionsOf = (resources: readonly FormResource[]) => ({
  resources: Object.fromEntries(
    resources.map(({ locator, fields }) => [
      locator,
      { definitions: Object.fromEntries(fields.map(({ property, definition }) => [property, definition])) },
    ]),
  ),
})
