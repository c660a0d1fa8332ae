import { useState } from 'react'
import { FILE_BYTES_MAX } from '#contract/protocol/limits.ts'
import { useText } from '../../i18n/use-text.ts'
import { readTextFile } from './read-text-file.ts'

/** A link that reads a JSON file of the person's choice, and says why a file is not read. */
export function JsonFileChoice({ label, onText }: { label: string; onText: (text: string) => void }) {
  const t = useText()
  const [refusal, setRefusal] = useState<string | null>(null)
  const read = async (file: File) => {
    const reading = await readTextFile(file, { maxBytes: FILE_BYTES_MAX, t })
    setRefusal(reading.refusal)
    if (reading.text !== null) onText(reading.text)
  }
  return (
    <>
      <label className="cursor-pointer rounded-sm font-medium text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent hover:underline">
        {label}
        <input
          type="file"
          accept=".json,application/json"
          className="sr-only"
          onChange={(event) => {
            const [file] = event.target.files ?? []
            if (file !== undefined) void read(file).catch(() => setRefusal(t('forms.file.notRead')))
            // lets the person choose the same file again after fixing it
            event.target.value = ''
          }}
        />
      </label>
      {refusal !== null && (
        <span role="alert" className="mt-1 block text-fail">
          {refusal}
        </span>
      )}
    </>
  )
}
