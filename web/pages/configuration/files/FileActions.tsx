import { Suspense, useRef, useState } from 'react'
import { lazyPart } from '../../../components/lazy-part.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Menu, MenuItem } from '../../../ui/Menu.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { showToast } from '../../../ui/toast.ts'
import { useEditor } from '../editor/editor-context.ts'
import { restore } from '../history/restore.ts'
import { useRestore } from '../history/use-restore.ts'
import { configurationFile, fileNameOf, writeJson } from './configuration-file.ts'
import { findFileError, parseFile } from './parse-file.ts'

const CopyDialog = lazyPart(async () => (await import('./CopyDialog.tsx')).CopyDialog)

/** The configuration as a file, and values from a file or another scope as edits, which are reviewed like any others. */
export function FileActions() {
  const t = useText()
  const { configuration, store, mayWrite } = useEditor()
  const restoreAll = useRestore()
  const file = useRef<HTMLInputElement>(null)
  const [isCopying, setIsCopying] = useState(false)
  const refused = !mayWrite && t('configuration.review.blocked.permission')
  const load = async (chosen: File) => {
    const { valuesInFile } = await import('./values-in-file.ts')
    const text = await chosen.text()
    const values = valuesInFile(await parseFile(chosen.name, text))
    if (values !== null) return restoreAll(restore(values, configuration, store.current()))
    const place = await findFileError(chosen.name, text)
    showToast({
      tone: 'error',
      text:
        place === null
          ? t('configuration.file.invalid')
          : t('configuration.file.syntax', { file: chosen.name, ...place }),
    })
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
        <MenuItem disabledReason={refused} onSelect={() => file.current?.click()}>
          {t('configuration.file.import')}
        </MenuItem>
        <MenuItem disabledReason={refused} onSelect={() => setIsCopying(true)}>
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
      {isCopying && (
        <Suspense>
          <CopyDialog onClose={() => setIsCopying(false)} />
        </Suspense>
      )}
    </>
  )
}
