/** Stands for a value that does not exist; the card of a row leaves it out. */
export function Nothing() {
  return (
    <span data-nothing="" className="text-faint">
      –
    </span>
  )
}
