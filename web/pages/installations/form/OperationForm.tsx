import type { ReactNode } from 'react'

/** A form that starts an operation. What is wrong with it is told by us, in our words, and not by the browser. */
export function OperationForm({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }) {
  return (
    <form
      noValidate
      className="space-y-7"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {children}
    </form>
  )
}
