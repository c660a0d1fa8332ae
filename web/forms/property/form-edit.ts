import type { Edit } from './edit.ts'
import type { FieldId } from './field-id.ts'

/**
 * An edit as a form holds it. react-hook-form copies plain objects on every change, which loses their identity and keys
 * such as `__proto__`; an instance of a class it keeps as it is. The edit is private, since the types of field names would
 * otherwise follow it into JSON without end.
 */
export class FormEdit {
  private readonly edit: Edit

  constructor(edit: Edit) {
    this.edit = edit
  }

  read(): Edit {
    return this.edit
  }
}

/** The part of a form's values that holds properties; null is a property without an edit. */
export interface PropertyFormValues {
  edits: Record<FieldId, FormEdit | null>
}

/**
 * The edits of a form. Whether there are any says whether the form is dirty: react-hook-form's own `isDirty` takes a field
 * that is mounted without a default value for a change.
 */
export function editsIn({ edits }: PropertyFormValues): Map<FieldId, Edit> {
  return new Map(Object.entries(edits).flatMap(([id, held]) => (held ? [[id, held.read()] as const] : [])))
}
