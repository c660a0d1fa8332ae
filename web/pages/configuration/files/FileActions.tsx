import { useRef, useState } from 'react'
import { FILE_BYTES_MAX } from '#contract/protocol/limits.ts'
import { readTextFile } from '../../../forms/json/read-text-file.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Menu, MenuItem } from '../../../ui/Menu.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { showToast } from '../../../ui/toast.ts'
import { useEditor } from '../editor/editor-context.ts'
import { restore } from '../draft/restore.ts'
import { useRestore } from '../editor/use-restore.ts'
import { configurationFile, fileNameOf, parseFile, writeJson } from './configuration-file.ts'
import { CopyDialog } from './CopyDialog.tsx'
import { fileErrorText } from './file-error.ts'
import { placeBound, servicesIn, usableServices } from '../../../subjects/scopes/place-bound.ts'
import { scopeText } from '../../../subjects/scopes/scope-text.ts'

const NONE: ReadonlySet<string> = new Set()

/** The configuration as a file, and values from a file or another scope as edits, which are reviewed like any others. */
export function FileActions() {
  const t = useText()
  const { configuration, store, mayWrite } = useEditor()
  const restoreAll = useRestore()
  const file = useRef<HTMLInputElement>(null)
  const [isCopying, setIsCopying] = useState(false)
  const blocked = !mayWrite && t('configuration.review.blocked.permission')
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
    const from = originOf(value)
    const isOwn = from !== null && scopeText(from) === scopeText(configuration.scope)
    const usable = isOwn ? NONE : await usableServices(servicesIn(values), configuration.scope, null)
    const arriving = isOwn ? values : placeBound(values, configuration, { from, source: null, usable })
    const restoring = restore(arriving, configuration, store.current())
    const { sensitive, plugin } = leftOutOf(value)
    const missing = [
      ...sensitive.map((place) => ({ ...place, why: 'sensitive' as const })),
      ...plugin.map((place) => ({ ...place, why: 'plugin' as const })),
    ]
    restoreAll({ ...restoring, left: [...missing, ...restoring.left] })
  }
  const downloadYaml = async () => {
    const { writeYaml } = await import('./yaml.ts')
    saveFile(
      fileNameOf(configuration, 'yaml'),
      writeYaml(configurationFile(configuration)),
      'application/yaml',
    )
  }
  const unavailable = () => showToast({ tone: 'error', text: t('configuration.file.notLoaded') })
  return (
    <>
      <Menu
        label={t('configuration.file.menu')}
        renderTrigger={(props) => (
          <Button {...props} icon="download">
            {t('configuration.file.menu')}
          </Button>
        )}
      >
        <MenuItem
          onSelect={() =>
            saveFile(
              fileNameOf(configuration, 'json'),
              writeJson(configurationFile(configuration)),
              'application/json',
            )
          }
        >
          {t('configuration.file.json')}
        </MenuItem>
        <MenuItem onSelect={() => void downloadYaml().catch(unavailable)}>
          {t('configuration.file.yaml')}
        </MenuItem>
        <MenuItem disabledReason={blocked} onSelect={() => file.current?.click()}>
          {t('configuration.file.import')}
        </MenuItem>
        <MenuItem disabledReason={blocked} onSelect={() => setIsCopying(true)}>
          {t('configuration.file.copy')}
        </MenuItem>
      </Menu>
      <input
        ref={file}
        type="file"
        accept=".json,.yaml,.yml,application/json,application/yaml"
        aria-label={t('configuration.file.import')}
        tabIndex={-1}
        className="sr-only"
        onChange={({ target }) => {
          const [chosen] = target.files ?? []
          if (chosen !== undefined) void load(chosen).catch(unavailable)
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
              <Button variant="primary" onClick={() => file.current?.click()}>
                {t('configuration.file.refused.again')}
              </Button>
            </>
          }
        >
          <Notice tone="error">{refused.why}</Notice>
          <p className="mt-3 text-muted">{t('configuration.file.refused.about')}</p>
        </Dialog>
      )}
      {isCopying && <CopyDialog onClose={() => setIsCopying(false)} />}
    </>
  )
}
