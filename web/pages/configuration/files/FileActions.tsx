import { useState } from 'react'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Menu, MenuItem } from '../../../ui/Menu.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { showToast } from '../../../ui/toast.ts'
import { useEditor } from '../editor/editor-context.ts'
import { restore } from '../draft/restore.ts'
import { useRestore } from '../editor/use-restore.ts'
import {
  configurationFile,
  fileNameOf,
  writeJson,
} from '../../../subjects/configuration-files/configuration-file.ts'
import { useFileImport } from '../../../subjects/configuration-files/use-file-import.tsx'
import { CopyDialog } from './CopyDialog.tsx'
import { placeBound, servicesIn, usableServices } from '../../../subjects/scopes/place-bound.ts'
import { scopeText } from '../../../subjects/scopes/scope-text.ts'

const NONE: ReadonlySet<string> = new Set()

/** The configuration as a file, and values from a file or another scope as edits, which are reviewed like any others. */
export function FileActions() {
  const t = useText()
  const { configuration, store, mayWrite } = useEditor()
  const restoreAll = useRestore()
  const [isCopying, setIsCopying] = useState(false)
  const blocked = !mayWrite && t('configuration.review.blocked.permission')
  const file = useFileImport(async ({ values, from, left }) => {
    const isOwn = from !== null && scopeText(from) === scopeText(configuration.scope)
    const usable = isOwn ? NONE : await usableServices(servicesIn(values), configuration.scope, null)
    const arriving = isOwn ? values : placeBound(values, configuration, { from, source: null, usable })
    const restoring = restore(arriving, configuration, store.current())
    restoreAll({ ...restoring, left: [...left, ...restoring.left] })
  })
  const downloadYaml = async () => {
    const { writeYaml } = await import('../../../subjects/configuration-files/yaml.ts')
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
        <MenuItem disabledReason={blocked} onSelect={file.choose}>
          {t('configuration.file.import')}
        </MenuItem>
        <MenuItem disabledReason={blocked} onSelect={() => setIsCopying(true)}>
          {t('configuration.file.copy')}
        </MenuItem>
      </Menu>
      {file.parts}
      {isCopying && <CopyDialog onClose={() => setIsCopying(false)} />}
    </>
  )
}
