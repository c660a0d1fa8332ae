/** A link that reads a JSON file of the person's choice. */
export function JsonFileChoice({ label, onText }: { label: string; onText: (text: string) => void }) {
  return (
    <label className="cursor-pointer rounded-sm font-medium text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent hover:underline">
      {label}
      <input
        type="file"
        accept=".json,application/json"
        className="sr-only"
        onChange={(event) => {
          void event.target.files?.[0]?.text().then(onText)
          // lets the person choose the same file again after fixing it
          event.target.value = ''
        }}
      />
    </label>
  )
}
