import { useRef, useState, type ReactNode } from 'react'
import type { Scope } from '#contract/protocol/scope.ts'
import { FILE_BYTES_MAX } from '#contract/protocol/limits.ts'
import { readTextFile } from '../../forms/json/read-text-file.ts'
import type { PropertyPlace } from '../../forms/property/property-place.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { showToast } from '../../ui/toast.ts'
import { parseFile, type FileValue } from './configuration-file.ts'
import { fileErrorText } from './file-error.ts'

/** What a configuration file contains. */
export interface ReadFile {
  name: string
  values: readonly FileValue[]
  /** The scope that it says it comes from. */
  from: Scope | null
  /** What it says that it does not contain. */
  left: readonly (PropertyPlace & { why: 'sensitive' | 'plugin' })[]
}

/**
 * The import of a JSON or YAML file of values. A file that is refused is named with the line and the reason, and can be
 * chosen again.
 *
 * @returns what opens the choice of a file, and what the page renders for it.
 */
export function useFileImport(onRead: (file: ReadFile) => void | Promise<void>): {
  choose: () => void
  parts: ReactNode
} {
  const t = useText()
  const input = useRef<HTMLInputElement>(null)
  const [refused, setRefused] = useState<{ file: string; why: string } | null>(null)
  const load = async (chosen: File) => {
    const { leftOutOf, originOf, valuesInFile } = await import('./values-in-file.ts')
    const refuse = (why: string) => setRefused({ file: chosen.name, why })
    const { text, refusal } = await readTextFile(chosen, { maxBytes: FILE_BYTES_MAX, t })
    if (text === null) return refuse(refusal)
    const { value, error } = await parseFile(chosen.name, text)
    if (error !== null) return refuse(fileErrorText(error, t))
    const values = valuesInFile(value)
    if (values === null) return refuse(t('configuration.file.invalid'))
    setRefused(null)
    const { sensitive, plugin } = leftOutOf(value)
    await onRead({
      name: chosen.name,
      values,
      from: originOf(value),
      left: [
        ...sensitive.map((place) => ({ ...place, why: 'sensitive' as const })),
        ...plugin.map((place) => ({ ...place, why: 'plugin' as const })),
      ],
    })
  }
  const choose = () => input.current?.click()
  return {
    choose,
    parts: (
      <>
        <input
          ref={input}
          type="file"
          accept=".json,.yaml,.yml,application/json,application/yaml"
          aria-label={t('configuration.file.import')}
          tabIndex={-1}
          className="sr-only"
          onChange={({ target }) => {
            const [chosen] = target.files ?? []
            if (chosen !== undefined)
              void load(chosen).catch(() =>
                showToast({ tone: 'error', text: t('configuration.file.notLoaded') }),
              )
            // lets the person choose the same file again after fixing it
            target.value = ''
          }}
        />
        {refused !== null && (
          <Dialog
            open
            onClose={() => setRefused(null)}
            title={t('configuration.file.refused', { file: refused.file })}
            footer={
              <>
                <Button onClick={() => setRefused(null)}>{t('common.close')}</Button>
                <Button variant="primary" onClick={choose}>
                  {t('configuration.file.refused.again')}
                </Button>
              </>
            }
          >
            <Notice tone="error">{refused.why}</Notice>
            <p className="mt-3 text-muted">{t('configuration.file.refused.about')}</p>
          </Dialog>
        )}
      </>
    ),
  }
}
